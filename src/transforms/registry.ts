import { attributeRemap } from './attribute-remap.ts'
import { attributesToPointGeometry } from './attributes-to-point-geometry.ts'
import { createIndex } from './create-index.ts'
import { dateFormat } from './date-format.ts'
import { integerFieldToDate } from './integer-field-to-date.ts'
import { reproject } from './reproject.ts'
import type { VectorTransform } from './transform.ts'

/** Every vector transformation. */
export const vectorTransforms: readonly VectorTransform[] = [
  attributeRemap,
  attributesToPointGeometry,
  createIndex,
  dateFormat,
  integerFieldToDate,
  reproject,
]

const byType = new Map(vectorTransforms.map((transform) => [transform.type.toLowerCase(), transform]))

/** The transformation of a type name in any letter case. */
export function findVectorTransform(type: string): VectorTransform | undefined {
  return byType.get(type.toLowerCase())
}
