import type { Filter } from '../../filters/filter.ts'
import { hasRelation } from '../../filters/row-filter.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import type { Reprojector } from '../../geo/reprojector.ts'
import { invalid } from '../../lib/errors.ts'
import type { PageWish } from './page-wish.ts'
import { findReprojector } from './reprojectors.ts'
import type { WishedFilter } from './wished-filter.ts'

/** The filter with its geometries in the CRS of the table; throws `invalid-filter` for one that has no place there. */
export async function filterIn({ asked, srs }: WishedFilter, crs: PageWish['crs']): Promise<Filter> {
  if (crs === undefined || !hasRelation(asked)) return asked
  const reprojector = await findReprojector(srs, crs)
  try {
    return await moved(asked, reprojector)
  } finally {
    await reprojector.close()
  }
}

async function moved(filter: Filter, reprojector: Reprojector): Promise<Filter> {
  if (filter.kind === 'all' || filter.kind === 'any') {
    const of: Filter[] = []
    for (const one of filter.of) of.push(await moved(one, reprojector))
    return { ...filter, of }
  }
  if (filter.kind === 'not') return { ...filter, of: await moved(filter.of, reprojector) }
  if (filter.kind !== 'relation') return filter
  const builder = new GeometryBuilder(1)
  builder.appendWkb(filter.wkb, 0, filter.wkb.length)
  const { geometry, failedRows } = await reprojectGeometry(builder.finish(), 1, reprojector)
  if (failedRows.length > 0)
    throw invalid(
      'invalid-filter',
      'A geometry of the filter lies where the CRS of the collection has no place',
    )
  return { ...filter, wkb: geometry.bytes.slice(geometry.offsets[0], geometry.offsets[1]) }
}
