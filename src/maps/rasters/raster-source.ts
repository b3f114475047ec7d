import type { RasterBand } from '../../formats/format.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'

/** A raster file as a layer or a mosaic names it. Plain data: it crosses threads and processes. */
export interface RasterFile {
  path: string
  /** Moves with any change of the file or of those that belong to it. */
  state: string
}

/** What must be known of a raster to bring it to web mercator. */
export interface RasterSource {
  file: RasterFile
  /** Columns and rows. */
  width: number
  height: number
  bands: RasterBand[]
  /** From cells to the CRS, in GDAL's order; absent where control points alone say where the cells lie. */
  geoTransform?: number[]
  /** Whether the geotransform is one that the client gave, which the file does not know. */
  isPlacedByClient?: true
  /** What coordinates are in; whether the file knows it does not matter. */
  crs: CrsDeclaration | string
  /** Authority code, where it has one. */
  srs?: string
}

/** Whether cells hold shades that may be mixed, and not categories. */
export function isMixed({ bands }: Pick<RasterSource, 'bands'>): boolean {
  if (bands.some(({ color }) => color === 'Palette')) return false
  const colored = bands.filter(({ color }) => color !== 'Alpha')
  return colored.some(({ dataType }) => dataType.startsWith('Float')) || colored.length >= 3
}
