import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { commonSidecars } from '../../src/formats/file-names.ts'
import type { DataFile, Format, LayerDescription } from '../../src/formats/format.ts'
import { FormatError } from '../../src/formats/format.ts'
import { formats } from '../../src/formats/registry.ts'
import type { FeatureBatch } from '../../src/geo/batch.ts'
import type { Envelope } from '../../src/geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope, unionEnvelope } from '../../src/geo/envelope.ts'
import { wkbEnvelope } from '../../src/geo/wkb.ts'
import { findExamples, withoutExample } from '../support/format-examples.ts'
import { needsGdal } from '../support/gdal-files.ts'
import { endsSoon, leavesNothingOpen } from '../support/open-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'terrane-formats-'))
after(() => rmSync(folder, { recursive: true }))
const examples = await findExamples(folder)
const never = new AbortController().signal

async function readAll(format: Format, file: DataFile, layer: LayerDescription): Promise<FeatureBatch[]> {
  return Array.fromAsync(format.read(file, layer, { signal: never }))
}

/** Numbers of the rows that were loaded or rejected. */
function rowsOf(batches: FeatureBatch[]): number[] {
  return batches.flatMap(({ rowNumbers, rejects }) => [...rowNumbers, ...rejects.map(({ row }) => row)])
}

/** Bounds of the geometries; undefined where there are none. */
function boundsOf(batches: FeatureBatch[]): Envelope | undefined {
  let bounds = emptyEnvelope()
  for (const { geometry, rowCount } of batches) {
    for (let row = 0; geometry !== undefined && row < rowCount; row += 1) {
      const wkb = geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])
      const one = wkb.length === 0 ? undefined : wkbEnvelope(wkb)
      if (one !== undefined) bounds = unionEnvelope(bounds, one)
    }
  }
  return isEmptyEnvelope(bounds) ? undefined : bounds
}

async function checkLayer(format: Format, file: DataFile, layer: LayerDescription): Promise<void> {
  const batches = await leavesNothingOpen(`reading "${layer.name}"`, () => readAll(format, file, layer))
  for (const { schema, columns, geometry, rowCount, rowNumbers } of batches) {
    assert.deepEqual(schema, layer.schema, 'a batch has another schema than was described')
    assert.deepEqual(
      columns.map(({ type }) => type),
      schema.attributes.map(({ type }) => type),
    )
    assert.equal(geometry === undefined, schema.geometry === undefined)
    assert.equal(rowNumbers.length, rowCount)
  }
  const rows = rowsOf(batches)
  assert.equal(new Set(rows).size, rows.length, 'a row is given twice')
  assert.ok(rows.every((row) => Number.isInteger(row) && row > 0))
  if (layer.featureCount !== undefined) assert.equal(rows.length, layer.featureCount, 'rows and rejects')
  const found = boundsOf(batches)
  const envelope = layer.envelope
  if (envelope === undefined || found === undefined) return
  const slack = 1e-6 * Math.max(1, ...Object.values(envelope).map(Math.abs))
  assert.ok(
    found.minX >= envelope.minX - slack &&
      found.minY >= envelope.minY - slack &&
      found.maxX <= envelope.maxX + slack &&
      found.maxY <= envelope.maxY + slack,
    `geometries reach ${JSON.stringify(found)}, beyond ${JSON.stringify(envelope)}`,
  )
}

async function checkFile(format: Format, file: DataFile): Promise<LayerDescription> {
  const layers = await leavesNothingOpen('describing', () => format.describe(file, { signal: never }))
  assert.ok(layers.length > 0)
  assert.deepEqual(structuredClone(layers), layers, 'a description is not plain data')
  assert.equal(new Set(layers.map(({ name }) => name)).size, layers.length, 'two layers have one name')
  const [first] = layers as [LayerDescription]
  if (format.kind === 'raster') {
    assert.ok(first.raster !== undefined && first.schema.geometry === undefined)
    assert.throws(() => format.read(file, first, { signal: never }), FormatError)
    return first
  }
  for (const layer of layers) await checkLayer(format, file, layer)
  return first
}

async function checkAborts(format: Format, file: DataFile, layer: LayerDescription): Promise<void> {
  await leavesNothingOpen('describing what is told to stop', async () => {
    const abort = new AbortController()
    await endsSoon('describe', abort, () => format.describe(file, { signal: abort.signal }))
  })
  if (format.kind === 'raster') return
  await leavesNothingOpen('reading what is told to stop', async () => {
    const abort = new AbortController()
    await endsSoon('read', abort, () => Array.fromAsync(format.read(file, layer, { signal: abort.signal })))
  })
  await leavesNothingOpen('a consumer that stops', async () => {
    for await (const _ of format.read(file, layer, { signal: never })) break
  })
}

describe('every format', needsGdal, () => {
  it('tells its names in lower case and without dots in front', () => {
    for (const { name, extensions, sidecars = [], folder: dataset, fetchedSidecars = [] } of formats) {
      const of = sidecars.flatMap((rule) => rule.of ?? [])
      const endings = sidecars.flatMap((rule) => rule.endings)
      const all = [...extensions, ...of, ...endings, ...(dataset?.extensions ?? []), ...fetchedSidecars]
      for (const one of all) assert.match(one, /^[a-z0-9][a-z0-9.-]*$/, name)
      assert.ok(extensions.length > 0, name)
      assert.deepEqual(
        of.filter((one) => !extensions.includes(one)),
        [],
        `${name} has no such main files`,
      )
      const known = new Set([...endings, ...commonSidecars])
      assert.deepEqual(
        fetchedSidecars.filter((one) => !known.has(one)),
        [],
        `${name} fetches what is not a sidecar`,
      )
    }
    assert.equal(new Set(formats.map(({ name }) => name)).size, formats.length, 'two formats have one name')
  })

  it('has an example in tests/fixtures, but for those of a list', () => {
    const missing = formats.filter((format) => !examples.has(format)).map(({ name }) => name)
    assert.deepEqual(missing.sort(), [...withoutExample].sort())
  })

  for (const [format, file] of examples) {
    describe(`${format.name}: ${basename(file.path)}`, () => {
      let layer: LayerDescription | undefined

      it('is read as it is described, every row once, and leaves nothing open', async () => {
        layer = await checkFile(format, file)
      })

      it('stops within two seconds when it is told to', async () => {
        assert.ok(layer, 'it could not be described')
        await checkAborts(format, file, layer)
      })
    })
  }
})
