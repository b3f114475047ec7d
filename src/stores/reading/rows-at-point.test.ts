import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { batchesOf, schemaOf } from '../../../tests/support/batches.ts'
import { seededNumbers } from '../../../tests/support/seeded-numbers.ts'
import type { Area } from '../../geo/polygon-test.ts'
import type { FeatureQuery, VectorStore } from '../store.ts'
import type { MapPoint } from './feature-page-request.ts'
import { readRowsAtPoint } from './rows-at-point.ts'

type Position = [x: number, y: number]

const schema = schemaOf({ n: 'int32' }, 'Point')
const point: MapPoint = { x: 5, y: 5, cell: [0.1, 0.05], tolerance: 4 }

function pointWkb([x, y]: Position): Uint8Array {
  const bytes = Buffer.alloc(21)
  bytes[0] = 1
  bytes.writeUInt32LE(1, 1)
  bytes.writeDoubleLE(x, 5)
  bytes.writeDoubleLE(y, 13)
  return bytes
}

function isIn([x, y]: Position, areas: readonly Area[] | undefined): boolean {
  if (areas === undefined) return true
  return areas.some((area) => x >= area.minX && x <= area.maxX && y >= area.minY && y <= area.maxY)
}

/** Creates a store of points; `hasIndex`: it can estimate their number in a box. */
function storeOf(places: readonly Position[], hasIndex: boolean) {
  const counts = { reads: 0, rows: 0 }
  const store = {
    type: 'GeoPackage',
    estimateRows: async (_table: string, areas: readonly Area[] | undefined) =>
      hasIndex ? places.filter((place) => isIn(place, areas)).length : places.length,
    async *readFeatures({ bboxes }: FeatureQuery) {
      counts.reads += 1
      const found = places.flatMap((place, n) => (isIn(place, bboxes) ? [{ place, n }] : []))
      counts.rows += found.length
      const rows = found.map(({ place, n }) => ({ geometry: pointWkb(place), values: [n] }))
      let at = 0
      for await (const batch of batchesOf(schema, rows)) {
        yield { batch, ids: found.slice(at, at + batch.rowCount).map(({ n }) => String(n)) }
        at += batch.rowCount
      }
    },
  }
  return { store: store as unknown as VectorStore, counts }
}

async function idsAt(store: VectorStore, limit: number): Promise<string[]> {
  const query = { table: 'points', limit, offset: 0 }
  const request = { query, point, crs: 'EPSG:4326', srs: 'EPSG:4326', isYx: false }
  const { signal } = new AbortController()
  const pages = await Array.fromAsync(readRowsAtPoint(store, request, { query, point }, signal))
  return pages.flatMap(({ ids }) => ids)
}

/** Returns the nearest ids within the tolerance; of equally near ones the topmost first. */
function expectedIds(places: readonly Position[], limit: number): string[] {
  const distance = ([x, y]: Position): number => Math.hypot((x - point.x) / 0.1, (y - point.y) / 0.05)
  return places
    .map((place, n) => ({ n, distance: distance(place) }))
    .filter((one) => one.distance <= point.tolerance)
    .sort((a, b) => a.distance - b.distance || b.n - a.n)
    .slice(0, limit)
    .map(({ n }) => String(n))
}

describe('rows at a point of a map', () => {
  const random = seededNumbers(3)
  const crowd = Array.from({ length: 60_000 }, (): Position => [4.5 + random(), 4.5 + random()])

  it('are the nearest ones, of which a crowd is read no further than it has to be', async () => {
    for (const [places, limit, maxRows] of [
      [crowd, 1, 5000],
      [crowd, 50, 5000],
      [crowd.slice(0, 300), 5, 300],
      [crowd.slice(0, 300), 1000, 300],
      [crowd, 500, 2000],
      [crowd, 1000, 25_000],
    ] as const) {
      const { store, counts } = storeOf(places, true)
      assert.deepEqual(await idsAt(store, limit), expectedIds(places, limit))
      assert.ok(counts.rows <= maxRows, `${counts.rows} rows are read for ${limit}`)
    }
  })

  it('are read once where no index tells how many there are', async () => {
    const { store, counts } = storeOf(crowd, false)
    assert.deepEqual(await idsAt(store, 3), expectedIds(crowd, 3))
    assert.equal(counts.reads, 1)
  })

  it('are all of one place in drawing order, the uppermost first', async () => {
    const { store } = storeOf(
      Array.from({ length: 7000 }, (): Position => [5, 5]),
      true,
    )
    assert.deepEqual(await idsAt(store, 3), ['6999', '6998', '6997'])
  })
})
