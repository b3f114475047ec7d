import { parseEcql } from '../../../filters/ecql.ts'
import type { Expression } from '../../../filters/expression.ts'
import { unsupportedFilter } from '../../../filters/refusals.ts'
import type { Schema } from '../../../geo/schema.ts'
import { wishFilter } from '../../../stores/reading/wished-filter.ts'
import { readCrs } from '../named-crs.ts'
import { findProperty } from '../property-names.ts'
import type { WrittenFes } from './read-fes.ts'

/**
 * A filter as GeoServer's `cql_filter` takes it: ECQL, its geometries in the CRS of the layer where none is named, x or easting
 * first. Throws `OwsFailure`, `invalid-filter` and `unsupported-filter`.
 */
export function readEcql(text: string): WrittenFes {
  const found = parseEcql(text)
  if ('ids' in found) return { ids: found.ids }
  const { written, crs, isMixed } = found
  const named = crs === undefined ? undefined : readCrs(crs, 'cql_filter').srs
  return {
    filter: ({ details }) => {
      const own = details.srs ?? 'EPSG:4326'
      if (named !== undefined && named !== own && isMixed)
        throw unsupportedFilter('A BBOX of the filter names a CRS that is not that of its other geometries')
      return wishFilter(withOwnNames(written, details.schema), details.schema, named ?? own)
    },
  }
}

/** Names without prefixes, and that of the geometry as GeoServer has it. */
function withOwnNames(written: Expression, schema: Schema): Expression {
  const renamed = (part: Expression): Expression => withOwnNames(part, schema)
  switch (written.kind) {
    case 'property':
      return { ...written, name: findProperty(schema, written.name) ?? written.name }
    case 'call':
      return { ...written, args: written.args.map(renamed) }
    case 'list':
      return { ...written, of: written.of.map(renamed) }
    case 'interval':
      return { ...written, from: renamed(written.from), to: renamed(written.to) }
    default:
      return written
  }
}
