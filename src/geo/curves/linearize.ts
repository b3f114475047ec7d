import { GeometryError } from '../wkb.ts'
import type { CurveTree } from './curve-tree.ts'
import { circularString, linearTypeCode } from './curve-tree.ts'

/** Arcs become lines of at most four degrees each, as GDAL and PostGIS draw them. */
const degreesOfStep = 4
const radiansOfStep = (degreesOfStep * Math.PI) / 180

/** The same geometry of straight lines. Throws `GeometryError` where parts do not fit together. */
export function linearize(tree: CurveTree): CurveTree {
  const typeCode = linearTypeCode(tree.typeCode)
  if ('positions' in tree) {
    const positions = tree.typeCode === circularString ? arcPositions(tree.positions) : tree.positions
    return { typeCode, positions }
  }
  if (typeCode === 2) return { typeCode, positions: joined(tree.parts) }
  if (typeCode === 3) return { typeCode, parts: tree.parts.map(ring) }
  return { typeCode, parts: tree.parts.map(linearize) }
}

function ring(tree: CurveTree): CurveTree {
  const line = linearize(tree)
  if ('positions' in line) return line
  throw new GeometryError('A ring is not a line')
}

/** Joins the parts of a compound curve, with shared positions once. */
function joined(parts: readonly CurveTree[]): number[][] {
  const all: number[][] = []
  for (const part of parts) {
    const line = linearize(part)
    if (!('positions' in line)) throw new GeometryError('A part of a curve is not a line')
    const [first] = line.positions
    const last = all.at(-1)
    if (first === undefined) continue
    const isMet = last !== undefined && first[0] === last[0] && first[1] === last[1]
    if (last !== undefined && !isMet) throw new GeometryError('The parts of a curve do not meet')
    all.push(...(isMet ? line.positions.slice(1) : line.positions))
  }
  return all
}

/** Three positions make an arc, its last is the first of the next. */
function arcPositions(positions: readonly number[][]): number[][] {
  if (positions.length === 0) return []
  if (positions.length < 3 || positions.length % 2 === 0) {
    throw new GeometryError(
      `A circular string has ${positions.length} positions; an odd number from 3 on is needed`,
    )
  }
  const all = [positions[0] as number[]]
  for (let at = 0; at + 2 < positions.length; at += 2) {
    appendArc(all, positions[at] as number[], positions[at + 1] as number[], positions[at + 2] as number[])
  }
  return all
}

function appendArc(all: number[][], start: number[], middle: number[], end: number[]): void {
  const center = centerOf(start, middle, end)
  if (center === undefined) {
    all.push(middle, end)
    return
  }
  const isLeft = turn(start, middle, end) > 0 || isCircle(start, end)
  appendSweep(all, center, start, middle, isLeft)
  appendSweep(all, center, middle, end, isLeft)
}

function isCircle(start: readonly number[], end: readonly number[]): boolean {
  return start[0] === end[0] && start[1] === end[1]
}

type Position = [x: number, y: number]

function place([x = Number.NaN, y = Number.NaN]: readonly number[]): Position {
  return [x, y]
}

/** Positive if the path from a through b to c turns left. */
function turn(a: readonly number[], b: readonly number[], c: readonly number[]): number {
  const [[ax, ay], [bx, by], [cx, cy]] = [place(a), place(b), place(c)]
  return (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
}

/**
 * Returns the centre of the circle through three positions, a full circle if first and last are equal;
 * undefined for a line.
 */
function centerOf(a: readonly number[], b: readonly number[], c: readonly number[]): Position | undefined {
  const [[ax, ay], [bx, by], [cx, cy]] = [place(a), place(b), place(c)]
  if (isCircle(a, c)) return isCircle(a, b) ? undefined : [(ax + bx) / 2, (ay + by) / 2]
  const [ux, uy, vx, vy] = [bx - ax, by - ay, cx - ax, cy - ay]
  const area = 2 * (ux * vy - uy * vx)
  const [u, v] = [ux * ux + uy * uy, vx * vx + vy * vy]
  if (Math.abs(area) <= 1e-12 * Math.max(u, v)) return undefined
  return [ax + (vy * u - uy * v) / area, ay + (ux * v - vx * u) / area]
}

/** Appends the positions after `from` up to `to`; ordinates besides x and y are interpolated by angle. */
function appendSweep(all: number[][], center: Position, from: number[], to: number[], isLeft: boolean): void {
  const [[fromX, fromY], [toX, toY], [x, y]] = [place(from), place(to), center]
  const begin = Math.atan2(fromY - y, fromX - x)
  let sweep = Math.atan2(toY - y, toX - x) - begin
  if (isLeft && sweep < 0) sweep += 2 * Math.PI
  if (!isLeft && sweep > 0) sweep -= 2 * Math.PI
  const radius = Math.hypot(fromX - x, fromY - y)
  const steps = Math.max(1, Math.ceil(Math.abs(sweep) / radiansOfStep - 1e-9))
  for (let step = 1; step < steps; step += 1) {
    const part = step / steps
    const angle = begin + sweep * part
    const rest = from.slice(2).map((ordinate, index) => ordinate + ((to[index + 2] ?? 0) - ordinate) * part)
    all.push([x + radius * Math.cos(angle), y + radius * Math.sin(angle), ...rest])
  }
  all.push(to)
}
