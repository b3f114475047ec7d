import { isDriven, mapDriven } from '../driven.ts'
import type { Driven, Input, Literal, Value } from '../model.ts'
import { groundExpression } from '../scale.ts'

type Result = string | number

/** Writes a value for the style specification. `usual` is the property's default there. */
export function writeValue(value: Value<Result>, usual: Result, types: AttributeTypes): unknown {
  if (!isDriven(value)) return value
  switch (value.by) {
    case 'attribute':
      return getAttribute(value.property, types)
    case 'categories':
      return matchExpression(value, types)
    case 'classes': {
      const [least, ...others] = value.values
      const stops = others.flatMap((result, index) => [value.breaks[index], result])
      return guarded(value, ['step', inputExpression(value.input, types), least, ...stops], usual, types)
    }
    case 'interpolation': {
      const curve = value.base === 1 ? ['linear'] : ['exponential', value.base]
      const stops = value.stops.flatMap(({ at, value: result }) => [at, result])
      return guarded(
        value,
        ['interpolate', curve, inputExpression(value.input, types), ...stops],
        usual,
        types,
      )
    }
  }
}

/** Writes a length in pixels or in metres on the ground. */
export function writeLength(
  length: Value<number>,
  { unit, usual, factor = 1 }: { unit: 'pixel' | 'metre' | undefined; usual: number; factor?: number },
  types: AttributeTypes,
): unknown {
  const times = (by: number): unknown => {
    if (!isDriven(length)) return length * by
    if (length.by !== 'attribute')
      return writeValue(
        mapDriven(length, (amount) => amount * by),
        usual,
        types,
      )
    const input = getAttribute(length.property, types)
    return by === 1 ? input : ['*', by, input]
  }
  return unit === 'metre' ? groundExpression((pixels) => times(pixels * factor)) : times(factor)
}

function inputExpression(input: Input, types: AttributeTypes): unknown[] {
  return input === 'zoom' ? ['zoom'] : getAttribute(input.property, types)
}

/**
 * For attributes that are not numbers MapLibre uses the default; another result needs a check of the type.
 */
function guarded(
  { input, otherwise }: { input: Input; otherwise?: Result },
  expression: unknown[],
  usual: Result,
  types: AttributeTypes,
): unknown {
  if (input === 'zoom' || otherwise === usual) return expression
  const isNumber =
    types.get(input.property) === 'number text'
      ? ['!=', ['get', input.property], null]
      : ['==', ['typeof', ['get', input.property]], 'number']
  return ['case', isNumber, expression, otherwise ?? firstOf(expression)]
}

/** Returns the first result, which is used if there is no other. */
function firstOf(expression: unknown[]): unknown {
  return expression[0] === 'step' ? expression[2] : expression[4]
}

/** `match` accepts distinct labels of one type. */
function matchExpression(
  { property, categories, otherwise }: Extract<Driven<Result>, { by: 'categories' }>,
  types: AttributeTypes,
): unknown {
  const seen = new Set<string>()
  const cases = categories.map(({ values, value }) => {
    const labels = values.map((one) => literalFor(property, one, types))
    return { value, labels: labels.filter((one) => !seen.has(String(one)) && seen.add(String(one))) }
  })
  const kinds = new Set(cases.flatMap(({ labels }) => labels.map((one) => typeof one)))
  const isText = kinds.size > 1 || kinds.has('boolean')
  const label = (one: Literal): Literal => (isText ? String(one) : one)
  const used = cases.filter(({ labels }) => labels.length > 0)
  const [first] = used
  if (first === undefined) return otherwise
  const input = getAttribute(property, types)
  const pairs = used.flatMap(({ labels, value }) => {
    const [only] = labels
    return [labels.length === 1 && only !== undefined ? label(only) : labels.map(label), value]
  })
  return ['match', isText ? ['to-string', input] : input, ...pairs, otherwise]
}

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
