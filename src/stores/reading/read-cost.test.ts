import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Filter } from '../../filters/filter.ts'
import type { EstimateRows, ReadDemand } from './read-cost.ts'
import { demandOfCount, demandOfPage, demandOfTileRows, isHeavyRead, isHeavyTile } from './read-cost.ts'
import type { TileSource } from './tile-request.ts'

const plain: ReadDemand = { offset: 0, limit: 10, isCounted: false }
const comparison: Filter = { kind: 'true', attribute: 'a' }
function relation(bytes: number): Filter {
  return { kind: 'relation', relation: 's_intersects', wkb: new Uint8Array(bytes), isRowFirst: true }
}
const box = { boxes: [{ minX: 0, minY: 0, maxX: 1, maxY: 1 }], srs: 'EPSG:4326' }

const tableOf =
  (rows: number, inBox = rows): EstimateRows =>
  async (area) =>
    area === undefined ? rows : inBox

const neverRequested: EstimateRows = () => {
  throw new Error('No estimate is needed')
}

describe('the cost of reads', () => {
  it('of a feature, or of a page near the start, needs no estimate', async () => {
    assert.equal(await isHeavyRead(plain, neverRequested), false)
    assert.equal(await isHeavyRead({ ...plain, featureId: '7', filter: comparison }, neverRequested), false)
    assert.equal(await isHeavyRead({ ...plain, featureIds: ['7'] }, neverRequested), false)
  })

  it('of a filter, an order, a time or an offset goes by the rows of the table', async () => {
    const demands: Partial<ReadDemand>[] = [
      { filter: comparison },
      { sort: [{ attribute: 'a', isDescending: false }] },
      { time: { attribute: 'a', from: '2020-01-01' } },
      { offset: 100_000 },
      { limit: 100_000 },
    ]
    for (const demand of demands) {
      assert.equal(await isHeavyRead({ ...plain, ...demand }, tableOf(300_000)), true, JSON.stringify(demand))
      assert.equal(await isHeavyRead({ ...plain, ...demand }, tableOf(3000)), false, JSON.stringify(demand))
    }
  })

  it('of a box goes by the rows in the box', async () => {
    assert.equal(await isHeavyRead({ ...plain, box }, tableOf(300_000, 100)), false)
    assert.equal(await isHeavyRead({ ...plain, box }, tableOf(300_000, 200_000)), true)
    assert.equal(await isHeavyRead({ ...plain, box, filter: comparison }, tableOf(300_000, 100)), false)
  })

  it('of relations of geometries is higher', async () => {
    assert.equal(await isHeavyRead({ ...plain, filter: comparison }, tableOf(10_000)), false)
    assert.equal(await isHeavyRead({ ...plain, filter: relation(21) }, tableOf(10_000)), true)
    const large: Filter = { kind: 'any', of: [relation(1_000_000)] }
    assert.equal(await isHeavyRead({ ...plain, filter: large }, tableOf(100)), true)
  })

  it('of a plain count is lower', async () => {
    assert.equal(await isHeavyRead(demandOfCount({ table: 't' }), tableOf(300_000)), false)
    assert.equal(await isHeavyRead(demandOfCount({ table: 't' }), tableOf(3_000_000)), true)
    assert.equal(await isHeavyRead(demandOfCount({ table: 't', filter: comparison }), tableOf(300_000)), true)
  })

  it('of pages and rows of tiles goes by what they ask', async () => {
    const request = {
      query: { table: 't', limit: 10, offset: 0 },
      srs: 'EPSG:4326',
      isYx: false,
      numberMatched: 9,
    }
    assert.equal(await isHeavyRead(demandOfPage(request), neverRequested), false)
    const filtered = { ...request, filter: { requested: comparison, srs: 'EPSG:4326' } }
    assert.equal(await isHeavyRead(demandOfPage(filtered), tableOf(300_000)), true)
    assert.equal(await isHeavyRead(demandOfTileRows({}), tableOf(300_000)), true)
    assert.equal(await isHeavyRead(demandOfTileRows({ boxes: box.boxes }), tableOf(300_000, 10)), false)
  })

  it('of a tile is high where rows are chosen without an overview', () => {
    const tileSource: TileSource = { table: 't', crs: 'EPSG:4326', name: 'l' }
    assert.equal(isHeavyTile(tileSource), false)
    assert.equal(isHeavyTile({ ...tileSource, thinning: {} }), false)
    assert.equal(isHeavyTile({ ...tileSource, thinning: { cell: 9 } }), true)
    assert.equal(
      isHeavyTile({ ...tileSource, thinning: { cell: 9, overview: { path: 'o', level: 0 } } }),
      false,
    )
  })
})
