import { latitudeAt, worldExponent, worldY } from '../thin/places.ts'
import { samplePoint } from '../thin/sample-points.ts'
import { levelOf } from '../thin/tile-cells.ts'
import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import { tileBuffer, tileExtent } from '../tile-units.ts'
import type { Paths } from './paths.ts'

/** A cell by its column and row among those of the world. */
export interface Cell {
  column: number
  row: number
}

/** Whole units of a tile. */
export interface CellBox {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

const first = -tileBuffer
const last = tileExtent + tileBuffer
/** Turns of the world in both directions in which features may stand. */
const mostTurns = 2

/**
 * The cells by which the polygons of a tile are sampled. Cells are squares of web mercator; in a tile of degrees they are as wide
 * and less high, with edges on whole units.
 */
export class CellGrid {
  readonly #isMercator: boolean
  readonly #exponent: number
  /** Where the tile begins, in units of tiles of its zoom from the western and the northern edge of the world. */
  readonly #left: number
  readonly #top: number
  readonly #worldWidth: number
  readonly #worldHeight: number
  /** Units of the tile in the width of a cell. */
  readonly width: number
  readonly #isWorld: boolean
  readonly #point = { x: 0, y: 0 }

  constructor(set: TileMatrixSetId, { z, x, y }: TileAddress, exponent: number) {
    this.#isMercator = set === 'WebMercatorQuad'
    this.#exponent = exponent
    this.#left = x * tileExtent
    this.#top = y * tileExtent
    this.#worldWidth = 2 ** levelOf(set, z) * tileExtent
    this.#worldHeight = 2 ** z * tileExtent
    this.width = this.#worldWidth / 2 ** exponent
    this.#isWorld = this.#worldWidth === tileExtent
  }

  /** Whether a box in units of the tile is smaller than a cell. */
  isSmall({ minX, minY, maxX, maxY }: CellBox): boolean {
    if (!(maxX - minX < this.width)) return false
    if (this.#isMercator) return maxY - minY < this.width
    return this.#worldRow(maxY) - this.#worldRow(minY) < 1
  }

  /** The cells whose sample points lie within rings that reach to the edges of the box. */
  findCells(rings: Paths, { minX, minY, maxX, maxY }: CellBox): Cell[] {
    const cells: Cell[] = []
    const [left, right] = [this.#column(minX), this.#column(maxX)]
    const [top, bottom] = [Math.floor(this.#worldRow(minY)), Math.floor(this.#worldRow(maxY))]
    for (let row = top; row <= bottom; row += 1)
      for (let column = left; column <= right; column += 1) {
        const { x, y } = this.#pointOf(column, row)
        if (x >= minX && x <= maxX && y >= minY && y <= maxY && isWithin(rings, x, y))
          cells.push({ column, row })
      }
    return cells
  }

  /** What a cell covers of the tile with its buffer, once for each turn of the world that it is seen at. */
  *boxesOf({ column, row }: Cell): Generator<CellBox> {
    const minX = Math.round(column * this.width) - this.#left
    const maxX = Math.round((column + 1) * this.width) - this.#left
    const minY = Math.max(first, this.#edge(row))
    const maxY = Math.min(last, this.#edge(row + 1))
    if (minY >= maxY) return
    for (let turn = -mostTurns; turn <= mostTurns; turn += 1) {
      const shift = turn * this.#worldWidth
      const [from, to] = this.#isWorld && turn !== 0 ? [0, tileExtent] : [first, last]
      if (minX + shift >= to || maxX + shift <= from) continue
      yield { minX: Math.max(first, minX + shift), maxX: Math.min(last, maxX + shift), minY, maxY }
    }
  }

  #column(x: number): number {
    return Math.floor((x + this.#left) / this.width)
  }

  /** The row of cells at a height of the tile, with the part of it above. */
  #worldRow(y: number): number {
    const down = (y + this.#top) / this.#worldHeight
    return (this.#isMercator ? down : worldY(90 - down * 180)) * 2 ** this.#exponent
  }

  #edge(row: number): number {
    return Math.round(this.#height(row / 2 ** this.#exponent))
  }

  /** Units of the tile below its upper edge of a part of the world's height in web mercator. */
  #height(down: number): number {
    const share = this.#isMercator ? down : (90 - latitudeAt(down)) / 180
    return share * this.#worldHeight - this.#top
  }

  #pointOf(column: number, row: number): { x: number; y: number } {
    const point = this.#point
    samplePoint(column, row, this.#exponent, point)
    point.x = (point.x / 2 ** worldExponent) * this.#worldWidth - this.#left
    point.y = this.#height(point.y / 2 ** worldExponent)
    return point
  }
}

/** Whether a place lies within an odd number of rings. */
function isWithin(rings: Paths, x: number, y: number): boolean {
  const { xs, ys } = rings
  let isInside = false
  for (let ring = 0; ring < rings.count; ring += 1) {
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
