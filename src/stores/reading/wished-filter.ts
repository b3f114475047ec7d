import { checkFilter } from '../../filters/check-filter.ts'
import type { Expression } from '../../filters/expression.ts'
import type { Filter } from '../../filters/filter.ts'
import { requireBoxes } from '../../filters/require-places.ts'
import { findCrs } from '../../geo/crs-database.ts'
import type { Schema } from '../../geo/schema.ts'

/** A filter of a question as the client gave it. */
export interface WishedFilter {
  /** In the names of the table's columns. */
  asked: Filter
  /** What the coordinates of its geometries are in, with x or easting first. */
  srs: string
}

/**
 * What a filter asks of rows with these columns; its geometries are in `srs`, x or easting first. Throws `invalid-filter`
 * and `unsupported-filter`.
 */
export function wishFilter(written: Expression, schema: Schema, srs: string): WishedFilter {
  if (!isInDegrees(srs)) requireBoxes(written)
  return { asked: checkFilter(written, schema), srs }
}

/** Whether coordinates are longitudes and latitudes in degrees. */
export function isInDegrees(srs: string): boolean {
  const crs = findCrs(srs)
  return crs?.kind === 'geographic' && crs.unit.startsWith('degree')
}
