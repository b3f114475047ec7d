import { interleaved } from '../generalize/quad-order.ts'
import type { TileAddress } from '../tile-matrix-sets.ts'
import { tileExtent } from '../world.ts'

/**
 * Maximum number of sample points, and of units in a tile, whose numbers fit into one 64-bit float together.
 */
const maxPoints = 2 ** 27
const unitsOfTile = tileExtent ** 2
/** Sums of at least this many units may be rounded to the nearest integer: the error is at most a tenth. */
const fewUnits = 5
/** Steps of an additive recurrence that spreads numbers evenly over a plane (Roberts 2018). */
const [phaseX, phaseY] = [0.7548776662466927, 0.5698402909980532]

/** A sample point within a polygon. */
export interface SampledPoint {
  /** Number of the polygon. */
  feature: number
  /** The unit of the tile that holds the point. */
  unitX: number
  unitY: number
  /** Unique number of the cell that the sample point belongs to. */
  cell: number
  /** True if it is also the sample point of a cell as large as the unit. */
  isOfUnit: boolean
}

/**
 * Measures which part of each unit the polygons of a tile cover, if polygons are much smaller than a unit, by
 * many sample points in each unit. A unit is drawn completely or not at all, so these parts are rounded by
 * error diffusion: along a curve through the tile, each unit passes its rounding error to the next. Thus the
 * number of drawn units equals the covered area, in the tile and in each quarter of it.
 */
export class UnitCoverage {
  readonly #tile: TileAddress
  /** Number of sample points in a unit of a row. */
  readonly #pointsOf: (unitY: number) => number
  /** Sort key of each point: its unit along the curve, a flag for points outside units, its number. */
  readonly #keys: number[] = []
  readonly #features: number[] = []
  readonly #cells: number[] = []
  /** Pairs of a feature and a unit as one number. */
  readonly #drawn: number[] = []
  #next = 0

  constructor(tile: TileAddress, pointsOf: (unitY: number) => number) {
    this.#tile = tile
    this.#pointsOf = pointsOf
  }

  /** Adds a point. Points beyond the edges of the tile belong to other tiles. */
  add({ feature, unitX, unitY, cell, isOfUnit }: SampledPoint): void {
    if (!(unitX >= 0 && unitX < tileExtent && unitY >= 0 && unitY < tileExtent)) return
    const unit = interleaved(unitX, unitY)
    this.#keys.push((unit * 2 + (isOfUnit ? 0 : 1)) * maxPoints + this.#features.length)
    this.#features.push(feature)
    this.#cells.push(cell)
  }

  /** Chooses the units to draw, and a feature for each of them. */
  round(): void {
    const keys = Float64Array.from(this.#keys).sort()
    const starts: number[] = []
    const parts: number[] = []
    let sum = 0
    for (let start = 0, end = 0; start < keys.length; start = end) {
      const unit = unitOf(keys[start] as number)
      while (end < keys.length && unitOf(keys[end] as number) === unit) end += 1
      const part = this.#partOf(keys, start, end, unit)
      starts.push(start)
      parts.push(part)
      sum += part
    }
    starts.push(keys.length)
    const { x, y, z } = this.#tile
    // An equal rounding error in each tile would add up. With few units each tile therefore starts with
    // another remainder.
    let rest = z === 0 || sum >= fewUnits ? 0.5 : (0.5 + x * phaseX + y * phaseY) % 1
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at] as number
      rest += part
      if (part < 1 && rest < 1) continue
      rest -= 1
      const [start, end] = [starts[at] as number, starts[at + 1] as number]
      this.#drawn.push(this.#featureOf(keys, start, end) * unitsOfTile + unitOf(keys[start] as number))
    }
    this.#drawn.sort((one, other) => one - other)
  }

  /**
   * Returns the covered part of a unit, from the points between two indexes. Overlapping polygons may contain
   * the same point.
   */
  #partOf(keys: Float64Array, start: number, end: number, unit: number): number {
    const points = this.#pointsOf(evenBits(unit >>> 1))
    if (end - start === 1) return 1 / points
    const cells = new Set<number>()
    for (let at = start; at < end; at += 1) cells.add(this.#cells[(keys[at] as number) % maxPoints] as number)
    return Math.min(1, cells.size / points)
  }

  /**
   * Returns the feature that contains the sample point of the unit, otherwise the feature of some point, so
   * that each feature represents its area.
   */
  #featureOf(keys: Float64Array, start: number, end: number): number {
    const first = keys[start] as number
    const isOfUnit = Math.floor(first / maxPoints) % 2 === 0
    const chosen = isOfUnit ? 0 : Math.imul(unitOf(first) + 1, 0x9e3779b1) >>> 8
    return this.#features[(keys[start + (chosen % (end - start))] as number) % maxPoints] as number
  }

  /** Visits the units of a feature after `round`. Call it for features in the order of their numbers. */
  unitsOf(feature: number, visit: (unitX: number, unitY: number) => void): void {
    for (; this.#next < this.#drawn.length; this.#next += 1) {
      const pair = this.#drawn[this.#next] as number
      const owner = Math.floor(pair / unitsOfTile)
      if (owner > feature) return
      const unit = pair % unitsOfTile
      if (owner === feature) visit(evenBits(unit), evenBits(unit >>> 1))
    }
  }
}

function unitOf(key: number): number {
  return Math.floor(key / maxPoints / 2)
}

/** Every second bit, from the lowest on. */
function evenBits(bits: number): number {
  let packed = bits & 0x55555555
  packed = (packed | (packed >>> 1)) & 0x33333333
  packed = (packed | (packed >>> 2)) & 0x0f0f0f0f
  packed = (packed | (packed >>> 4)) & 0x00ff00ff
  return (packed | (packed >>> 8)) & 0xffff
}
