/**
 * A coordinate reference system as far as it is known. `srs` is the matched authority code (`EPSG:25832`);
 * `wkt` the source's own words. Both absent never happens: an undeclared CRS is `undefined`.
 */
export interface CrsDeclaration {
  srs?: string
  wkt?: string
  /** PROJJSON text or PROJ string, as found. */
  projjson?: string
  proj4?: string
}
