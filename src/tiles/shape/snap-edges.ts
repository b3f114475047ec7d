import type { Paths } from './paths.ts'

/**
 * Edges of rings on integers that only meet at their ends, by snap rounding (Hobby 1999): every position and
 * every crossing makes its unit square hot, and an edge goes through the center of each hot square that it
 * passes.
 */
export interface SnappedEdges {
  /** Positions of the hot squares, sorted by x, then y. */
  xs: Int32Array
  ys: Int32Array
  /** Vertex indexes of each edge, the lower one first, and its polygon index. */
  from: Uint32Array
  to: Uint32Array
  part: Uint32Array
  count: number
}

/** Maximum number of compared pairs of edges per geometry. */
const maxPairs = 10_000_000
/**
 * Maximum number of crossings per geometry, and additional ones per edge: a valid geometry only has crossings
 * caused by simplification, and each splits two edges into four.
 */
const maxCrossings = 30_000
const maxCrossingsOfEdge = 4
const least = -70
const columns = 4310
/** Ranges of the integers of a tile in columns and rows. */
const rows = 8192

/** Returns undefined if it would take too long, or if positions are outside of a tile. */
export function snapEdges(rings: Paths): SnappedEdges | undefined {
  const edges = collectEdges(rings)
  const crossings = findCrossings(edges)
  if (crossings === undefined) return undefined
  const squares = hotSquares(edges, crossings)
  if (squares === undefined) return undefined
  return joinEdges(edges, squares)
}

interface Edges {
  x0: Float64Array
  y0: Float64Array
  x1: Float64Array
  y1: Float64Array
  part: Uint32Array
  count: number
}

function collectEdges(rings: Paths): Edges {
  const size = rings.length
  const edges: Edges = {
    x0: new Float64Array(size),
    y0: new Float64Array(size),
    x1: new Float64Array(size),
    y1: new Float64Array(size),
    part: new Uint32Array(size),
    count: size,
  }
  for (let ring = 0; ring < rings.count; ring += 1) {
    const start = rings.start(ring)
    const end = rings.ends[ring] as number
    for (let at = start; at < end; at += 1) {
      const next = at + 1 === end ? start : at + 1
      edges.x0[at] = rings.xs[at] as number
      edges.y0[at] = rings.ys[at] as number
      edges.x1[at] = rings.xs[next] as number
      edges.y1[at] = rings.ys[next] as number
      edges.part[at] = rings.parts[ring] as number
    }
  }
  return edges
}

const round = (value: number): number => Math.floor(value + 0.5)

/** Returns the squares of crossings of edges, as keys. */
function findCrossings(edges: Edges): number[] | undefined {
  const { x0, y0, x1, y1, count } = edges
  const left = Float64Array.from({ length: count }, (_, edge) =>
    Math.min(x0[edge] as number, x1[edge] as number),
  )
  const order = Uint32Array.from({ length: count }, (_, edge) => edge).sort(
    (a, b) => (left[a] as number) - (left[b] as number),
  )
  const found: number[] = []
  const most = maxCrossings + count * maxCrossingsOfEdge
  let rest = maxPairs
  for (let i = 0; i < count; i += 1) {
    const a = order[i] as number
    const right = Math.max(x0[a] as number, x1[a] as number)
    const top = Math.min(y0[a] as number, y1[a] as number)
    const bottom = Math.max(y0[a] as number, y1[a] as number)
    for (let j = i + 1; j < count; j += 1) {
      const b = order[j] as number
      if ((left[b] as number) > right) break
      rest -= 1
      if (rest < 0) return undefined
      const by0 = y0[b] as number
      const by1 = y1[b] as number
      if ((by0 < top && by1 < top) || (by0 > bottom && by1 > bottom)) continue
      const crossing = crossingOf(edges, a, b)
      if (crossing !== undefined) found.push(crossing)
      if (found.length > most) return undefined
    }
  }
  return found
}

function crossingOf({ x0, y0, x1, y1 }: Edges, a: number, b: number): number | undefined {
  const ax = x0[a] as number
  const ay = y0[a] as number
  const bx = x0[b] as number
  const by = y0[b] as number
  const adx = (x1[a] as number) - ax
  const ady = (y1[a] as number) - ay
  const bdx = (x1[b] as number) - bx
  const bdy = (y1[b] as number) - by
  const across = adx * bdy - ady * bdx
  if (across === 0) return undefined
  const alongA = ((bx - ax) * bdy - (by - ay) * bdx) / across
  const alongB = ((bx - ax) * ady - (by - ay) * adx) / across
  if (!(alongA >= 0 && alongA <= 1 && alongB >= 0 && alongB <= 1)) return undefined
  return keyOf(round(ax + alongA * adx), round(ay + alongA * ady))
}

function keyOf(x: number, y: number): number {
  return (x - least) * rows + (y - least)
}

interface Squares {
  xs: Int32Array
  ys: Int32Array
  /** Index of the first square of each column. */
  columnStarts: Uint32Array
}

function hotSquares({ x0, y0, count }: Edges, crossings: number[]): Squares | undefined {
  const keys = new Int32Array(count + crossings.length)
  for (let edge = 0; edge < count; edge += 1) {
    const [x, y] = [round(x0[edge] as number), round(y0[edge] as number)]
    if (!isNearTile(x) || !isNearTile(y)) return undefined
    keys[edge] = keyOf(x, y)
  }
  keys.set(crossings, count)
  keys.sort()
  let kept = 0
  for (let at = 0; at < keys.length; at += 1) {
    if (at > 0 && keys[at] === keys[at - 1]) continue
    keys[kept] = keys[at] as number
    kept += 1
  }
  const xs = new Int32Array(kept)
  const ys = new Int32Array(kept)
  const columnStarts = new Uint32Array(columns + 2)
  for (let at = 0; at < kept; at += 1) {
    const key = keys[at] as number
    xs[at] = Math.floor(key / rows) + least
    ys[at] = (key % rows) + least
    const column = Math.floor(key / rows) + 1
    columnStarts[column] = (columnStarts[column] as number) + 1
  }
  for (let at = 1; at < columnStarts.length; at += 1) {
    columnStarts[at] = (columnStarts[at] as number) + (columnStarts[at - 1] as number)
  }
  return { xs, ys, columnStarts }
}

function isNearTile(value: number): boolean {
  return value >= least && value < least + columns
}

/**
 * Routes edges through the hot squares. Parts of edges that a polygon contains an even number of times cancel
 * out.
 */
function joinEdges(edges: Edges, squares: Squares): SnappedEdges | undefined {
  const size = squares.xs.length
  const parts = edges.part.reduce((most, part) => Math.max(most, part), 0) + 1
  if (size * size * parts > Number.MAX_SAFE_INTEGER) return undefined
  const keys: number[] = []
  for (let edge = 0; edge < edges.count; edge += 1) {
    const part = edges.part[edge] as number
    let before = -1
    eachSquare(edges, edge, squares, (square) => {
      if (before >= 0 && square !== before) {
        keys.push((Math.min(before, square) * size + Math.max(before, square)) * parts + part)
      }
      before = square
    })
  }
  return oddOnes(Float64Array.from(keys).sort(), squares, parts)
}

function oddOnes(keys: Float64Array, { xs, ys }: Squares, parts: number): SnappedEdges {
  const size = xs.length
  const from = new Uint32Array(keys.length)
  const to = new Uint32Array(keys.length)
  const part = new Uint32Array(keys.length)
  let count = 0
  for (let at = 0; at < keys.length; ) {
    const key = keys[at] as number
    let next = at + 1
    while (next < keys.length && keys[next] === key) next += 1
    if ((next - at) % 2 === 1) {
      const pair = Math.floor(key / parts)
      part[count] = key % parts
      from[count] = Math.floor(pair / size)
      to[count] = pair % size
      count += 1
    }
    at = next
  }
  return { xs, ys, from, to, part, count }
}

/** Visits the hot squares that an edge passes, in its direction. */
function eachSquare(edges: Edges, edge: number, squares: Squares, visit: (square: number) => void): void {
  const x0 = edges.x0[edge] as number
  const y0 = edges.y0[edge] as number
  const x1 = edges.x1[edge] as number
  const y1 = edges.y1[edge] as number
  const first = round(x0)
  const last = round(x1)
  const step = last >= first ? 1 : -1
  const slope = x1 === x0 ? 0 : (y1 - y0) / (x1 - x0)
  const isDown = y1 >= y0
  for (let column = first; ; column += step) {
    const enterX = column === first ? x0 : column - step * 0.5
    const leaveX = column === last ? x1 : column + step * 0.5
    const enter = column === first ? round(y0) : round(y0 + (enterX - x0) * slope)
    const leave = column === last ? round(y1) : round(y0 + (leaveX - x0) * slope)
    visitColumn(squares, column, enter, leave, isDown, visit)
    if (column === last) return
  }
}

function visitColumn(
  { ys, columnStarts }: Squares,
  column: number,
  enter: number,
  leave: number,
  isDown: boolean,
  visit: (square: number) => void,
): void {
  const start = columnStarts[column - least] as number
  const end = columnStarts[column - least + 1] as number
  const [top, bottom] = [Math.min(enter, leave), Math.max(enter, leave)]
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ys[middle] as number) < top) low = middle + 1
    else high = middle
  }
  let past = low
  while (past < end && (ys[past] as number) <= bottom) past += 1
  if (isDown) for (let at = low; at < past; at += 1) visit(at)
  else for (let at = past - 1; at >= low; at -= 1) visit(at)
}
