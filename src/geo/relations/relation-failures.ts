import type { Failure } from '../../core/errors/errors.ts'
import { invalid } from '../../core/errors/errors.ts'

/** Neither GEOS nor JTS relates collections of geometries otherwise than by whether they meet. */
export function collectionsNotRelated(cause?: unknown): Failure {
  return invalid(
    'unsupported-filter',
    'A GeometryCollection in a filter or feature supports only S_INTERSECTS and S_DISJOINT',
    cause === undefined ? {} : { cause },
  )
}
