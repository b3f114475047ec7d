import type { XmlElement } from '../../core/text/xml-tree.ts'
import { parseColor } from '../colors.ts'
import { mapDriven } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Driven, Literal, StyleAttribute, Value } from '../model.ts'
import { childElement, childrenOf, elementsOf } from '../style-xml.ts'
import { literalOf, propertyOf } from './read-filter.ts'

/** A value of the document, its results still texts. */
type TextValue = Value<string>

/** Parses a text of the document; undefined if it is invalid. */
type Parse<T> = (text: string) => T | undefined

export function parseStyleNumber(text: string): number | undefined {
  const value = Number(text.trim())
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}

export function parseOpaqueColor(text: string): string | undefined {
  return parseColor(text)?.color
}

/**
 * Reads the value of an element: a text, an attribute, or a function of SE 1.1; undefined, with a recorded
 * loss, for others.
 */
export function readValue<T extends string | number>(
  element: XmlElement | undefined,
  what: string,
  parse: Parse<T>,
  losses: Losses,
): Value<T> | undefined {
  if (element === undefined) return undefined
  const value = textValue(element)
  if (value === undefined) return losses.add(`a computed ${what}`)
  if (typeof value === 'string') {
    const parsed = parse(value)
    return parsed ?? (value === '' ? undefined : losses.add(`the ${what} ${value}`))
  }
  return parsed(value, parse) ?? losses.add(`a computed ${what}`)
}

/** Parses the results of a driven value; undefined if one is invalid. */
function parsed<T>(value: Driven<string>, parse: Parse<T>): Driven<T> | undefined {
  let isWhole = true
  const one = (text: string): T => {
    const result = parse(text)
    if (result === undefined) isWhole = false
    return result as T
  }
  const driven = mapDriven(value, one)
  return isWhole ? driven : undefined
}

function textValue(element: XmlElement): TextValue | undefined {
  const [only, ...more] = elementsOf(element)
  if (only === undefined) return element.text.trim()
  if (more.length > 0) return undefined
  if (only.name === 'Literal' && elementsOf(only).length === 0) return only.text.trim()
  const property = propertyOf(only)
  if (property !== undefined) return { by: 'attribute', property }
  if (only.name === 'Function') return readFunction(only)
  if (only.name === 'Categorize') return readCategorize(only)
  if (only.name === 'Recode') return readRecode(only)
  return only.name === 'Interpolate' ? readInterpolate(only) : undefined
}

function lookupOf(element: XmlElement): StyleAttribute | undefined {
  const [inner] = elementsOf(childElement(element, 'LookupValue'))
  const property = inner === undefined ? undefined : propertyOf(inner)
  return property === undefined ? undefined : { property }
}

function textsOf(element: XmlElement, name: string): string[] {
  return childrenOf(element, name).map((one) => one.text.trim())
}

function readCategorize(element: XmlElement): TextValue | undefined {
  const input = lookupOf(element)
  const breaks = textsOf(element, 'Threshold').map(Number)
  const belongsBefore = element.attributes.thresholdsBelongTo === 'preceding'
  if (input === undefined || belongsBefore) return undefined
  return classesOf(input, breaks, textsOf(element, 'Value'), element.attributes.fallbackValue)
}

function classesOf(input: StyleAttribute, breaks: number[], values: string[], otherwise?: string) {
  const isAscending = breaks.every(
    (at, index) => Number.isFinite(at) && at > (breaks[index - 1] ?? -Infinity),
  )
  if (breaks.length === 0 || values.length !== breaks.length + 1 || !isAscending) return undefined
  return { by: 'classes', input, breaks, values, otherwise } as const
}

function readRecode(element: XmlElement): TextValue | undefined {
  const input = lookupOf(element)
  const items = childrenOf(element, 'MapItem')
  const pairs = items.map(
    (item) => [textsOf(item, 'Data')[0] ?? '', textsOf(item, 'Value')[0] ?? ''] as const,
  )
  return input === undefined
    ? undefined
    : categoriesOf(input, pairs, element.attributes.fallbackValue ?? pairs[0]?.[1])
}

function categoriesOf(
  { property }: StyleAttribute,
  pairs: (readonly [key: string, value: string])[],
  otherwise: string | undefined,
): TextValue | undefined {
  if (otherwise === undefined) return undefined
  const byValue = new Map<string, Literal[]>()
  for (const [key, value] of pairs) byValue.set(value, [...(byValue.get(value) ?? []), literalOf(key)])
  const categories = [...byValue].map(([value, values]) => ({ values, value }))
  return { by: 'categories', property, categories, otherwise }
}

function readInterpolate(element: XmlElement): TextValue | undefined {
  const input = lookupOf(element)
  const { mode = 'linear', fallbackValue } = element.attributes
  const points = childrenOf(element, 'InterpolationPoint').map((point) => ({
    at: Number(textsOf(point, 'Data')[0]),
    value: textsOf(point, 'Value')[0] ?? '',
  }))
  return input === undefined || mode !== 'linear' ? undefined : interpolationOf(input, points, fallbackValue)
}

function interpolationOf(input: StyleAttribute, stops: { at: number; value: string }[], otherwise?: string) {
  const isAscending = stops.every(
    ({ at }, index) => Number.isFinite(at) && at > (stops[index - 1]?.at ?? -Infinity),
  )
  if (stops.length < 2 || !isAscending) return undefined
  const fallback = otherwise === undefined ? {} : { otherwise }
  return { by: 'interpolation', input, base: 1, stops, ...fallback } as const
}

/** Reads the three functions in GeoServer's form for SLD 1.0: their arguments in sequence. */
function readFunction(element: XmlElement): TextValue | undefined {
  const [first, ...rest] = elementsOf(element)
  const property = first === undefined ? undefined : propertyOf(first)
  if (property === undefined || rest.some(({ name }) => name !== 'Literal')) return undefined
  const args = rest.map(({ text }) => text.trim())
  const pairs = (): [string, string][] =>
    args.flatMap((key, index) => (index % 2 === 0 ? [[key, args[index + 1] ?? ''] as [string, string]] : []))
  switch (element.attributes.name?.toLowerCase()) {
    case 'categorize': {
      if (args.at(-1) === 'succeeding') args.pop()
      const breaks = args.filter((_, index) => index % 2 === 1).map(Number)
      return classesOf(
        { property },
        breaks,
        args.filter((_, index) => index % 2 === 0),
      )
    }
    case 'recode':
      return categoriesOf({ property }, pairs(), args[1])
    case 'interpolate': {
      while (/^(color|numeric|linear)$/.test(args.at(-1) ?? '')) args.pop()
      return interpolationOf(
        { property },
        pairs().map(([at, value]) => ({ at: Number(at), value })),
      )
    }
    default:
      return undefined
  }
}
