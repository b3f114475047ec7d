import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Envelope } from '../../geo/envelope.ts'
import { ceilFloat32, floorFloat32 } from '../../geo/envelope.ts'
import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import { getTileMatrixSet, tileEnvelope } from '../tile-matrix-sets.ts'
import type { FeaturePositions } from './feature-positions.ts'
import { latitudeAt, worldUnits } from './feature-positions.ts'
import type { LayerLevels } from './layer-generalization.ts'
import { findLevels } from './layer-generalization.ts'
import { Overview, writeOverview } from './overview.ts'
import { positionEnvelopesOf } from './position-envelopes.ts'
import { selectTileRows } from './select-rows.ts'
import { cellOf, levelOf, tileRange, widenToCells } from './tile-cells.ts'

const sets: TileMatrixSetId[] = ['WebMercatorQuad', 'WorldCRS84Quad']
const degrees = await positionEnvelopesOf('EPSG:4326')
const metres = await positionEnvelopesOf('EPSG:3857')
const limits = { features: 30 }

/** Returns a generator of numbers from 0 to 1, determined by the seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns boxes of all sizes, some alone, most in clusters; every fifth one a point. */
function crowdedBoxes(seed: number, count: number): Float64Array {
  const next = numbers(seed)
  const crowds = Array.from({ length: 4 }, () => [next() * 350 - 175, next() * 160 - 80] as const)
  const boxes = new Float64Array(count * 4)
  for (let row = 0; row < count; row += 1) {
    const [x0, y0] = crowds[row % 4] as readonly [number, number]
    const spread = next() < 0.2 ? 5 : 0.05
    const x = x0 + (next() - 0.5) * spread
    const y = y0 + (next() - 0.5) * spread
    const half = row % 5 === 0 ? 0 : 10 ** (-1 - next() * 5)
    boxes.set([x - half, y - half, x + half, y + half * next()], row * 4)
  }
  return boxes
}

function boxOf(boxes: Float64Array, row: number): Envelope {
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = boxes.subarray(row * 4, row * 4 + 4)
  return { minX, minY, maxX, maxY }
}

function touches(a: Envelope, b: Envelope): boolean {
  return a.minX <= b.maxX && a.maxX >= b.minX && a.minY <= b.maxY && a.maxY >= b.minY
}

/** Converts a box in units of a set to longitude and latitude. */
function inDegrees(set: TileMatrixSetId, { minX, minY, maxX, maxY }: Envelope): Envelope {
  if (set === 'WorldCRS84Quad') return { minX, minY, maxX, maxY }
  const radius = 6_378_137
  const longitude = (x: number): number => (x / radius / Math.PI) * 180
  const latitude = (y: number): number => (Math.atan(Math.sinh(y / radius)) / Math.PI) * 180
  return { minX: longitude(minX), minY: latitude(minY), maxX: longitude(maxX), maxY: latitude(maxY) }
}

/** Returns the tile with its buffer, in units of the set. */
function buffered(set: TileMatrixSetId, tile: TileAddress): Envelope {
  const { minX, minY, maxX, maxY } = tileEnvelope(getTileMatrixSet(set), tile)
  const margin = (maxX - minX) / 64
  return { minX: minX - margin, minY: minY - margin, maxX: maxX + margin, maxY: maxY + margin }
}

/** Returns the rows that a tile shows, selected from only the surrounding rows. */
function shownInTile(
  boxes: Float64Array,
  levels: LayerLevels,
  set: TileMatrixSetId,
  tile: TileAddress,
  most = 20_000,
): { rows: number[]; thinned: number } {
  const cell = cellOf(levels.thinning, set, tile.z)
  const own = buffered(set, tile)
  const near = inDegrees(set, cell === undefined ? own : widenToCells(set, own, cell))
  const rows = rowsOf(boxes).filter((row) => touches(boxOf(boxes, row), near))
  const positions = degrees(Float64Array.from(rows.flatMap((row) => Object.values(boxOf(boxes, row)))))
  const isTouching = (at: number): boolean => touches(boxOf(boxes, rows[at] as number), inDegrees(set, own))
  const selection = selectTileRows({
    positions: positions,
    isTouching,
    cell,
    range: tileRange(set, tile),
    most,
  })
  return { rows: [...selection.rows].map((at) => rows[at] as number), thinned: selection.thinned }
}

function rowsOf(boxes: Float64Array): number[] {
  return Array.from({ length: boxes.length / 4 }, (_, row) => row)
}

/** Returns the rows shown at a zoom level, by applying the rules row by row. */
function shownByTheRules({ x, y, size, count }: FeaturePositions, cell: number): Set<number> {
  const winners = new Map<string, number>()
  const shown = new Set<number>()
  for (let row = 0; row < count; row += 1) {
    const own = size[row] as number
    if (own >= 2 ** -cell) shown.add(row)
    else {
      const key = [x, y].map((axis) => Math.floor((axis[row] as number) / 2 ** (30 - cell))).join()
      const other = winners.get(key)
      if (other === undefined || own > (size[other] as number)) winners.set(key, row)
    }
  }
  return new Set([...shown, ...winners.values()])
}

/** Number of levels of an overview in these tests. */
const depth = 6

describe('thinning', () => {
  it('gives each feature the first zoom that shows it, as the rules say', () => {
    for (const seed of [1, 2, 3]) {
      const positions = degrees(crowdedBoxes(seed, 1500))
      const { thinning, levels } = findLevels(positions, limits)
      assert.ok(thinning.cells.length > 8, `only ${thinning.cells.length} zooms are thinned`)
      let before = new Set<number>()
      for (const [zoom, cell] of thinning.cells.entries()) {
        const shown = shownByTheRules(positions, cell)
        assert.deepEqual(new Set(rowsWithin(levels, zoom)), shown)
        assert.ok(before.isSubsetOf(shown), `zoom ${zoom} hides what the zoom before shows`)
        assert.ok(cell <= (thinning.cells[zoom + 1] ?? 30), 'cells grow')
        before = shown
      }
      assert.equal(rowsWithin(levels, thinning.cells.length).length, positions.count)
    }
  })

  it('thins a zoom only where one of its tiles is too full, and no more than that needs', () => {
    const boxes = crowdedBoxes(4, 1500)
    const positions = degrees(boxes)
    const { thinning, fullest } = findLevels(positions, limits)
    for (const [zoom, cell] of [...thinning.cells, undefined].entries()) {
      const all = fullestOf(positions, zoom, new Set(rowsOf(boxes)))
      assert.equal(all > limits.features, cell !== undefined)
      if (cell === undefined) continue
      assert.equal(fullest[zoom], all)
      const pixels = zoom + 9 - cell
      const most = fullestOf(positions, zoom, shownByTheRules(positions, cell))
      if (pixels < 3) assert.ok(most <= limits.features)
      if (pixels > 0) {
        assert.ok(fullestOf(positions, zoom, shownByTheRules(positions, cell + 1)) > limits.features)
      }
    }
  })

  it('shows the same in a tile whether all of the layer is known or only what stands around', () => {
    const boxes = crowdedBoxes(5, 700)
    const levels = findLevels(degrees(boxes), limits)
    for (const set of sets) {
      for (let z = 0; z <= levels.thinning.cells.length; z += 1) {
        for (const tile of tilesWithRows(boxes, set, z)) {
          const box = inDegrees(set, buffered(set, tile))
          const expected = rowsWithin(levels.levels, levelOf(set, z)).filter((row) =>
            touches(boxOf(boxes, row), box),
          )
          assert.deepEqual(
            shownInTile(boxes, levels, set, tile).rows,
            expected,
            `${set} ${JSON.stringify(tile)}`,
          )
        }
      }
    }
  })

  it('chooses the same by an overview, and counts the same', () => {
    const boxes = crowdedBoxes(9, 1500)
    const positions = degrees(boxes)
    const levels = findLevels(positions, limits)
    const bytes = writeOverview(
      { ids: (row) => `é${row}`, envelopes: boxes, positions: positions, levels },
      depth,
    )
    const overview = Overview.read(bytes)
    assert.ok(overview !== undefined && overview.header.rows < 400)
    assert.equal(Overview.read(bytes.subarray(0, -1)), undefined)
    assert.equal(Overview.read(bytes.subarray(0, 40)), undefined)
    for (const set of sets) {
      for (let z = 0; levelOf(set, z) < depth; z += 1) {
        for (const tile of tilesWithRows(boxes, set, z)) {
          for (const most of [20_000, 5]) {
            const { rows, thinned } = shownInTile(boxes, levels, set, tile, most)
            const query = { set, tile, boxes: [inDegrees(set, buffered(set, tile))], most }
            assert.deepEqual(overview.select(query), { ids: rows.map((row) => `é${row}`), thinned })
          }
        }
      }
    }
  })

  it('counts each feature that is left out in one tile of a zoom', () => {
    const boxes = crowdedBoxes(6, 700)
    const levels = findLevels(degrees(boxes), limits)
    for (const set of sets) {
      for (let z = 0; z <= levels.thinning.cells.length; z += 1) {
        const counted = tilesWithRows(boxes, set, z).map(
          (tile) => shownInTile(boxes, levels, set, tile).thinned,
        )
        const shown = rowsWithin(levels.levels, levelOf(set, z)).length
        assert.equal(
          counted.reduce((sum, one) => sum + one, 0),
          boxes.length / 4 - shown,
        )
      }
    }
  })

  it('does not depend on whether envelopes are doubles or floats rounded outwards', () => {
    const boxes = crowdedBoxes(7, 2000)
    const rounded = boxes.map((value, at) => (at % 4 < 2 ? floorFloat32(value) : ceilFloat32(value)))
    assert.deepEqual(degrees(rounded), degrees(boxes))
    for (let row = 0; row < 2000; row += 5) assert.equal(degrees(rounded).size[row], 0, 'a point has a size')
  })

  it('never draws more than the most, the largest first and then in the order of keys', () => {
    const positions = degrees(Float64Array.from([0, 0, 2, 2, 0, 0, 1, 1, 0, 0, 9, 9, 0, 0, 1, 1, 0, 0, 0, 0]))
    const request = {
      positions,
      isTouching: () => true,
      cell: undefined,
      range: tileRange('WebMercatorQuad', world),
    }
    assert.deepEqual(selectTileRows({ ...request, most: 3 }), { rows: Uint32Array.of(0, 1, 2), thinned: 2 })
    assert.deepEqual(selectTileRows({ ...request, most: 5 }), {
      rows: Uint32Array.of(0, 1, 2, 3, 4),
      thinned: 0,
    })
  })

  it('thins nothing of a layer without rows, and little of one whose rows all stand in one place', () => {
    assert.deepEqual(findLevels(degrees(new Float64Array(0))).thinning, { cells: [] })
    const here = Float64Array.from({ length: 4000 }, (_, at) => (at % 2 === 0 ? 7.1 : 50.7))
    const { thinning, levels } = findLevels(degrees(here), limits)
    assert.equal(thinning.cells.length, 24)
    assert.deepEqual([levels[0], levels[1], levels[999]], [0, 24, 24])
  })

  it('gives no place to what has none, and takes what reaches off the map for huge', () => {
    const positions = degrees(
      Float64Array.from([
        Number.NaN,
        Number.NaN,
        Number.NaN,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        0,
        Number.NEGATIVE_INFINITY,
        0,
        -180,
        -90,
        180,
        90,
        10,
        90,
        10,
        90,
      ]),
    )
    assert.deepEqual([...positions.size.subarray(0, 2)], [Number.NaN, Number.NaN])
    assert.ok((positions.size[2] as number) >= 1)
    assert.equal(positions.size[3], 0)
    const { levels, thinning } = findLevels(degrees(new Float64Array(400).fill(Number.NaN)), limits)
    assert.deepEqual(thinning, { cells: [] })
    assert.equal(Math.max(...levels), 0)
  })

  it('takes places beyond the antimeridian for those that they are drawn at', () => {
    const { x } = degrees(
      Float64Array.from([200, 1, 200, 1, -160, 1, -160, 1, -200, 1, -200, 1, 160, 1, 160, 1]),
    )
    assert.equal(x[0], x[1])
    assert.equal(x[2], x[3])
  })

  it('has the same places for degrees and for metres of web mercator', () => {
    const radius = 6_378_137
    const boxes = crowdedBoxes(8, 500).map((value) => Math.fround(value))
    const inMetres = boxes.map((value, at) => {
      const radians = (value * Math.PI) / 180
      return radius * (at % 2 === 0 ? radians : Math.asinh(Math.tan(radians)))
    })
    const [a, b] = [degrees(boxes), metres(inMetres)]
    for (let row = 0; row < 500; row += 1) {
      const off = Math.max(
        Math.abs((a.x[row] as number) - (b.x[row] as number)),
        Math.abs((a.y[row] as number) - (b.y[row] as number)),
      )
      assert.ok(off < 200, `row ${row} is ${off} units off`)
    }
  })
})

const world = { z: 0, x: 0, y: 0 }

function rowsWithin(levels: Uint8Array, zoom: number): number[] {
  return [...levels.keys()].filter((row) => (levels[row] as number) <= zoom)
}

function fullestOf({ x, y }: FeaturePositions, zoom: number, rows: Set<number>): number {
  const tiles = new Map<string, number>()
  for (const row of rows) {
    const key = [x, y].map((axis) => Math.floor((axis[row] as number) / 2 ** (30 - zoom))).join()
    tiles.set(key, (tiles.get(key) ?? 0) + 1)
  }
  return Math.max(0, ...tiles.values())
}

/** Returns each tile that contains a reference point, once. */
function tilesWithRows(boxes: Float64Array, set: TileMatrixSetId, z: number): TileAddress[] {
  const { x, y, count } = degrees(boxes)
  const wide = 2 ** levelOf(set, z)
  const tiles = new Map<string, TileAddress>()
  for (let row = 0; row < count; row += 1) {
    const right = (x[row] as number) / worldUnits - 1
    const down = (y[row] as number) / worldUnits - 1
    const rows = set === 'WebMercatorQuad' ? down * wide : ((90 - latitudeAt(down)) / 360) * wide
    const tile = { z, x: Math.floor(right * wide), y: Math.floor(rows) }
    tiles.set(`${tile.x} ${tile.y}`, tile)
  }
  return [...tiles.values()]
}
