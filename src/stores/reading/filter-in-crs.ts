import { invalid } from '../../core/errors/errors.ts'
import type { Filter, FilterReach } from '../../filters/filter.ts'
import { allOf, anyOf } from '../../filters/filter.ts'
import { unsupportedFilter } from '../../filters/filter-size.ts'
import { hasRelation } from '../../filters/row-filter.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { metresPerUnit } from '../../geo/metres-per-unit.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import { walkCoordinates, wkbEnvelope } from '../../geo/wkb.ts'
import { axisTurnOfCrs, turnsBeyond } from './crs-axis-turn.ts'
import type { FeaturePageRequest } from './feature-page-request.ts'
import { findReprojector } from './reprojectors.ts'
import type { RequestFilter } from './request-filter.ts'
import { isInDegrees } from './request-filter.ts'

type Crs = NonNullable<FeaturePageRequest['crs']>

/**
 * Returns the filter with its geometries in the CRS of the table. Throws `invalid-filter` if a geometry
 * cannot be transformed.
 */
export async function filterIn(
  { asked, srs }: RequestFilter,
  crs: FeaturePageRequest['crs'],
): Promise<Filter> {
  if (crs === undefined || !hasRelation(asked)) return asked
  const reprojector = await findReprojector(srs, crs)
  try {
    const isTurned = reprojector.isIdentity && isInDegrees(srs)
    return await moved(isTurned ? withTurns(asked) : asked, reprojector, crs)
  } finally {
    await reprojector.close()
  }
}

/**
 * Matches geometries beyond ±180°, since geometries may exceed that range, and their equivalents within the
 * range.
 */
function withTurns(filter: Filter): Filter {
  if (filter.kind === 'all' || filter.kind === 'any') return { ...filter, of: filter.of.map(withTurns) }
  if (filter.kind === 'not') return { ...filter, of: withTurns(filter.of) }
  if (filter.kind !== 'relation' && filter.kind !== 'near') return filter
  const others = turnsOf(filter.wkb).map((wkb) => ({ ...filter, wkb }))
  if (others.length === 0) return filter
  const isApart = filter.kind === 'relation' && filter.relation === 's_disjoint'
  return isApart ? allOf([filter, ...others]) : anyOf([filter, ...others])
}

/**
 * Maximum number of turns: the part of a geometry beyond ±180° is repeated for each turn around the earth, up
 * to this number.
 */
const mostTurns = 2

function turnsOf(wkb: Uint8Array): Uint8Array[] {
  const { minX, maxX } = wkbEnvelope(wkb) ?? { minX: 0, maxX: 0 }
  if (minX >= -180 && maxX <= 180) return []
  const first = Math.floor((minX + 180) / 360)
  // A geometry that ends at the meridian does not extend beyond it.
  const last = Math.max(first, Math.ceil((maxX + 180) / 360) - 1)
  const turns = Array.from({ length: Math.min(last - first + 1, mostTurns + 1) }, (_, index) => first + index)
  return turns.filter((turn) => turn !== 0).map((turn) => movedEast(wkb, -360 * turn))
}

function movedEast(wkb: Uint8Array, degrees: number): Uint8Array {
  const copy = wkb.slice()
  const view = new DataView(copy.buffer)
  walkCoordinates(view, 0, (start, count, dimensions) => {
    for (let point = 0, at = start; point < count; point += 1, at += dimensions * 8)
      view.setFloat64(at, view.getFloat64(at, true) + degrees, true)
  })
  return copy
}

async function moved(filter: Filter, reprojector: Reprojector, crs: Crs): Promise<Filter> {
  if (filter.kind === 'all' || filter.kind === 'any') {
    const of: Filter[] = []
    for (const one of filter.of) of.push(await moved(one, reprojector, crs))
    return { ...filter, of }
  }
  if (filter.kind === 'not') return { ...filter, of: await moved(filter.of, reprojector, crs) }
  if (filter.kind !== 'relation' && filter.kind !== 'near') return filter
  const builder = new GeometryBuilder(1)
  builder.appendWkb(filter.wkb, 0, filter.wkb.length)
  const { geometry, failedRows } = await reprojectGeometry(builder.finish(), 1, reprojector)
  if (failedRows.length > 0)
    throw invalid(
      'invalid-filter',
      'A geometry of the filter lies where the CRS of the collection has no place',
    )
  const wkb = geometry.bytes.slice(geometry.offsets[0], geometry.offsets[1])
  return filter.kind === 'near'
    ? { kind: 'near', wkb, reach: reachIn(crs, wkb, filter.reach) }
    : withCopiesBeyond({ ...filter, wkb }, crs)
}

/** Matches rows that intersect a geometry, and rows stored beyond ±180°. */
function withCopiesBeyond(filter: Extract<Filter, { kind: 'relation' }>, crs: Crs): Filter {
  const turn = filter.relation === 's_intersects' ? axisTurnOfCrs(crs) : undefined
  const envelope = wkbEnvelope(filter.wkb)
  if (turn === undefined || envelope === undefined) return filter
  const copies = turnsBeyond(turn, envelope).map((distance) => ({
    ...filter,
    wkb: movedEast(filter.wkb, distance),
  }))
  return anyOf([filter, ...copies])
}

/** Converts metres and degrees to units of the CRS around a geometry. */
function reachIn(crs: Crs, wkb: Uint8Array, { distance, unit }: FilterReach): FilterReach {
  const { minY, maxY } = wkbEnvelope(wkb) ?? { minY: 0, maxY: 0 }
  if (unit === 'degree') {
    if (typeof crs === 'string' && isInDegrees(crs)) return { distance, unit: 'scaled', scale: [1, 1] }
    throw unsupportedFilter(
      'A distance of the filter is in degrees, in which the collection is not: write metres',
    )
  }
  const scale = metresPerUnit(crs, (minY + maxY) / 2)
  if (scale === undefined)
    throw unsupportedFilter(
      'Distances cannot be measured here: the units of the CRS of the collection are not known',
    )
  // At a pole a geometry has no width.
  const least = 1e-3
  return { distance, unit: 'scaled', scale: [Math.max(scale[0], least), scale[1]] }
}
