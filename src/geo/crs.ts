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
