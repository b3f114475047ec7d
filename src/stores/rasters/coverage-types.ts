import { type RasterFormatName, rasterDrivers } from '../../formats/worker.ts'
import type { StoreType } from '../store.ts'

/** Type of coverage stores over many files that form one coverage. */
export const mosaicType = 'ImageMosaic'

/** Contents of a coverage store: a raster file, by format, or a mosaic. */
export type CoverageStoreType = RasterFormatName | typeof mosaicType

export type AnyStoreType = StoreType | CoverageStoreType

export const coverageStoreTypes: readonly CoverageStoreType[] = [
  ...rasterDrivers.map(({ name }) => name),
  mosaicType,
]

/** True if stores of this type contain coverages; others contain features. */
export function isCoverageStoreType(type: string): type is CoverageStoreType {
  return coverageStoreTypes.some((one) => one === type)
}
