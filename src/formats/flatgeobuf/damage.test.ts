import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { encodeFeature, writeFlatGeobuf } from '../../../tests/support/flatgeobuf-writer.ts'
import { readLayer } from '../../../tests/support/read-layer.ts'
import { FormatError } from '../format.ts'
import { flatgeobuf } from './flatgeobuf.ts'

const folder = mkdtempSync(join(tmpdir(), 'flatgeobuf-damage-'))
after(() => rmSync(folder, { recursive: true }))
const fixtures = join(import.meta.dirname, '../../../tests/fixtures/flatgeobuf')

let files = 0
function save(bytes: Uint8Array): string {
  files += 1
  const path = join(folder, `f${files}.fgb`)
  writeFileSync(path, bytes)
  return path
}

const point = { type: 1, xy: [1, 2] }

describe('a damaged FlatGeobuf file', () => {
  const bytes = readFileSync(join(fixtures, 'countries.fgb'))

  it('that is cut off is refused, saying where', async () => {
    await assert.rejects(readLayer(flatgeobuf, save(bytes.subarray(0, -100))), {
      code: 'truncated',
      message: /Feature 179/,
    })
    await assert.rejects(readLayer(flatgeobuf, save(bytes.subarray(0, 100))), {
      code: 'truncated',
      message: /header/,
    })
    await assert.rejects(readLayer(flatgeobuf, save(bytes.subarray(0, 2000))), {
      code: 'truncated',
      message: /179 features/,
    })
    await assert.rejects(readLayer(flatgeobuf, save(Buffer.alloc(0))), FormatError)
    const whole = writeFlatGeobuf({
      geometryType: 1,
      featureCount: 3n,
      features: [{ geometry: point }, { geometry: point }],
    })
    await assert.rejects(readLayer(flatgeobuf, save(whole)), {
      code: 'truncated',
      message: /3 features, 2 are there/,
    })
  })

  it('with a size beyond the file is refused before memory is taken', async () => {
    const huge = writeFlatGeobuf({ geometryType: 1, features: [{ geometry: point }], featureCount: 0n })
    const size = encodeFeature({ geometry: point }).length
    huge.writeUInt32LE(0xfffffff0, huge.length - size - 4)
    await assert.rejects(readLayer(flatgeobuf, save(huge)), {
      code: 'truncated',
      message: /Feature 1, at byte/,
    })
    const header = Buffer.from(huge)
    header.writeUInt32LE(0xfffffff0, 8)
    await assert.rejects(readLayer(flatgeobuf, save(header)), { code: 'corrupt' })
    const count = writeFlatGeobuf({
      geometryType: 1,
      features: [],
      featureCount: 1n << 60n,
      indexNodeSize: 16,
    })
    await assert.rejects(readLayer(flatgeobuf, save(count)), { code: 'truncated' })
  })

  it('never crashes, and accounts for every feature it said there were', async () => {
    const mixed = readFileSync(join(fixtures, 'streamed.fgb'))
    const change = fc.record({ place: fc.nat(300_000), bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }) })
    const scenario = fc.record({
      isMixed: fc.boolean(),
      changes: fc.array(change, { minLength: 1, maxLength: 6 }),
      cut: fc.oneof(fc.constant(0), fc.nat(500)),
    })
    const path = join(folder, 'fuzz.fgb')
    await fc.assert(
      fc.asyncProperty(scenario, async ({ isMixed, changes, cut }) => {
        const content = Buffer.from(isMixed ? mixed : bytes)
        for (const { place, bytes: put } of changes) content.set(put, place % (content.length - put.length))
        writeFileSync(path, content.subarray(0, content.length - cut))
        try {
          const { layer, rows, rejects } = await readLayer(flatgeobuf, path)
          const { featureCount } = layer
          if (featureCount !== undefined) assert.ok(rows.length + rejects.length >= featureCount)
        } catch (error) {
          assert.ok(error instanceof FormatError, String(error))
        }
      }),
      { numRuns: 300 },
    )
  })
})
