import type { Literal } from '../model.ts'

/** Type of an attribute in tiles: number, number as text, text, or boolean. */
export type StyleAttributeType = 'number' | 'number text' | 'text' | 'boolean'

/** Known types of a layer's attributes; others may have any type. */
export type AttributeTypes = ReadonlyMap<string, StyleAttributeType>

/** Returns the expression for an attribute, converted to a number if tiles encode the number as text. */
export function getAttribute(property: string, types: AttributeTypes): unknown[] {
  const input = ['get', property]
  return types.get(property) === 'number text' ? ['to-number', input] : input
}

/** A value in the type that the attribute has in tiles, since MapLibre compares strictly. */
export function literalFor(property: string, value: Literal, types: AttributeTypes): Literal {
  const type = types.get(property)
  if (type === 'text') return String(value)
  if (type === 'boolean') return typeof value === 'string' ? value.toLowerCase() === 'true' : Boolean(value)
  if (type === undefined || typeof value === 'number') return value
  const number = Number(value)
  return Number.isFinite(number) && String(value).trim() !== '' ? number : value
}
