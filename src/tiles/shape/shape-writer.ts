import type { ProtobufWriter } from '../protobuf.ts'
import { tileBuffer, tileExtent } from '../world.ts'
import type { ClipBox } from './clip.ts'
import { clipLine, clipRing } from './clip.ts'
import { CommandWriter } from './commands.ts'
import { Paths } from './paths.ts'
import { areSimple } from './simple-rings.ts'
import { simplifyLast } from './simplify.ts'
import { snapEdges } from './snap-edges.ts'
import { traceRings } from './trace-rings.ts'
import { roundRings, WholeRings } from './whole-rings.ts'

/** The visible area of a tile including its buffer. */
const clipBox: ClipBox = {
  minX: -tileBuffer,
  minY: -tileBuffer,
  maxX: tileExtent + tileBuffer,
  maxY: tileExtent + tileBuffer,
}

/**
 * Outcome of a shape: drawn unchanged; as the smallest visible shape at its position, since nothing else would remain; as cells of
 * the sampling grid of the tile; omitted, since others represent it; undecided until others are read; outside the tile; or
 * invalid.
 */
export type Drawn = 'whole' | 'collapsed' | 'enlarged' | 'thinned' | 'waiting' | 'outside' | 'invalid'

export function isDrawn(outcome: Drawn): boolean {
  return outcome === 'whole' || outcome === 'collapsed' || outcome === 'enlarged'
}

/** Returns the outcome of a polygon that is drawn as cells. */
export function asEnlarged(drawn: Drawn): Drawn {
  return drawn === 'whole' ? 'enlarged' : drawn
}

const round = (value: number): number => Math.floor(value + 0.5)
/** Positions of written points. */
const keyOf = (x: number, y: number): number => (x + tileBuffer) * 8192 + y + tileBuffer

/** Writes geometries in tile units as commands: clipped, simplified, rounded, valid. */
export class ShapeWriter {
  readonly #commands: CommandWriter
  readonly #clipped = new Paths()
  #rings = new WholeRings()
  #traced = new WholeRings()
  #xs = new Int32Array(256)
  #ys = new Int32Array(256)
  /** Tile units after which locations repeat; whether the world is a single tile. */
  #turn: number
  #isWorld: boolean
  /**
   * True if polygons preserve their area on average: the smallest are drawn if rounding leaves a part of
   * them.
   */
  keepsArea = false

  constructor(target: ProtobufWriter, turn: number, isWorld: boolean) {
    this.#commands = new CommandWriter(target)
    this.#turn = turn
    this.#isWorld = isWorld
  }

  /** Starts another tile. */
  begin(turn: number, isWorld: boolean): void {
    this.#turn = turn
    this.#isWorld = isWorld
    this.keepsArea = false
  }

  /** Number of vertices of the last geometry. */
  get vertices(): number {
    return this.#commands.vertices
  }

  points(points: Paths): Drawn {
    this.#commands.begin()
    const { xs, ys, length } = points
    let count = 0
    const seen = length > 1 ? new Set<number>() : undefined
    for (let at = 0; at < length; at += 1) {
      const [first, last] = this.#copies(xs[at] as number, xs[at] as number)
      for (let copy = first; copy <= last; copy += 1) {
        const x = round((xs[at] as number) + copy * this.#turn)
        const y = round(ys[at] as number)
        if (y < clipBox.minY || y > clipBox.maxY || x < clipBox.minX || x > clipBox.maxX) continue
        const key = keyOf(x, y)
        if (seen?.has(key) === true) continue
        seen?.add(key)
        this.#reserve(count + 1)
        this.#xs[count] = x
        this.#ys[count] = y
        count += 1
      }
    }
    if (count === 0) return 'outside'
    this.#commands.points(this.#xs, this.#ys, count)
    return 'whole'
  }

  lines(lines: Paths): Drawn {
    this.#commands.begin()
    this.#clip(lines, false)
    const clipped = this.#clipped
    let isDrawn = false
    for (let path = 0; path < clipped.count; path += 1) {
      const count = this.#roundLine(clipped, path)
      if (count < 2) continue
      this.#commands.line(this.#xs, this.#ys, 0, count)
      isDrawn = true
    }
    if (isDrawn) return 'whole'
    return clipped.count === 0 ? 'outside' : this.#smallestLine()
  }

  polygons(source: Paths): Drawn {
    this.#commands.begin()
    const hasCopies = this.#clip(source, true)
    if (this.#clipped.count === 0) return 'outside'
    roundRings(this.#clipped, this.#rings)
    if (this.#rings.count === 0 && this.#clipped.count === source.count) return this.#smallestPolygon()
    let rings = this.#rings
    if (hasCopies || rings.count === 0 || !areSimple(rings)) {
      const edges = snapEdges(this.#clipped)
      if (edges === undefined) return 'invalid'
      traceRings(edges, this.#traced)
      rings = this.#traced
    }
    if (rings.count === 0) return this.#smallestPolygon()
    this.#writeRings(rings)
    return 'whole'
  }

  /** Valid rings within the tile and its buffer. */
  outline(rings: WholeRings): Drawn {
    this.#commands.begin()
    this.#writeRings(rings)
    return rings.count === 0 ? 'outside' : 'whole'
  }

  #writeRings(rings: WholeRings): void {
    let start = 0
    for (let ring = 0; ring < rings.count; ring += 1) {
      const isOuter = ring === 0 || rings.parts[ring] !== rings.parts[ring - 1]
      this.#commands.ring(rings, ring, start, isOuter)
      start = rings.ends[ring] as number
    }
  }

  /** Returns the range of turns whose copies of an interval are visible in the tile. */
  #copies(minX: number, maxX: number): [number, number] {
    const { minX: left, maxX: right } = clipBox
    if (minX >= left && maxX <= right && !this.#isWorld) return [0, 0]
    const [from, to] = this.#isWorld ? [0, tileExtent] : [left, right]
    const first = Math.max(-2, Math.ceil((from - maxX) / this.#turn))
    const last = Math.min(2, Math.floor((to - minX) / this.#turn))
    return this.#isWorld && maxX >= left && minX <= right
      ? [Math.min(first, 0), Math.max(last, 0)]
      : [first, last]
  }

  /**
   * Collects the visible part of paths, simplified; returns true if some of it is a copy from beyond the
   * antimeridian.
   */
  #clip(source: Paths, isRing: boolean): boolean {
    const clipped = this.#clipped
    clipped.clear()
    let hasCopies = false
    for (let path = 0; path < source.count; path += 1) {
      const box = shapeBounds(source, path)
      if (box.maxY < clipBox.minY || box.minY > clipBox.maxY) continue
      const [first, last] = this.#copies(box.minX, box.maxX)
      for (let copy = first; copy <= last; copy += 1) {
        hasCopies ||= copy !== 0
        this.#clipPath(source, path, copy * this.#turn, box, isRing)
      }
    }
    return hasCopies
  }

  #clipPath(source: Paths, path: number, shift: number, box: ClipBox, isRing: boolean): void {
    const clipped = this.#clipped
    const before = clipped.count
    const isWithin =
      box.minX + shift >= clipBox.minX &&
      box.maxX + shift <= clipBox.maxX &&
      box.minY >= clipBox.minY &&
      box.maxY <= clipBox.maxY
    if (isWithin) copyPath(source, path, shift, clipped)
    else if (isRing) clipRing(source, path, shift, clipBox, clipped)
    else clipLine(source, path, shift, clipBox, clipped)
    if (clipped.count === before + 1) simplifyLast(clipped, isRing)
  }

  #roundLine({ xs, ys, ends }: Paths, path: number): number {
    const start = path === 0 ? 0 : (ends[path - 1] as number)
    const end = ends[path] as number
    this.#reserve(end - start)
    let count = 0
    for (let at = start; at < end; at += 1) {
      const x = round(xs[at] as number)
      const y = round(ys[at] as number)
      if (count > 0 && this.#xs[count - 1] === x && this.#ys[count - 1] === y) continue
      this.#xs[count] = x
      this.#ys[count] = y
      count += 1
    }
    return count
  }

  /**
   * Draws one unit from the nearest position in the direction of the largest extent of the line, so that the
   * error is less than a unit.
   */
  #smallestLine(): Drawn {
    const { xs, ys, ends } = this.#clipped
    const [x, y] = [round(xs[0] as number), round(ys[0] as number)]
    let [most, stepX, stepY] = [-1, 0, 0]
    for (let at = 0; at < (ends[0] as number); at += 1) {
      const [dx, dy] = [(xs[at] as number) - x, (ys[at] as number) - y]
      if (Math.max(Math.abs(dx), Math.abs(dy)) <= most) continue
      most = Math.max(Math.abs(dx), Math.abs(dy))
      const isLevel = Math.abs(dx) === most
      stepX = isLevel ? stepWithin(x, dx) : 0
      stepY = isLevel ? 0 : stepWithin(y, dy)
    }
    this.#xs.set([x, x + stepX])
    this.#ys.set([y, y + stepY])
    this.#commands.line(this.#xs, this.#ys, 0, 2)
    return 'collapsed'
  }

  #smallestPolygon(): Drawn {
    const { minX, minY, maxX, maxY } = boundsOfAll(this.#clipped)
    const rings = this.#rings
    rings.clear()
    const isLong = maxX - minX > 2 || maxY - minY > 2
    const isOnEdge =
      maxX <= clipBox.minX || minX >= clipBox.maxX || maxY <= clipBox.minY || minY >= clipBox.maxY
    if (this.keepsArea && !isLong) return 'thinned'
    if (this.keepsArea && isOnEdge) return 'outside'
    if (isLong) this.#thicken(maxX - minX >= maxY - minY)
    if (rings.count === 0) {
      const [x, y] = [startOfUnit((minX + maxX) / 2), startOfUnit((minY + maxY) / 2)]
      for (let corner = 0; corner < 4; corner += 1) {
        rings.add(x + (corner === 1 || corner === 2 ? 1 : 0), y + (corner >= 2 ? 1 : 0))
      }
      rings.endRing(0)
    }
    this.#writeRings(rings)
    return 'collapsed'
  }

  /** Draws a polygon longer and thinner than a unit one unit thick. */
  #thicken(isLevel: boolean): void {
    const source = this.#clipped
    const thick = new Paths()
    let [first, last] = [0, 0]
    const along = isLevel ? source.xs : source.ys
    const end = source.ends[0] as number
    for (let at = 1; at < end; at += 1) {
      if ((along[at] as number) < (along[first] as number)) first = at
      if ((along[at] as number) > (along[last] as number)) last = at
    }
    const way: [number, number][] = []
    for (let at = first; ; at = at + 1 === end ? 0 : at + 1) {
      way.push([startOfUnit(source.xs[at] as number), startOfUnit(source.ys[at] as number)])
      if (at === last) break
    }
    for (const [x, y] of way) thick.add(x, y)
    for (const [x, y] of way.toReversed()) thick.add(isLevel ? x : x + 1, isLevel ? y + 1 : y)
    thick.endPath(0)
    const edges = snapEdges(thick)
    if (edges !== undefined) traceRings(edges, this.#rings)
  }

  #reserve(count: number): void {
    if (count <= this.#xs.length) return
    const [xs, ys] = [new Int32Array(count * 2), new Int32Array(count * 2)]
    xs.set(this.#xs)
    ys.set(this.#ys)
    this.#xs = xs
    this.#ys = ys
  }
}

/** Returns the start of the unit that contains a position, within the tile and its buffer. */
function startOfUnit(value: number): number {
  return Math.min(Math.max(Math.floor(value), -tileBuffer), tileExtent + tileBuffer - 1)
}

/** Returns one unit in a direction, or in the opposite one at the edge of the tile and its buffer. */
function stepWithin(from: number, direction: number): 1 | -1 {
  if (from <= -tileBuffer) return 1
  return direction < 0 || from >= tileExtent + tileBuffer ? -1 : 1
}

function copyPath(source: Paths, path: number, shift: number, target: Paths): void {
  const start = source.start(path)
  const end = source.ends[path] as number
  target.reserve(end - start)
  for (let at = start; at < end; at += 1)
    target.add((source.xs[at] as number) + shift, source.ys[at] as number)
  target.endPath(source.parts[path] as number)
}

const bounds: ClipBox = { minX: 0, minY: 0, maxX: 0, maxY: 0 }

/** Bounds of the positions of one path; the result is overwritten by the next call. */
export function shapeBounds(source: Paths, path: number): ClipBox {
  return boundsBetween(source, source.start(path), source.ends[path] as number)
}

/** Bounds of the positions of all paths; the result is overwritten by the next call. */
export function boundsOfAll(source: Paths): ClipBox {
  return boundsBetween(source, 0, source.length)
}

function boundsBetween({ xs, ys }: Paths, start: number, end: number): ClipBox {
  let minX = Number.POSITIVE_INFINITY
  let minY = Number.POSITIVE_INFINITY
  let maxX = Number.NEGATIVE_INFINITY
  let maxY = Number.NEGATIVE_INFINITY
  for (let at = start; at < end; at += 1) {
    const x = xs[at] as number
    const y = ys[at] as number
    if (x < minX) minX = x
    if (x > maxX) maxX = x
    if (y < minY) minY = y
    if (y > maxY) maxY = y
  }
  bounds.minX = minX
  bounds.minY = minY
  bounds.maxX = maxX
  bounds.maxY = maxY
  return bounds
}
