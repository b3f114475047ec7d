import { type RasterFormatName, rasterDrivers } from '../../formats/worker.ts'
import type { StoreType } from '../store.ts'

/** Type of coverage stores over many files that form one coverage. */
export const mosaicType = 'ImageMosaic'

/** Type of coverage stores over a folder of rasters, each of which may be a layer. */
export const rasterFolderType = 'RasterFolder'

/** Contents of a coverage store: a raster file, by format, a folder of rasters, or a mosaic. */
export type CoverageStoreType = RasterFormatName | typeof mosaicType | typeof rasterFolderType

export type AnyStoreType = StoreType | CoverageStoreType

export const coverageStoreTypes: readonly CoverageStoreType[] = [
  ...rasterDrivers.map(({ name }) => name),
  mosaicType,
  rasterFolderType,
]

/** True if stores of this type contain coverages; others contain features. */
export function isCoverageStoreType(type: string): type is CoverageStoreType {
  return coverageStoreTypes.some((one) => one === type)
}
