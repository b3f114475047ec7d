/**
 * A CRS is unknown, or no transformation exists between two CRSs; `code` is `unknown-crs` or
 * `no-transformation`.
 */
export class CrsError extends Error {
  readonly code: 'unknown-crs' | 'no-transformation'

  constructor(code: CrsError['code'], message: string) {
    super(message)
    this.name = 'CrsError'
    this.code = code
  }
}

/**
 * A declared coordinate reference system. `srs` is the matched authority code (`EPSG:25832`), `wkt` the
 * source's text. At least one is present: an undeclared CRS is `undefined`.
 */
export interface CrsDeclaration {
  srs?: string
  wkt?: string
  /** PROJJSON text or PROJ string, as found. */
  projjson?: string
  proj4?: string
}

/** Components of a CRS, independent of the declaring dialect. Angles in degrees, lengths in metres. */
export interface CrsShape {
  kind: 'geographic' | 'projected'
  name?: string
  /** The authority id in the declaration itself. */
  id?: string
  /** Absent if the declaration does not specify the datum. */
  datumName?: string
  semiMajor: number
  inverseFlattening: number
  /** Longitude of the prime meridian from Greenwich. */
  primeMeridian: number
  /** `longlat` for a geographic CRS; undefined for an unknown projection. */
  method: string | undefined
  /** By PROJ key; see `normalizeProjection`. */
  parameters: Record<string, number>
  /** Metres per coordinate unit, or degrees for a geographic CRS. */
  unit: number
  /** PROJ's `axis` parameter, if the first two axes do not point east and north. */
  axis?: string
}
