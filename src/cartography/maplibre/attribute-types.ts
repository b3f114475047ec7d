import type { Literal } from '../model.ts'

/** How tiles carry an attribute: as a number, as the text of a number, as a text, or as a truth. */
export type AttributeType = 'number' | 'number text' | 'text' | 'boolean'

/** What is known of a layer's attributes; an attribute that is not named may be anything. */
export type AttributeTypes = ReadonlyMap<string, AttributeType>

/** The expression for an attribute, as a number where it is one that tiles carry as text. */
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
