import { rasterCells, rasterInfo } from './gdal-session.ts'

/** Properties of a raster that GDAL reports, without those that belong only to its file. */
export interface FoundRaster {
  size: [width: number, height: number]
  geoTransform: number[]
  bands: { type: string; noDataValue?: unknown; colorInterpretation: string; description?: string }[]
  /** Cells of all bands, one band after the other, in their own type. */
  cells: Buffer
}

/** Reads a raster with GDAL. */
export function readRaster(path: string): FoundRaster {
  const options = ['-nomd', '-norat', '-noct']
  const {
    size,
    geoTransform = [],
    bands,
  } = rasterInfo<FoundRaster & { geoTransform?: number[] }>(path, options)
  const cells = rasterCells(path)
  return {
    size,
    geoTransform,
    cells,
    bands: bands.map(({ type, noDataValue, colorInterpretation, description }) => ({
      type,
      colorInterpretation,
      ...(noDataValue === undefined ? {} : { noDataValue }),
      ...(description === undefined ? {} : { description }),
    })),
  }
}
