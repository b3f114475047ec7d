import type { CrsDeclaration } from '../geo/crs.ts'
import type { Envelope } from '../geo/envelope.ts'
import { emptyEnvelope, isEmptyEnvelope } from '../geo/envelope.ts'
import type { Reprojector } from '../geo/reprojector.ts'
import type { TileAddress, TileMatrixSet } from './tile-matrix-sets.ts'
import { tileEnvelope } from './tile-matrix-sets.ts'
import { tileBuffer, tileExtent } from './tile-units.ts'
import { worldOf } from './world.ts'

/** What `tableBoxes` asks for. */
export interface TableBoxWish {
  set: TileMatrixSet
  /** In the units of the set: that of a tile (`bufferedEnvelope`), or a larger one. */
  box: Envelope
  /** Of the table. */
  crs: CrsDeclaration | string
  /** From the CRS of the set to that of the table. */
  toTable: Reprojector
  /** Where the table has rows, as far as it is known: boxes beside it are left out. */
  extent?: Envelope | undefined
}

/** Where the image of a tile is not known: every row may be in it. */
const everywhere: Envelope = { minX: -1e15, minY: -1e15, maxX: 1e15, maxY: 1e15 }

/** By which share a box is made larger, since its edges may bend between the points that are transformed. */
const bendShare = 0.01

/** Below this zoom tiles are so large that a projection may go to infinity within one, between the points looked at. */
const largeZoom = 2.9

/** From this zoom on tiles are so small that the inside of their image tells nothing that its edge does not. */
const smallZoom = 5.9

/** A tile with its buffer, in the CRS of its set; it reaches beyond the world at the world's edges. */
export function bufferedEnvelope(set: TileMatrixSet, tile: TileAddress): Envelope {
  const { minX, minY, maxX, maxY } = tileEnvelope(set, tile)
  const margin = ((maxX - minX) * tileBuffer) / tileExtent
  return { minX: minX - margin, minY: minY - margin, maxX: maxX + margin, maxY: maxY + margin }
}

/**
 * The boxes, in the CRS of a table, that all rows touch which a box of a set may show: its densified image.
 * There are several where x comes round again, since rows may stand on either side of the antimeridian or go on beyond
 * it. None where it has no image. The boxes do not touch each other.
 */
export async function tableBoxes({ set, box, crs, toTable, extent }: TableBoxWish): Promise<Envelope[]> {
  const { kind, turn } = worldOf(crs, set)
  const image = kind === 'set' ? box : await imageOf(box, toTable, set, turn)
  if (image === undefined) return []
  const boxes = turn === undefined ? [image] : wound(image, turn)
  return extent === undefined ? boxes : boxes.filter((one) => areTouching(one, extent))
}

function areTouching(a: Envelope, b: Envelope): boolean {
  return a.minX <= b.maxX && a.maxX >= b.minX && a.minY <= b.maxY && a.maxY >= b.minY
}

/** The box and its places a turn to the west and to the east, as far as coordinates go: a turn from 0 on each side. */
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

/** Undefined where no place of the box has an image. */
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
    const wanted = ((before[at] as number) / (set.bounds.maxX - set.bounds.minX)) * (turn ?? 0)
    const x = turn === undefined ? (points[at] as number) : nearest(points[at] as number, wanted, turn)
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

/** Most projections have no image of a pole. */
function withinPoles(box: Envelope): Envelope {
  const most = 89.999999
  return { ...box, minY: Math.max(box.minY, -most), maxY: Math.min(box.maxY, most) }
}

/** The place like `x`, whole turns away, that is nearest to where it was. */
function nearest(x: number, wanted: number, turn: number): number {
  return x + Math.round((wanted - x) / turn) * turn
}

function widened({ minX, minY, maxX, maxY }: Envelope, share: number): Envelope {
  const dx = (maxX - minX) * share
  const dy = (maxY - minY) * share
  return { minX: minX - dx, minY: minY - dy, maxX: maxX + dx, maxY: maxY + dy }
}

/** Points on the edge of a box, of a large one also inside, as a reprojector takes them. */
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
  const place = { x: 0, y: 0 }
  for (let at = 0; at < points.length; at += 3) {
    place.x = points[at] as number
    place.y = points[at + 1] as number
    transformPlace(place, 0)
    points[at] = place.x
    points[at + 1] = place.y
  }
}
