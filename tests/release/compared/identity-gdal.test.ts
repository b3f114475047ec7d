import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { defined } from '../../../src/core/values/defined.ts'
import type { LayerDescription } from '../../../src/formats/format.ts'
import { gdalDrivers } from '../../../src/formats/gdal/gdal-drivers.ts'
import type { FeatureBatch } from '../../../src/geo/batch.ts'
import { stores } from '../../../src/stores/registry.ts'
import type { StoreUnderTest } from '../../contract/store-session.ts'
import { loadRows, readRows } from '../../contract/store-session.ts'
import { describeFile, readBatches } from '../../support/gdal-files.ts'
import type { GdalFile, GdalLayer } from '../../support/gdal-reference.ts'
import { hasGdalBindings, writtenByGdal } from '../../support/gdal-reference.ts'
import { dataFile } from '../../support/read-layer.ts'
import { startStore } from '../../support/store-starts.ts'

const config = Object.fromEntries(
  gdalDrivers.flatMap(({ drivers, config: options }) => drivers.map((name) => [name, options ?? {}])),
)
const skip = !(await hasGdalBindings())

/** Formats that have no identity column, whatever number GDAL gives to their features. */
const without = ['GML', 'MapInfo File', 'XLSX', 'ODS', 'OGR_GMT', 'JML', 'MapML', 'GeoRSS', 'VDV', 'LIBKML']
const withoutInOurs = ['ESRI Shapefile', 'GeoJSON', 'CSV', 'FlatGeobuf']

interface Loaded {
  layer: LayerDescription
  batches: FeatureBatch[]
}

async function readFirst(path: string): Promise<Loaded> {
  const file = path.endsWith('.gdb') ? { path, sidecars: {} } : dataFile(path)
  const [layer] = await describeFile(file)
  assert.ok(layer, path)
  return { layer, batches: await readBatches(file, layer) }
}

async function* all(batches: FeatureBatch[]): AsyncGenerator<FeatureBatch> {
  yield* batches
}

/** The identity column as it was read, with the numbers of the rows in the source. */
function idsOf({ layer, batches }: Loaded): bigint[] {
  const at = layer.schema.attributes.findIndex(({ isIdentity }) => isIdentity === true)
  return batches.flatMap(({ columns, rowCount }) => {
    const column = columns[at]
    return column?.kind === 'big' ? [...column.values.subarray(0, rowCount)] : []
  })
}

describe('identity columns, beside those of GDAL', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-'))
  let files: GdalFile[] = []
  const opened = new Map<string, StoreUnderTest>()
  before(async () => {
    files = await writtenByGdal(folder, config)
    for (const store of stores.filter(({ can }) => can.takesLoads))
      opened.set(store.type, await startStore(store))
  })
  after(async () => {
    for (const under of opened.values()) {
      await under.store.close()
      await under.dispose()
    }
    await rm(folder, { recursive: true, force: true })
  })

  it('are those that GDAL names, with its values, and none elsewhere', async () => {
    assert.ok(files.length > 20)
    for (const { name, path, driver, layers, error } of files) {
      const gdalLayer: GdalLayer | undefined = layers[0]
      if (error !== undefined || gdalLayer === undefined) continue
      const loaded = await readFirst(path)
      const identity = loaded.layer.schema.attributes.filter(({ isIdentity }) => isIdentity === true)
      if (gdalLayer.key === '') assert.deepEqual(identity, [], name)
      else {
        assert.deepEqual(identity, [{ name: gdalLayer.key, type: 'int64', isIdentity: true }], name)
        const rejected = new Set(loaded.batches.flatMap(({ rejects }) => rejects.map(({ row }) => row)))
        const expected = gdalLayer.rows.flatMap(({ fid }, at) => (rejected.has(at + 1) ? [] : BigInt(fid)))
        assert.deepEqual(idsOf(loaded), expected, name)
      }
      if ([...without, ...withoutInOurs].includes(driver)) assert.equal(gdalLayer.key, '', name)
    }
  })

  it('are in each store as they are in the file: as its ids where it calls its own so, else in a column', async () => {
    const keyed = files.filter(({ layers }) => (layers[0]?.key ?? '') !== '')
    assert.ok(keyed.length >= 4, keyed.map(({ name }) => name).join())
    for (const [type, { store }] of opened)
      for (const [at, { name, path, layers }] of keyed.entries()) {
        const key = layers[0]?.key ?? ''
        const loaded = await readFirst(path)
        const { layer, batches } = loaded
        const table = `t${at}`
        const { geometry } = layer.schema
        const schema = {
          ...layer.schema,
          ...defined({ geometry: geometry && { ...geometry, crs: undefined } }),
        }
        const outcome = await loadRows(store, { table, schema, batches: all(batches) })
        const rejected = new Set(outcome.rejects.map(({ row }) => row))
        const numbers = batches.flatMap(({ rowNumbers, rowCount }) => [...rowNumbers.subarray(0, rowCount)])
        const expected = idsOf(loaded).filter((_, place) => !rejected.has(numbers[place] ?? 0))
        const described = await store.findTable(table)
        const column = described?.schema.attributes.findIndex((one) => one.name === key) ?? -1
        const rows = await readRows(store, { table })
        const held = rows.map(({ id, values }) => (key === 'fid' ? BigInt(id) : values[column]))
        assert.equal(column < 0, key === 'fid', `${type} ${name}`)
        assert.deepEqual(held, expected, `${type} ${name}`)
      }
  })
})
