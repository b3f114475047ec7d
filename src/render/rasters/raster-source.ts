import type { RasterBand } from '../../formats/worker.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'

/** A raster file of a layer or a mosaic. Plain data: it is passed between threads and processes. */
export interface RasterFile {
  path: string
  /** State of the file and its sidecars. */
  state: string
}

/** Properties needed to transform a raster to Web Mercator. */
export interface DrawnRasterSource {
  file: RasterFile
  /** Columns and rows. */
  width: number
  height: number
  bands: RasterBand[]
  /**
   * Transforms cells to the CRS, in GDAL's order; absent if only ground control points georeference the
   * raster.
   */
  geoTransform?: number[]
  /** True if the client supplied the geotransform, which the file does not contain. */
  isPlacedByClient?: true
  /** CRS of the coordinates, whether or not the file contains it. */
  crs: CrsDeclaration | string
  /** Authority code, if there is one. */
  srs?: string
}

/** True if cells contain shades that may be interpolated, not categories. */
export function isMixed({ bands }: Pick<DrawnRasterSource, 'bands'>): boolean {
  if (bands.some(({ color }) => color === 'Palette')) return false
  const colored = bands.filter(({ color }) => color !== 'Alpha')
  return colored.some(({ dataType }) => dataType.startsWith('Float')) || colored.length >= 3
}
