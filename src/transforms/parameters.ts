import type { TSchema } from 'typebox'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Schema } from '../geo/schema.ts'
import { attributeIndex } from '../geo/schema.ts'
import type { TransformSpec } from './transform.ts'
import { TransformError } from './transform.ts'

/** Meaning of a text parameter, for forms. */
export const textMeanings = ['field', 'new-field', 'class', 'crs', 'pattern'] as const
export type TextMeaning = (typeof textMeanings)[number]

/** A text parameter with a meaning for forms. */
export function meaningText(means: TextMeaning): TSchema {
  return Type.String({ minLength: 1, maxLength: 1000, means })
}

export const attributeName: TSchema = meaningText('field')

/** Returns the spec without null parameters, which count as absent. */
export function withoutNulls(spec: TransformSpec): TransformSpec {
  const entries = Object.entries(spec).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries) as TransformSpec
}

/** Throws a `TransformError` that names the first invalid parameter. */
export function checkParameters(parameters: TSchema, spec: TransformSpec): void {
  const [error] = Value.Errors(parameters, withoutNulls(spec))
  if (error === undefined) return
  const missing = (error.params as { requiredProperties?: string[] }).requiredProperties
  if (missing !== undefined) {
    throw new TransformError(
      `${spec.type} needs the parameter ${missing.map((name) => `"${name}"`).join(', ')}`,
    )
  }
  throw new TransformError(`Parameter "${error.instancePath.slice(1)}" of ${spec.type} ${error.message}`)
}

/** Returns a text parameter validated by `checkParameters`; empty if absent. */
export function textParameter(spec: TransformSpec, name: string): string {
  const value = spec[name]
  return typeof value === 'string' ? value : ''
}

/**
 * Returns the index of the attribute that a parameter names; throws `TransformError` if the schema has none
 * of that name.
 */
export function getAttributeIndex(schema: Schema, name: string): number {
  const index = attributeIndex(schema, name)
  if (index >= 0) return index
  const known = schema.attributes.slice(0, 30).map((attribute) => `"${attribute.name}"`)
  throw new TransformError(
    `Field "${name}" does not exist; the fields are ${known.length === 0 ? 'none' : known.join(', ')}`,
    'unknown-field',
  )
}
