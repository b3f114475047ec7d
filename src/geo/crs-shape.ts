/** Components of a CRS, independent of the declaring dialect. Angles in degrees, lengths in metres. */
export interface CrsShape {
  kind: 'geographic' | 'projected'
  name?: string
  /** The authority id that the declaration gives itself. */
  id?: string
  /** Absent where the declaration leaves the datum open. */
  datumName?: string
  semiMajor: number
  inverseFlattening: number
  /** Longitude of the prime meridian from Greenwich. */
  primeMeridian: number
  /** `longlat` for a geographic CRS; undefined where the projection is not known here. */
  method: string | undefined
  /** By PROJ key; see `normalizeProjection`. */
  parameters: Record<string, number>
  /** Metres per coordinate unit, or degrees for a geographic CRS. */
  unit: number
  /** PROJ's axis word where the first two do not point east and north. */
  axis?: string
}
