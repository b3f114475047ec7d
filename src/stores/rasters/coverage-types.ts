import type { RasterFormatName } from '../../formats/raster/raster-drivers.ts'
import { rasterDrivers } from '../../formats/raster/raster-drivers.ts'
import type { StoreType } from '../store.ts'

/** The type of a coverage store over many files that are one coverage. */
export const mosaicType = 'ImageMosaic'

/** What a coverage store holds: a raster file by its format, or a mosaic. */
export type CoverageStoreType = RasterFormatName | typeof mosaicType

export type AnyStoreType = StoreType | CoverageStoreType

export const coverageStoreTypes: readonly CoverageStoreType[] = [
  ...rasterDrivers.map(({ name }) => name),
  mosaicType,
]

/** Whether stores of this type hold coverages; others hold features. */
export function isCoverageStoreType(type: string): type is CoverageStoreType {
  return coverageStoreTypes.some((one) => one === type)
}
