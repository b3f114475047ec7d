import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../../bench/random.ts'
import { stores } from '../../../src/stores/registry.ts'
import type { TileReads } from '../../../src/stores/store.ts'
import { tileReadingOf } from '../../../src/stores/tile-reading.ts'
import type { Row } from '../../support/batches.ts'
import { schemaOf, wkb } from '../../support/batches.ts'
import { startStore } from '../../support/store-starts.ts'
import { never, withStore } from '../store-session.ts'

const rowCount = 20_000

/**
 * Points, lines of two and of three vertices, and polygons; some rows without a geometry, or with an empty
 * one.
 */
function sampleRows(): Row[] {
  const random = seededRandom(11)
  const place = (): number[] => [random() * 360 - 180, random() * 170 - 85]
  return Array.from({ length: rowCount }, (_, at) => {
    const [x = 0, y = 0] = place()
    const ring = [
      [x, y],
      [x + random(), y],
      [x, y + random()],
      [x, y],
    ]
    const shapes = [
      wkb('Point', [x, y]),
      wkb('LineString', ring.slice(0, 2)),
      wkb('LineString', ring.slice(0, 3)),
      wkb('Polygon', [ring]),
      null,
      wkb('LineString', []),
    ]
    return { geometry: shapes[at % shapes.length] ?? null, values: ['a'] }
  })
}

/** Points, some rows without a geometry, or with an empty one. */
function samplePoints(): Row[] {
  const random = seededRandom(12)
  return Array.from({ length: rowCount }, (_, at) => {
    const point = wkb('Point', [random() * 360 - 180, random() * 170 - 85])
    return { geometry: [point, point, null, wkb('Point', [])][at % 4] ?? null, values: ['a'] }
  })
}

const samples = { Geometry: sampleRows, Point: samplePoints }

type Known = Map<string, string>

async function inOrder(reads: TileReads): Promise<Known> {
  const known: Known = new Map()
  for await (const { ids, envelopes } of reads.readEnvelopes({ table: 'layer' }, never))
    for (const [row, id] of ids.entries()) known.set(id, envelopes.slice(row * 4, row * 4 + 4).join())
  return known
}

async function byNumber(reads: TileReads): Promise<Known> {
  const pages = await reads.readNumbered?.('layer', never)
  assert.ok(pages !== undefined, 'a table with numbers for its keys')
  const known: Known = new Map()
  let rows = 0
  for await (const { ids, envelopes } of pages) {
    for (const [row, id] of ids.entries()) known.set(String(id), envelopes.slice(row * 4, row * 4 + 4).join())
    rows += ids.length
  }
  assert.equal(rows, known.size, 'a row twice')
  return known
}

describe('envelopes of a whole table by numbers', () => {
  for (const description of Object.values(stores).filter(({ can }) => can.takesLoads)) {
    for (const type of ['Geometry', 'Point'] as const)
      it(
        `are those that come in order: ${description.type}, ${type}`,
        withStore(
          () => startStore(description),
          async ({ store, fill }) => {
            await fill(schemaOf({ text: 'text' }, type), samples[type]())
            await tileReadingOf(store).atOneState(
              'layer',
              async (reads) => {
                const expected = await inOrder(reads)
                assert.ok(expected.size >= rowCount / 2)
                const sorted = (known: Known): Known =>
                  new Map([...known].sort(([a], [b]) => Number(a) - Number(b)))
                assert.deepEqual(sorted(await byNumber(reads)), sorted(expected))
              },
              never,
            )
          },
        ),
      )
  }
})
