import { invalid } from '../../core/errors/errors.ts'
import type { Filter, FilterReach } from '../../filters/filter.ts'
import { allOf, anyOf } from '../../filters/filter.ts'
import { unsupportedFilter } from '../../filters/filter-size.ts'
import { hasRelation } from '../../filters/row-filter.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { metresPerUnit } from '../../geo/metres-per-unit.ts'
import { shiftsOfCopies, shiftToOrigin } from '../../geo/relations/repeated-places.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import { walkCoordinates, wkbEnvelope } from '../../geo/wkb.ts'
import { axisTurnOfCrs } from './crs-axis-turn.ts'
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
  { requested: filter, srs }: RequestFilter,
  crs: FeaturePageRequest['crs'],
): Promise<Filter> {
  if (crs === undefined || !hasRelation(filter)) return filter
  const reprojector = await findReprojector(srs, crs)
  try {
    return await moved(filter, reprojector, crs)
  } finally {
    await reprojector.close()
  }
}

function movedEast(wkb: Uint8Array, distance: number): Uint8Array {
  if (distance === 0) return wkb
  const copy = wkb.slice()
  const view = new DataView(copy.buffer)
  walkCoordinates(view, 0, (start, count, dimensions) => {
    for (let point = 0, at = start; point < count; point += 1, at += dimensions * 8)
      view.setFloat64(at, view.getFloat64(at, true) + distance, true)
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
    ? nearWithCopies(wkb, reachIn(crs, wkb, filter.reach), crs)
    : relationOnEarth({ ...filter, wkb }, crs)
}

/** Repeats the geometry for rows on the other side of the antimeridian, and for rows stored beyond ±180°. */
function nearWithCopies(wkb: Uint8Array, reach: FilterReach, crs: Crs): Filter {
  const turn = axisTurnOfCrs(crs)
  const envelope = wkbEnvelope(wkb)
  if (turn === undefined || envelope === undefined) return { kind: 'near', wkb, reach }
  const shifts = shiftsOfCopies(turn, envelope, reach.distance / reach.scale[0])
  return anyOf(shifts.map((shift) => ({ kind: 'near', wkb: movedEast(wkb, shift), reach })))
}

/**
 * Relates rows to all copies of a geometry where locations of the CRS repeat in x. Intersection with any copy uses
 * the index of each; other relations need the complete row in one turn around the geometry.
 */
function relationOnEarth(filter: Extract<Filter, { kind: 'relation' }>, crs: Crs): Filter {
  const turn = axisTurnOfCrs(crs)
  const envelope = wkbEnvelope(filter.wkb)
  if (turn === undefined || envelope === undefined) return filter
  if (filter.relation !== 's_intersects' && filter.relation !== 's_disjoint')
    return { ...filter, wkb: movedEast(filter.wkb, shiftToOrigin(turn, envelope)), turn }
  const copies = shiftsOfCopies(turn, envelope).map((shift) => ({
    ...filter,
    wkb: movedEast(filter.wkb, shift),
  }))
  return filter.relation === 's_disjoint' ? allOf(copies) : anyOf(copies)
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
