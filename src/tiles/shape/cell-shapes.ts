import { latitudeAt, worldExponent, worldY } from '../generalize/feature-positions.ts'
import type { UnitBox } from '../generalize/sample-points.ts'
import { cachedPointWithin, isSamplePointOf, samplePointWithin } from '../generalize/sample-points.ts'
import { levelOf } from '../generalize/tile-cells.ts'
import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import { tileBuffer, tileExtent } from '../world.ts'
import { CellOutline } from './cell-outline.ts'
import type { ClipBox } from './clip.ts'
import { Paths } from './paths.ts'
import { boundsOfAll, shapeBounds } from './shape-writer.ts'
import { UnitCoverage } from './unit-coverage.ts'
import type { WholeRings } from './whole-rings.ts'

/**
 * Rings shorter than this many cells are drawn as cells. Where an exact ring meets others drawn as cells,
 * part of a cell stays empty or is drawn twice, which matters less for larger rings.
 */
const sampledCells = 4
/** Polygons further than this many worlds from the tile are not drawn. */
const reachedWorlds = 4
const unitHalvings = Math.log2(tileExtent)
const unitsOfWorld = 2 ** worldExponent

/**
 * Representation of a row: unchanged; some of its rings as cells, in `rings`; only as cells, in `outline` or
 * in `rings`; omitted; or as the units that are known when all rows are read.
 */
export type Sampled = 'none' | 'some' | 'outline' | 'rings' | 'nothing' | 'units'

/**
 * Grid of cells by which the polygons of a tile are sampled. Cells are squares in Web Mercator; in a tile in
 * degrees they have the same width and a smaller height. Their edges are whole units of the tile. Cells
 * smaller than a unit measure which part of each unit is covered.
 */
export class CellGrid {
  /** Rings of the row that was last passed to `sample`. */
  readonly rings = new Paths()
  /** Outline of the cells of the row that was last passed to `sample`. */
  outline: WholeRings
  /** Set if cells are smaller than a unit. */
  readonly coverage: UnitCoverage | undefined
  readonly #cells = new CellOutline()
  readonly #isMercator: boolean
  readonly #isWorld: boolean
  /** Exponents of the drawn and of the sampled cells. */
  readonly #exponent: number
  readonly #sampleExponent: number
  /** Sampled cells in the width of one that is drawn. */
  readonly #parts: number
  /** Start of the tile, in its units from the western and the northern edge of the world. */
  readonly #left: number
  readonly #top: number
  readonly #worldWidth: number
  readonly #worldHeight: number
  /** Width of a cell in tile units. */
  readonly #width: number
  /** Number of drawn cells in the height of the world. */
  readonly #cellsOfWorld: number
  /** Cells of `worldExponent` in a unit of the tile. */
  readonly #perUnit: number
  #part = 0
  readonly #point = { x: 0, y: 0 }
  /** Envelope of the sampled rings, in cells of `worldExponent`. */
  readonly #box: UnitBox = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  /** Sampled cells that these rings may touch. */
  readonly #range: UnitBox = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  readonly #cellEdges = {
    xOf: (column: number) => column * this.#width - this.#left,
    yOf: (row: number) => Math.max(-tileBuffer, Math.min(tileExtent + tileBuffer, this.#edge(row))),
  }
  readonly #unitEdges = { xOf: (column: number) => column, yOf: (row: number) => row }

  constructor(set: TileMatrixSetId, tile: TileAddress, exponent: number) {
    const { z, x, y } = tile
    const level = levelOf(set, z)
    this.#isMercator = set === 'WebMercatorQuad'
    this.#isWorld = level === 0
    this.#sampleExponent = exponent
    this.#exponent = Math.min(exponent, level + unitHalvings)
    this.#parts = 2 ** (exponent - this.#exponent)
    this.#left = x * tileExtent
    this.#top = y * tileExtent
    this.#worldWidth = 2 ** level * tileExtent
    this.#worldHeight = 2 ** z * tileExtent
    this.#cellsOfWorld = 2 ** this.#exponent
    this.#width = this.#worldWidth / this.#cellsOfWorld
    this.#perUnit = unitsOfWorld / this.#worldWidth
    this.outline = this.#cells.rings
    if (this.#parts > 1) this.coverage = new UnitCoverage(tile, (unitY) => this.#pointsInUnit(unitY))
  }

  /**
   * Replaces each ring shorter than `sampledCells` by the cells whose sample points it contains: small
   * polygons with their holes, and small holes of large ones. Thus a hole and a polygon that fills it have
   * the same cells.
   */
  sample(source: Paths, feature: number): Sampled {
    const bounds = boundsOfAll(source)
    const isSmall = this.#isSmall(bounds)
    if (isSmall && this.coverage !== undefined) return this.#addUnits(source, bounds, feature)
    if (isSmall && this.#isInside(bounds)) return this.#sampleSmall(source, bounds)
    if (!isSmall && !this.#hasSmall(source)) return 'none'
    return this.#sampleRings(source)
  }

  /** Returns the outline of the units of a row, after `coverage.round`; undefined if the row has none. */
  outlineOfUnits(feature: number): WholeRings | undefined {
    const units: [number, number][] = []
    this.coverage?.unitsOf(feature, (x, y) => units.push([x, y]))
    if (units.length === 0) return undefined
    const [xs, ys] = [units.map(([x]) => x), units.map(([, y]) => y)]
    this.#cells.begin(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys))
    for (const [x, y] of units) this.#cells.add(x, y)
    return this.#cells.trace(this.#unitEdges)
  }

  /** Samples a row of small polygons that are near each other, as the outline of its cells. */
  #sampleSmall(source: Paths, bounds: ClipBox): Sampled {
    const { count, parts } = source
    const cells = this.#cells
    this.#findRange(bounds, this.#exponent)
    const { minX, minY, maxX, maxY } = this.#range
    cells.begin(minX, minY, maxX, maxY)
    for (let ring = 0, end = 0; ring < count; ring = end) {
      end = ring + 1
      while (end < count && parts[end] === parts[ring]) end += 1
      if (end - ring < count) this.#findRange(shapeBounds(source, ring), this.#exponent)
      this.#addTo(cells, source, ring, end)
    }
    if (cells.count === 0) return 'nothing'
    this.outline = cells.trace(this.#cellEdges)
    return 'outline'
  }

  #addTo(cells: CellOutline, source: Paths, ring: number, end: number): void {
    const { minX, minY, maxX, maxY } = this.#range
    for (let row = minY; row <= maxY; row += 1)
      for (let column = minX; column <= maxX; column += 1)
        if (this.#isHit(source, ring, end, column, row, this.#exponent)) cells.add(column, row)
  }

  /** Adds the sample points of a row with polygons of at most some units to `coverage`. */
  #addUnits(source: Paths, bounds: ClipBox, feature: number): Sampled {
    const { coverage } = this
    const exponent = this.#sampleExponent
    if (coverage === undefined || !this.#isNear(bounds)) return 'nothing'
    this.#findRange(bounds, exponent)
    const { minX, minY, maxX, maxY } = this.#range
    let isHit = false
    for (let row = minY; row <= maxY; row += 1)
      for (let column = minX; column <= maxX; column += 1) {
        if (!this.#isHit(source, 0, source.count, column, row, exponent)) continue
        isHit = true
        const cell = (column - this.#left * this.#parts) * 2 ** 31 + row
        coverage.add({
          feature,
          cell,
          unitX: this.#wrapped(Math.floor(column / this.#parts) - this.#left),
          unitY: this.#unitRowOf(row),
          isOfUnit: isSamplePointOf(column, row, exponent, this.#exponent),
        })
      }
    return isHit ? 'units' : 'nothing'
  }

  /** False if the cells are so far away that 64-bit floats cannot distinguish them. */
  #isNear({ minX, minY }: ClipBox): boolean {
    const reach = this.#worldWidth * reachedWorlds
    return Math.abs(minX) < reach && Math.abs(minY) < reach
  }

  /** Maps an x position to the world in which locations do not repeat. */
  #wrapped(unitX: number): number {
    return unitX - Math.floor(unitX / this.#worldWidth) * this.#worldWidth
  }

  #hasSmall(source: Paths): boolean {
    for (let ring = 0; ring < source.count; ring += 1)
      if (this.#isSmall(shapeBounds(source, ring))) return true
    return false
  }

  #isSmall({ minX, minY, maxX, maxY }: ClipBox): boolean {
    if (!(maxX - minX < this.#width * sampledCells)) return false
    if (this.#isMercator) return maxY - minY < this.#width * sampledCells
    return this.#rowOf(maxY) - this.#rowOf(minY) < sampledCells
  }

  /**
   * True if cells that touch the box neither extend beyond the tile with its buffer on the left or right nor
   * wrap around.
   */
  #isInside({ minX, maxX }: ClipBox): boolean {
    const reach = this.#isWorld ? -tileBuffer : tileBuffer
    const left = Math.floor((minX + this.#left) / this.#width) * this.#width - this.#left
    const right = (Math.floor((maxX + this.#left) / this.#width) + 1) * this.#width - this.#left
    return left >= -reach && right <= tileExtent + reach
  }

  #sampleRings(source: Paths): Sampled {
    const { rings } = this
    const { count, parts } = source
    let sampled: Sampled = 'rings'
    rings.clear()
    this.#part = 0
    for (let ring = 0, end = 0; ring < count; ring = end) {
      end = ring + 1
      while (end < count && parts[end] === parts[ring]) end += 1
      const bounds = shapeBounds(source, ring)
      if (this.#isSmall(bounds)) this.#addCells(source, ring, end, bounds, true)
      else {
        sampled = 'some'
        this.#addLarge(source, ring, end)
      }
    }
    return rings.count === 0 ? 'nothing' : sampled
  }

  #addLarge(source: Paths, outer: number, end: number): void {
    for (let ring = outer; ring < end; ring += 1) {
      const bounds = shapeBounds(source, ring)
      if (ring > outer && this.#isSmall(bounds)) this.#addCells(source, ring, ring + 1, bounds, false)
      else {
        for (let at = source.start(ring); at < (source.ends[ring] as number); at += 1)
          this.rings.add(source.xs[at] as number, source.ys[at] as number)
        this.rings.endPath(this.#part)
      }
    }
    this.#part += 1
  }

  /**
   * Adds the cells whose sample points are within the rings of one polygon; each is a polygon of its own, or
   * a hole of this one.
   */
  #addCells(source: Paths, ring: number, to: number, bounds: ClipBox, isPart: boolean): void {
    this.#findRange(bounds, this.#exponent)
    const { minX, minY, maxX, maxY } = this.#range
    for (let row = minY; row <= maxY; row += 1) {
      let from = minX
      for (let column = minX; column <= maxX + 1; column += 1) {
        if (column <= maxX && this.#isHit(source, ring, to, column, row, this.#exponent)) continue
        if (from < column && this.#addBox(from, column, row) && isPart) this.#part += 1
        from = column + 1
      }
    }
  }

  /** Adds the cells of one row from column `from` to column `to`; returns false if the row has no height. */
  #addBox(from: number, to: number, row: number): boolean {
    const { rings } = this
    const [top, bottom] = [this.#edge(row), this.#edge(row + 1)]
    if (top >= bottom) return false
    const [left, right] = [from * this.#width - this.#left, to * this.#width - this.#left]
    rings.add(left, top)
    rings.add(right, top)
    rings.add(right, bottom)
    rings.add(left, bottom)
    rings.endPath(this.#part)
    return true
  }

  /** Sets `#box`, and `#range` for cells of an exponent. */
  #findRange({ minX, minY, maxX, maxY }: ClipBox, exponent: number): void {
    const [box, range] = [this.#box, this.#range]
    box.minX = (minX + this.#left) * this.#perUnit
    box.maxX = (maxX + this.#left) * this.#perUnit
    box.minY = this.#downTo(minY) * unitsOfWorld
    box.maxY = this.#downTo(maxY) * unitsOfWorld
    const cells = exponent === this.#exponent ? this.#cellsOfWorld : 2 ** exponent
    const side = unitsOfWorld / cells
    range.minX = Math.floor(box.minX / side)
    range.maxX = Math.floor(box.maxX / side)
    range.minY = Math.floor(box.minY / side)
    range.maxY = Math.floor(box.maxY / side)
  }

  /** True if the sample point of a cell is inside rings of `#box`. */
  #isHit(source: Paths, from: number, to: number, column: number, row: number, exponent: number): boolean {
    const point = this.#point
    const isFound =
      exponent === this.#exponent
        ? cachedPointWithin(column, row, exponent, this.#box, point)
        : samplePointWithin(column, row, exponent, this.#box, point)
    if (!isFound) return false
    const x = (point.x / unitsOfWorld) * this.#worldWidth - this.#left
    return isWithin(source, from, to, x, this.#heightOf(point.y / unitsOfWorld))
  }

  /** Returns the fraction of the world's height in Web Mercator that is above a y position of the tile. */
  #downTo(y: number): number {
    const down = (y + this.#top) / this.#worldHeight
    return this.#isMercator ? down : worldY(90 - down * 180)
  }

  /** Returns the row of cells at a y position of the tile, with the fraction of the row above it. */
  #rowOf(y: number): number {
    return this.#downTo(y) * this.#cellsOfWorld
  }

  #edge(row: number): number {
    return Math.round(this.#heightOf(row / this.#cellsOfWorld))
  }

  /**
   * Returns the distance from the upper edge of the tile, in units, of a fraction of the world's height in
   * Web Mercator.
   */
  #heightOf(down: number): number {
    const share = this.#isMercator ? down : (90 - latitudeAt(down)) / 180
    return share * this.#worldHeight - this.#top
  }

  /** Returns the row of units that contains the middle of a row of sampled cells. */
  #unitRowOf(row: number): number {
    return Math.floor(this.#heightOf((row + 0.5) / 2 ** this.#sampleExponent))
  }

  /** Returns the number of sampled cells in a unit of a row. */
  #pointsInUnit(unitY: number): number {
    if (this.#isMercator) return this.#parts ** 2
    const rowAt = (y: number): number => Math.ceil(this.#downTo(y) * 2 ** this.#sampleExponent - 0.5)
    return this.#parts * Math.max(1, rowAt(unitY + 1) - rowAt(unitY))
  }
}

/** True if a location is inside an odd number of the rings. */
function isWithin(rings: Paths, from: number, to: number, x: number, y: number): boolean {
  const { xs, ys } = rings
  let isInside = false
  for (let ring = from; ring < to; ring += 1) {
    const end = rings.ends[ring] as number
    for (let at = rings.start(ring), before = end - 1; at < end; before = at, at += 1) {
      const [y0, y1] = [ys[before] as number, ys[at] as number]
      if (y0 > y === y1 > y) continue
      const [x0, x1] = [xs[before] as number, xs[at] as number]
      if (x < x0 + ((y - y0) / (y1 - y0)) * (x1 - x0)) isInside = !isInside
    }
  }
  return isInside
}
