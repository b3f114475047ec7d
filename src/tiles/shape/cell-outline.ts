import { nest } from './trace-rings.ts'
import { WholeRings } from './whole-rings.ts'

/** Directions on the screen, clockwise. */
const [rightward, downward, leftward] = [0, 1, 2]
const stepX = [1, 0, -1, 0] as const
const stepY = [0, 1, 0, -1] as const

/** Positions of the edges of columns and rows, in units of the tile. */
export interface CellEdges {
  xOf(column: number): number
  yOf(row: number): number
}

/** Traces the rings around some cells of a grid. Cells that touch only at a corner are separate polygons. */
export class CellOutline {
  /** Result of the last `trace`. */
  rings = new WholeRings()
  #loose = new WholeRings()
  #left = 0
  #top = 0
  #columns = 0
  #rows = 0
  /** Number of added cells, each counted once. */
  count = 0
  /** Range of columns and rows that may contain cells. */
  #minX = 0
  #minY = 0
  #maxX = 0
  #maxY = 0
  /** 1 for each cell, row by row, with a margin of one empty cell on each side. */
  #cells = new Uint8Array(64)
  /** 1 for each cell whose upper edge is part of a traced ring. */
  #passed = new Uint8Array(64)
  readonly #edgesX: number[] = []
  readonly #edgesY: number[] = []
  readonly #wayX: number[] = []
  readonly #wayY: number[] = []

  /** Removes all cells and sets the range of columns and rows for new ones. */
  begin(left: number, top: number, right: number, bottom: number): void {
    this.#left = left
    this.#top = top
    this.#columns = right - left + 1
    this.#rows = bottom - top + 1
    this.count = 0
    this.#minX = this.#minY = Number.POSITIVE_INFINITY
    this.#maxX = this.#maxY = Number.NEGATIVE_INFINITY
    const size = (this.#columns + 2) * (this.#rows + 2)
    if (size > this.#cells.length) {
      this.#cells = new Uint8Array(size)
      this.#passed = new Uint8Array(size)
    } else this.#cells.fill(0, 0, size)
  }

  add(column: number, row: number): void {
    this.#cells[(row - this.#top + 1) * (this.#columns + 2) + column - this.#left + 1] = 1
    this.count += 1
    if (column < this.#minX) this.#minX = column
    if (column > this.#maxX) this.#maxX = column
    if (row < this.#minY) this.#minY = row
    if (row > this.#maxY) this.#maxY = row
  }

  /** Traces the rings; `edges` converts cells to tile units. Skips rows without height. */
  trace(edges: CellEdges): WholeRings {
    const isBox = this.count === (this.#maxX - this.#minX + 1) * (this.#maxY - this.#minY + 1)
    return isBox ? this.#box(edges) : this.#outline(edges)
  }

  #box(edges: CellEdges): WholeRings {
    const { rings } = this
    const [left, right] = [edges.xOf(this.#minX), edges.xOf(this.#maxX + 1)]
    const [top, bottom] = [edges.yOf(this.#minY), edges.yOf(this.#maxY + 1)]
    if (top < bottom) rings.setToBox(left, top, right, bottom)
    else rings.clear()
    return rings
  }

  #outline({ xOf, yOf }: CellEdges): WholeRings {
    const [edgesX, edgesY] = [this.#edgesX, this.#edgesY]
    for (let column = 0; column <= this.#columns; column += 1) edgesX[column] = xOf(this.#left + column)
    for (let row = 0; row <= this.#rows; row += 1) edgesY[row] = yOf(this.#top + row)
    this.#dropFlatRows()
    this.#passed.fill(0, 0, (this.#columns + 2) * (this.#rows + 2))
    const loose = this.#loose
    loose.clear()
    const stride = this.#columns + 2
    let hasHoles = false
    for (let row = 0; row < this.#rows; row += 1)
      for (let column = 0; column < this.#columns; column += 1) {
        const at = (row + 1) * stride + column + 1
        if (this.#cells[at] === 0 || this.#cells[at - stride] === 1 || this.#passed[at] === 1) continue
        if (this.#follow(column, row)) hasHoles = true
      }
    if (hasHoles) nest(loose, this.rings)
    else [this.rings, this.#loose] = [loose, this.rings]
    return this.rings
  }

  /** Removes rows without height, so that the rows above and below become adjacent. */
  #dropFlatRows(): void {
    const stride = this.#columns + 2
    const [cells, edges] = [this.#cells, this.#edgesY]
    let kept = 0
    for (let row = 0; row < this.#rows; row += 1) {
      if ((edges[row + 1] as number) <= (edges[row] as number)) continue
      if (kept < row) {
        cells.copyWithin((kept + 1) * stride, (row + 1) * stride, (row + 2) * stride)
        edges[kept] = edges[row] as number
      }
      edges[kept + 1] = edges[row + 1] as number
      kept += 1
    }
    if (kept < this.#rows) cells.fill(0, (kept + 1) * stride, (kept + 2) * stride)
    this.#rows = kept
  }

  /**
   * Follows a ring that starts at the upper edge of a cell, with cells on its right. Returns true for a hole.
   */
  #follow(column: number, row: number): boolean {
    const stride = this.#columns + 2
    const cells = this.#cells
    let [x, y, direction] = [column, row, rightward]
    let hasHoles = false
    do {
      if (this.#corner(x, y)) hasHoles = true
      let isStraight = true
      while (isStraight) {
        if (direction === rightward) this.#passed[(y + 1) * stride + x + 1] = 1
        x += stepX[direction] as number
        y += stepY[direction] as number
        // Indexes of the two cells beyond this corner: on the right, and on the left of the path.
        const ahead = (y + (direction === rightward || direction === downward ? 1 : 0)) * stride + x
        const right = ahead + (direction === rightward || direction === 3 ? 1 : 0)
        const left =
          direction === rightward
            ? right - stride
            : direction === downward
              ? right + 1
              : direction === leftward
                ? right + stride
                : right - 1
        if (cells[right] === 0) direction = (direction + 1) & 3
        else if (cells[left] === 1) direction = (direction + 3) & 3
        else continue
        isStraight = false
      }
    } while (x !== column || y !== row || direction !== rightward)
    return this.#close(0) || hasHoles
  }

  /** Adds a corner. A path that returns to a corner closes a ring there. */
  #corner(x: number, y: number): boolean {
    const [wayX, wayY] = [this.#wayX, this.#wayY]
    let isHole = false
    for (let at = wayX.length - 4; at >= 0; at -= 1)
      if (wayX[at] === x && wayY[at] === y) {
        isHole = this.#close(at)
        break
      }
    wayX.push(x)
    wayY.push(y)
    return isHole
  }

  #close(from: number): boolean {
    const [wayX, wayY, loose] = [this.#wayX, this.#wayY, this.#loose]
    loose.reserve(wayX.length - from)
    for (let at = from; at < wayX.length; at += 1)
      loose.add(this.#edgesX[wayX[at] as number] as number, this.#edgesY[wayY[at] as number] as number)
    wayX.length = from
    wayY.length = from
    const ring = loose.count
    return loose.endRing(ring) && (loose.areas[ring] as number) < 0
  }
}
