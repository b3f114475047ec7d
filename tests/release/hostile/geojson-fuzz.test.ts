import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { geojson } from '../../../src/formats/geojson/geojson.ts'
import { collection, feature } from '../../support/geojson-text.ts'
import { mutation, readDamaged } from '../../support/mutations.ts'
import { readLayer } from '../../support/read-layer.ts'
import { temporaryFiles } from '../../support/temporary-files.ts'

const write = temporaryFiles()
const fixtures = join(import.meta.dirname, '../../fixtures/geojson')

/** Returns the five shortest features of a real file, as text. */
function shortFeatures(): string[] {
  const { features } = JSON.parse(readFileSync(join(fixtures, 'countries.geojson'), 'utf8'))
  const texts: string[] = features.map((one: unknown) => JSON.stringify(one))
  return texts.sort((a, b) => a.length - b.length).slice(0, 5)
}

describe('damaged GeoJSON', () => {
  const sources = {
    'a collection': Buffer.from(collection(shortFeatures())),
    'a newline-delimited file': Buffer.from(shortFeatures().join('\n')),
  }
  for (const [name, source] of Object.entries(sources)) {
    it(`accounts for every row of ${name}, or says what is wrong`, async () => {
      const seen = { read: 0, refused: 0 }
      await fc.assert(
        fc.asyncProperty(mutation, async (mutations) => {
          const bytes = mutations.reduce<Buffer>((before, mutate) => mutate(before), source)
          seen[await readDamaged(geojson, write('damaged.geojson', bytes))] += 1
        }),
        { numRuns: 120 },
      )
      assert.ok(seen.read > 0 && seen.refused > 0, JSON.stringify(seen))
    })
  }
})

describe('any GeoJSON', () => {
  const value = fc.oneof(
    fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.dictionary(fc.string(), fc.integer(), { maxKeys: 2 }),
  )
  const properties = fc.dictionary(fc.constantFrom('a', 'b', 'ä', '"', ''), value)
  const coordinate = fc.double({ noNaN: true, noDefaultInfinity: true })

  it('keeps every value: as it is in a column of its own, as it is written in a mixed one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(properties, { maxLength: 8 }), fc.nat(2), async (objects, indent) => {
        const texts = objects.map((object) => feature(JSON.stringify(object, null, indent)))
        const { layer, rows } = await readLayer(geojson, write('any.geojson', collection(texts)))
        assert.equal(rows.length, objects.length)
        for (const [row, object] of objects.entries()) {
          for (const [column, { name, type }] of layer.schema.attributes.entries()) {
            const found = rows[row]?.values[column]
            const expected = (object as Record<string, unknown>)[name] ?? null
            const isWritten = expected !== null && typeof expected !== 'string' && /text|decimal/.test(type)
            if (isWritten) assert.deepEqual(JSON.parse(String(found)), JSON.parse(JSON.stringify(expected)))
            else
              assert.equal(
                typeof found === 'bigint' ? Number(found) : found,
                expected === 0 ? found : expected,
              )
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  it('keeps every coordinate exactly', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 50 }),
        async (line) => {
          const text = feature('{}', JSON.stringify({ type: 'LineString', coordinates: line }))
          const { rows } = await readLayer(geojson, write('line.geojson', text))
          assert.equal(rows[0]?.geometry, `LINESTRING (${line.map(([x, y]) => `${x + 0} ${y + 0}`).join()})`)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('reads the same wherever a chunk ends', async () => {
    const features = shortFeatures()
    const start = '{"type":"FeatureCollection","features":['
    const expected = (await readLayer(geojson, write('whole.geojson', collection(features)))).rows
    const length = features.join(',').length
    await fc.assert(
      fc.asyncProperty(fc.nat(length), async (cut) => {
        const filler = ' '.repeat((1 << 20) - start.length - cut)
        const path = write('cut.geojson', `${start}${filler}${features.join(',')}]}`)
        assert.deepEqual((await readLayer(geojson, path)).rows, expected)
      }),
      { numRuns: 60 },
    )
  })
})
