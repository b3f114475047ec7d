import { checkFilter } from '../../filters/check-filter.ts'
import type { Expression } from '../../filters/expression.ts'
import type { Filter } from '../../filters/filter.ts'
import { requireBoxes } from '../../filters/require-crs.ts'
import { findCrs } from '../../geo/crs-database.ts'
import type { Schema } from '../../geo/schema.ts'

/** Filter of a query as given by the client. */
export interface RequestFilter {
  /** With the column names of the table. */
  requested: Filter
  /** CRS of its geometries, with x or easting first. */
  srs: string
}

/**
 * Resolves a filter for rows with these columns; its geometries are in `srs`, x or easting first. Throws
 * `invalid-filter` and `unsupported-filter`.
 */
export function toRequestFilter(written: Expression, schema: Schema, srs: string): RequestFilter {
  if (!isInDegrees(srs)) requireBoxes(written)
  return { requested: checkFilter(written, schema), srs }
}

/** True if the coordinates are longitude/latitude degrees. */
export function isInDegrees(srs: string): boolean {
  const crs = findCrs(srs)
  return crs?.kind === 'geographic' && crs.unit.startsWith('degree')
}
