// Transformations of features and rasters, one file per type. Knows no file, store or import. Start reading
// at `transform.ts`.

export { fromJavaClass, listJavaClasses, toJavaClass } from './java-class.ts'
export { textMeanings } from './parameters.ts'
export type { RasterPlacement, RasterStep, RasterTransform } from './raster/raster-transform.ts'
export { rasterTranslate } from './raster/translate.ts'
export { type ChainStep, outputFormat, placeRaster, rasterSteps } from './raster-chain.ts'
export { findTransform, rasterTransforms, vectorTransforms } from './registry.ts'
export { compileDateFormat, type DateFormat, DatePatternError } from './simple-date-format.ts'
export { type ChainOptions, type TransformContext, TransformError, type TransformSpec } from './transform.ts'
