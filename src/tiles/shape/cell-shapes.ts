import { latitudeAt, worldExponent, worldY } from '../thin/places.ts'
import { samplePoint } from '../thin/sample-points.ts'
import { levelOf } from '../thin/tile-cells.ts'
import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import { tileExtent } from '../tile-units.ts'
import type { ClipBox } from './clip.ts'
import { Paths } from './paths.ts'
import { boundsOf } from './shape-writer.ts'

/**
 * Rings shorter than this many cells are drawn as cells. Where an exact ring meets others drawn as cells,
 * part of a cell stays empty or is drawn twice, which matters less for larger rings.
 */
const sampledCells = 4

/** How much of a row is drawn as cells: nothing; some of its rings; all of it. */
export type Sampled = 'none' | 'some' | 'all'

/**
 * Grid for sampling the polygons of a tile. Cells are squares in Web Mercator; in a tile in degrees they have
 * the same width and a smaller height. Their edges are integers in tile units.
 */
export class CellGrid {
  /** Rings of the last sampled row; if empty, other rows represent it. */
  readonly rings = new Paths()
  readonly #isMercator: boolean
  readonly #exponent: number
  /** Offset of the tile, in its units, from the western and the northern edge of the world. */
  readonly #left: number
  readonly #top: number
  readonly #worldWidth: number
  readonly #worldHeight: number
  /** Width of a cell in tile units. */
  readonly #width: number
  #part = 0
  readonly #point = { x: 0, y: 0 }

  constructor(set: TileMatrixSetId, { z, x, y }: TileAddress, exponent: number) {
    this.#isMercator = set === 'WebMercatorQuad'
    this.#exponent = exponent
    this.#left = x * tileExtent
    this.#top = y * tileExtent
    this.#worldWidth = 2 ** levelOf(set, z) * tileExtent
    this.#worldHeight = 2 ** z * tileExtent
    this.#width = this.#worldWidth / 2 ** exponent
  }

  /**
   * Replaces each ring shorter than `sampledCells` by the cells whose sample points it contains: small
   * polygons with their holes, and small holes of large ones. Thus a hole and a polygon that fills it have
   * the same cells.
   */
  sample(source: Paths): Sampled {
    if (!this.#hasSmall(source)) return 'none'
    const { rings } = this
    const { count, parts } = source
    let sampled: Sampled = 'all'
    rings.clear()
    this.#part = 0
    for (let ring = 0, end = 0; ring < count; ring = end) {
      end = ring + 1
      while (end < count && parts[end] === parts[ring]) end += 1
      const bounds = boundsOf(source, ring)
      if (this.#isSmall(bounds)) this.#addCells(source, ring, end, bounds, true)
      else {
        sampled = 'some'
        this.#addLarge(source, ring, end)
      }
    }
    return sampled
  }

  #hasSmall(source: Paths): boolean {
    for (let ring = 0; ring < source.count; ring += 1) if (this.#isSmall(boundsOf(source, ring))) return true
    return false
  }

  #isSmall({ minX, minY, maxX, maxY }: ClipBox): boolean {
    if (!(maxX - minX < this.#width * sampledCells)) return false
    if (this.#isMercator) return maxY - minY < this.#width * sampledCells
    return this.#rowOf(maxY) - this.#rowOf(minY) < sampledCells
  }

  #addLarge(source: Paths, outer: number, end: number): void {
    for (let ring = outer; ring < end; ring += 1) {
      const bounds = boundsOf(source, ring)
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
    const { minX, minY, maxX, maxY } = bounds
    const left = Math.floor((minX + this.#left) / this.#width)
    const right = Math.floor((maxX + this.#left) / this.#width)
    const bottom = Math.floor(this.#rowOf(maxY))
    for (let row = Math.floor(this.#rowOf(minY)); row <= bottom; row += 1) {
      const [top, end] = [this.#edge(row), this.#edge(row + 1)]
      let from = left
      for (let column = left; column <= right + 1; column += 1) {
        if (column <= right && this.#isHit(source, ring, to, column, row, bounds)) continue
        if (from < column && top < end) {
          this.#addBox(from, column, top, end)
          if (isPart) this.#part += 1
        }
        from = column + 1
      }
    }
  }

  #isHit(source: Paths, from: number, to: number, column: number, row: number, bounds: ClipBox): boolean {
    const { x, y } = this.#pointOf(column, row)
    const { minX, minY, maxX, maxY } = bounds
    return x >= minX && x <= maxX && y >= minY && y <= maxY && isWithin(source, from, to, x, y)
  }

  /** Adds cells of one row between two columns. */
  #addBox(from: number, to: number, top: number, bottom: number): void {
    const { rings } = this
    const [left, right] = [from * this.#width - this.#left, to * this.#width - this.#left]
    rings.add(left, top)
    rings.add(right, top)
    rings.add(right, bottom)
    rings.add(left, bottom)
    rings.endPath(this.#part)
  }

  /** Returns the row of cells at a y position of the tile, with the fraction of the row above it. */
  #rowOf(y: number): number {
    const down = (y + this.#top) / this.#worldHeight
    return (this.#isMercator ? down : worldY(90 - down * 180)) * 2 ** this.#exponent
  }

  #edge(row: number): number {
    return Math.round(this.#heightOf(row / 2 ** this.#exponent))
  }

  /**
   * Returns the distance from the upper edge of the tile, in units, of a fraction of the world's height in
   * Web Mercator.
   */
  #heightOf(down: number): number {
    const share = this.#isMercator ? down : (90 - latitudeAt(down)) / 180
    return share * this.#worldHeight - this.#top
  }

  #pointOf(column: number, row: number): { x: number; y: number } {
    const point = this.#point
    samplePoint(column, row, this.#exponent, point)
    point.x = (point.x / 2 ** worldExponent) * this.#worldWidth - this.#left
    point.y = this.#heightOf(point.y / 2 ** worldExponent)
    return point
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
