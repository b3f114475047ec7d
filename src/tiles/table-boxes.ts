import type { CrsDeclaration } from '../geo/crs.ts'
import type { Reprojector } from '../geo/crs-projector.ts'
import type { Envelope } from '../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../geo/envelope.ts'
import type { TileAddress, TileMatrixSet } from './tile-matrix-sets.ts'
import { tileEnvelope } from './tile-matrix-sets.ts'
import { tileBuffer, tileExtent, worldOf } from './world.ts'

/** Options of `tableBoxes`. */
export interface TableBoxOptions {
  set: TileMatrixSet
  /** Box in the units of the set: that of a tile (`bufferedEnvelope`), or a larger one. */
  box: Envelope
  /** CRS of the table. */
  crs: CrsDeclaration | string
  /** Transforms from the CRS of the set to that of the table. */
  toTable: Reprojector
  /** Extent of the rows of the table, if known: boxes outside of it are omitted. */
  extent?: Envelope | undefined
}

/** Used if the image of a tile is unknown: any row may be in it. */
const everywhere: Envelope = { minX: -1e15, minY: -1e15, maxX: 1e15, maxY: 1e15 }

/** Share by which a box is enlarged, since its edges may bend between the transformed points. */
const bendShare = 0.01

/**
 * Below this zoom level tiles are so large that a projection may go to infinity within one, between the
 * sampled points.
 */
const largeZoom = 2.9

/** From this zoom level on tiles are so small that sampling their edge is sufficient. */
const smallZoom = 5.9

/** Returns a tile with its buffer, in the CRS of its set; it exceeds the world at the world's edges. */
export function bufferedEnvelope(set: TileMatrixSet, tile: TileAddress): Envelope {
  const { minX, minY, maxX, maxY } = tileEnvelope(set, tile)
  const margin = ((maxX - minX) * tileBuffer) / tileExtent
  return { minX: minX - margin, minY: minY - margin, maxX: maxX + margin, maxY: maxY + margin }
}

/**
 * Returns disjoint boxes, in the CRS of a table, that touch all rows that a box of a tile matrix set may
 * show. The box is densified before it is projected. If x repeats there are several boxes, since rows may be
 * on either side of the antimeridian or continue beyond it. Returns no box if the box cannot be projected.
 */
export async function tableBoxes({ set, box, crs, toTable, extent }: TableBoxOptions): Promise<Envelope[]> {
  const { kind, turn } = worldOf(crs, set)
  const image = kind === 'set' ? box : await imageOf(box, toTable, set, turn)
  if (image === undefined) return []
  const boxes = turn === undefined ? [image] : wound(image, turn)
  return extent === undefined ? boxes : boxes.filter((one) => areTouching(one, extent))
}

function areTouching(a: Envelope, b: Envelope): boolean {
  return a.minX <= b.maxX && a.maxX >= b.minX && a.minY <= b.maxY && a.maxY >= b.minY
}

/**
 * Returns the box, and its copies one turn to the west and to the east, within the range of coordinates: a
 * turn from 0 on each side.
 */
function wound(box: Envelope, turn: number): Envelope[] {
  if (box === everywhere) return [box]
  const found: Envelope[] = []
  for (const shift of [-turn, 0, turn]) {
    const minX = Math.max(box.minX + shift, -turn)
    const maxX = Math.min(box.maxX + shift, turn)
    if (minX > maxX) continue
    const before = found.at(-1)
    if (before !== undefined && minX <= before.maxX) before.maxX = maxX
    else found.push({ ...box, minX, maxX })
  }
  return found
}

/** Returns undefined if no location of the box can be transformed. */
async function imageOf(
  box: Envelope,
  toTable: Reprojector,
  set: TileMatrixSet,
  turn: number | undefined,
): Promise<Envelope | undefined> {
  const z = Math.log2((set.bounds.maxY - set.bounds.minY) / (box.maxY - box.minY))
  const points = densified(isDegrees(set) ? withinPoles(box) : box, z)
  const before = points.slice()
  await transformAll(toTable, points)
  const image = emptyEnvelope()
  let isPart = false
  for (let at = 0; at < points.length; at += 3) {
    const y = points[at + 1] as number
    const requested = ((before[at] as number) / (set.bounds.maxX - set.bounds.minX)) * (turn ?? 0)
    const x = turn === undefined ? (points[at] as number) : nearest(points[at] as number, requested, turn)
    if (!(Math.abs(x) < 1e15 && Math.abs(y) < 1e15)) {
      isPart = true
      continue
    }
    image.minX = Math.min(image.minX, x)
    image.minY = Math.min(image.minY, y)
    image.maxX = Math.max(image.maxX, x)
    image.maxY = Math.max(image.maxY, y)
  }
  if (isEmptyEnvelope(image)) return undefined
  if (isPart ? z < smallZoom : turn === undefined && z < largeZoom) return everywhere
  return widened(image, isPart ? 1 : bendShare)
}

function isDegrees({ bounds }: TileMatrixSet): boolean {
  return bounds.maxY === 90
}

/** Most projections exclude the poles. */
function withinPoles(box: Envelope): Envelope {
  const most = 89.999999
  return { ...box, minY: Math.max(box.minY, -most), maxY: Math.min(box.maxY, most) }
}

/** Returns the equivalent of `x`, by full turns, that is nearest to the original location. */
function nearest(x: number, requested: number, turn: number): number {
  return x + Math.round((requested - x) / turn) * turn
}

function widened({ minX, minY, maxX, maxY }: Envelope, share: number): Envelope {
  const dx = (maxX - minX) * share
  const dy = (maxY - minY) * share
  return { minX: minX - dx, minY: minY - dy, maxX: maxX + dx, maxY: maxY + dy }
}

/** Returns points on the edge of a box, for a large one also inside, in the form for a reprojector. */
function densified({ minX, minY, maxX, maxY }: Envelope, z: number): Float64Array {
  const steps = z < 3 ? 32 : z < 8 ? 16 : 6
  const isFilled = z < smallZoom
  const points = new Float64Array((isFilled ? (steps + 1) ** 2 : steps * 4) * 3)
  let at = 0
  for (let i = 0; i <= steps; i += 1) {
    const step = isFilled || i === 0 || i === steps ? 1 : steps
    for (let j = 0; j <= steps; j += step, at += 3) {
      points[at] = minX + ((maxX - minX) * i) / steps
      points[at + 1] = minY + ((maxY - minY) * j) / steps
    }
  }
  return points
}

async function transformAll({ transformPlace, transform }: Reprojector, points: Float64Array): Promise<void> {
  if (transformPlace === undefined) return await transform(points)
  const position = { x: 0, y: 0 }
  for (let at = 0; at < points.length; at += 3) {
    position.x = points[at] as number
    position.y = points[at + 1] as number
    transformPlace(position, 0)
    points[at] = position.x
    points[at + 1] = position.y
  }
}
