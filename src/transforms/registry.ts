import { attributeRemap } from './attribute-remap.ts'
import { attributesToPointGeometry } from './attributes-to-point-geometry.ts'
import { codedValueLabel } from './coded-value-label.ts'
import { createIndex } from './create-index.ts'
import { dateFormat } from './date-format.ts'
import { integerFieldToDate } from './integer-field-to-date.ts'
import { rasterOverview } from './raster/overview.ts'
import type { RasterTransform } from './raster/raster-transform.ts'
import { rasterTranslate } from './raster/translate.ts'
import { rasterWarp } from './raster/warp.ts'
import { reproject } from './reproject.ts'
import type { VectorTransform } from './transform.ts'

/** All vector transformations. */
export const vectorTransforms: readonly VectorTransform[] = [
  attributeRemap,
  attributesToPointGeometry,
  codedValueLabel,
  createIndex,
  dateFormat,
  integerFieldToDate,
  reproject,
]

/** All raster transformations. */
export const rasterTransforms: readonly RasterTransform[] = [rasterOverview, rasterTranslate, rasterWarp]

export type Transform = VectorTransform | RasterTransform

const byType = new Map<string, Transform>(
  [...vectorTransforms, ...rasterTransforms].map((transform) => [transform.type.toLowerCase(), transform]),
)

/** Returns the transformation with a type name, in any case. */
export function findTransform(type: string): Transform | undefined {
  return byType.get(type.toLowerCase())
}
