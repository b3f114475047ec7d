import { parseColor } from '../colors.ts'
import { isDriven, mapDriven } from '../driven.ts'
import type { Losses } from '../losses.ts'
import type { Driven, Fill, Input, Literal, Value } from '../model.ts'
import { attributeOf, isLiteral } from './read-filter.ts'

export type Node = Record<string, unknown>

export function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {}
}

type Parse<T> = (value: unknown) => T | undefined

function parseNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function parseText(value: unknown): string | undefined {
  return typeof value === 'string' && parseColor(value) !== undefined ? value : undefined
}

/** The paint and layout properties of one layer of a style. Unread properties are reported at the end. */
export class StyleLayerValues {
  readonly #values: Node
  readonly #requested = new Set<string>(['visibility'])
  readonly #losses: Losses

  constructor(layer: Node, losses: Losses) {
    this.#values = { ...asNode(layer.paint), ...asNode(layer.layout) }
    this.#losses = losses
  }

  raw(name: string): unknown {
    this.#requested.add(name)
    return this.#values[name]
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined
  }

  number(name: string, usual: number): Value<number> {
    const value = this.raw(name)
    if (value === undefined) return usual
    return readValue(value, usual, parseNumber) ?? this.#tell(`an expression for ${name}`, usual)
  }

  /** A colour and its own opacity. */
  color(name: string, usual: string): Fill<Value<string>, number> {
    const value = this.raw(name)
    const read = value === undefined ? usual : readValue<string>(value, usual, parseText)
    if (read === undefined) return this.#tell(`the value of ${name}`, { color: usual, opacity: 1 })
    if (typeof read === 'string') return parseColor(read) ?? { color: usual, opacity: 1 }
    const opacities = new Set<number>()
    const color = mapDriven(read, (text) => {
      const parsed = parseColor(text)
      opacities.add(parsed?.opacity ?? 1)
      return parsed?.color ?? usual
    })
    if (opacities.size > 1) this.#losses.add(`the opacities in the colours of ${name}`)
    return { color, opacity: opacities.size === 1 ? ([...opacities][0] ?? 1) : 1 }
  }

  #tell<T>(what: string, value: T): T {
    this.#losses.add(what)
    return value
  }

  choice<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.raw(name)
    const found = words.find((word) => word === value)
    if (value !== undefined && found === undefined) this.#losses.add(`the value of ${name}`)
    return found
  }

  numbers(name: string): number[] | undefined {
    const value = this.raw(name)
    const list = Array.isArray(value) && value[0] === 'literal' ? (value[1] as unknown) : value
    if (Array.isArray(list) && list.length > 0 && list.every((one) => parseNumber(one) !== undefined))
      return list
    if (value !== undefined) this.#losses.add(`an expression for ${name}`)
    return undefined
  }

  tellRest(): void {
    for (const name of Object.keys(this.#values)) {
      if (!this.#requested.has(name)) this.#losses.add(`the property ${name}`)
    }
  }
}

/**
 * Reads a value of the style specification: a constant, a legacy function, or an expression; undefined for
 * others.
 */
function readValue<T extends string | number>(
  value: unknown,
  usual: T,
  parse: Parse<T>,
): Value<T> | undefined {
  const plain = parse(value)
  if (plain !== undefined) return plain
  if (!Array.isArray(value)) return readFunction(asNode(value), usual, parse)
  const [op, ...args] = value
  const property = attributeOf(value)
  if (property !== undefined) return { by: 'attribute', property }
  switch (op) {
    case 'literal':
      return parse(args[0])
    case 'step':
      return readStep(args, usual, parse)
    case 'interpolate':
      return readInterpolate(args, usual, parse)
    case 'match':
      return readMatch(args, parse)
    case 'case':
      return readCase(args, usual, parse)
    default:
      return undefined
  }
}

function inputOf(value: unknown): Input | undefined {
  if (Array.isArray(value) && value[0] === 'zoom') return 'zoom'
  const property = attributeOf(value)
  return property === undefined ? undefined : { property }
}

/** Parses a list `from, result, from, result, …`. */
function readStops<T>(list: unknown[], parse: Parse<T>): { at: number; value: T }[] | undefined {
  const stops: { at: number; value: T }[] = []
  for (let index = 0; index < list.length; index += 2) {
    const [at, value] = [parseNumber(list[index]), parse(list[index + 1])]
    if (at === undefined || value === undefined || at <= (stops.at(-1)?.at ?? -Infinity)) return undefined
    stops.push({ at, value })
  }
  return stops.length === 0 ? undefined : stops
}

/** Result for attributes that are not numbers: the property's default. */
function otherwiseOf<T>(input: Input, usual: T): { otherwise?: T } {
  return input === 'zoom' ? {} : { otherwise: usual }
}

function readStep<T>([first, below, ...rest]: unknown[], usual: T, parse: Parse<T>): Driven<T> | undefined {
  const [input, least, stops] = [inputOf(first), parse(below), readStops(rest, parse)]
  if (input === undefined || least === undefined || stops === undefined) return undefined
  const values = [least, ...stops.map(({ value }) => value)]
  return { by: 'classes', input, breaks: stops.map(({ at }) => at), values, ...otherwiseOf(input, usual) }
}

function baseOf(curve: unknown): number | undefined {
  if (!Array.isArray(curve)) return undefined
  if (curve[0] === 'linear') return 1
  const base = curve[0] === 'exponential' ? parseNumber(curve[1]) : undefined
  return base !== undefined && base > 0 ? base : undefined
}

function readInterpolate<T>(
  [curve, first, ...rest]: unknown[],
  usual: T,
  parse: Parse<T>,
): Driven<T> | undefined {
  const [base, input, stops] = [baseOf(curve), inputOf(first), readStops(rest, parse)]
  if (base === undefined || input === undefined || stops === undefined || stops.length < 2) return undefined
  return { by: 'interpolation', input, base, stops, ...otherwiseOf(input, usual) }
}

function readMatch<T>([first, ...rest]: unknown[], parse: Parse<T>): Driven<T> | undefined {
  const property = attributeOf(first)
  const otherwise = parse(rest.at(-1))
  if (property === undefined || otherwise === undefined || rest.length % 2 === 0) return undefined
  const categories: { values: Literal[]; value: T }[] = []
  for (let index = 0; index + 1 < rest.length; index += 2) {
    const labels: unknown[] = Array.isArray(rest[index]) ? (rest[index] as unknown[]) : [rest[index]]
    const value = parse(rest[index + 1])
    if (value === undefined || !labels.every(isLiteral)) return undefined
    categories.push({ values: labels, value })
  }
  return { by: 'categories', property, categories, otherwise }
}

/** Reads a check of the attribute's type before numeric classes; the last result is for other types. */
function readCase<T extends string | number>(
  [guard, value, otherwise, ...more]: unknown[],
  usual: T,
  parse: Parse<T>,
): Driven<T> | undefined {
  const [word, left, right] = Array.isArray(guard) ? guard : []
  const isType = word === '==' && Array.isArray(left) && left[0] === 'typeof' && right === 'number'
  const rest = parse(otherwise)
  const inner = readValue(value, usual, parse)
  if (!isType || more.length > 0 || rest === undefined || typeof inner !== 'object') return undefined
  return inner.by === 'classes' || inner.by === 'interpolation' ? { ...inner, otherwise: rest } : undefined
}

/** A function of the older form: `{"stops": [[0, 1], [10, 5]], "base": 1.5, "property": "x", "type": "interval"}`. */
function readFunction<T extends string | number>(
  node: Node,
  usual: T,
  parse: Parse<T>,
): Driven<T> | undefined {
  const { stops: list, property, type, base = 1 } = node
  if (property !== undefined && typeof property !== 'string') return undefined
  const input: Input = property === undefined ? 'zoom' : { property }
  if (type === 'identity' && typeof property === 'string') return { by: 'attribute', property }
  if (!Array.isArray(list) || !list.every(Array.isArray)) return undefined
  const otherwise = parse(node.default) ?? usual
  if (type === 'categorical')
    return typeof property === 'string' ? categorical(property, list, otherwise, parse) : undefined
  const stops = readStops(list.flat(), parse)
  const number = parseNumber(base)
  if (stops === undefined || number === undefined || number <= 0) return undefined
  const rest = otherwiseOf(input, otherwise)
  if (type !== 'interval') return { by: 'interpolation', input, base: number, stops, ...rest }
  const values = [otherwise, ...stops.map(({ value }) => value)]
  return { by: 'classes', input, breaks: stops.map(({ at }) => at), values, ...rest }
}

function categorical<T>(
  property: string,
  list: unknown[][],
  otherwise: T,
  parse: Parse<T>,
): Driven<T> | undefined {
  const categories: { values: Literal[]; value: T }[] = []
  for (const [key, result] of list) {
    const value = parse(result)
    if (value === undefined || !isLiteral(key)) return undefined
    categories.push({ values: [key], value })
  }
  return { by: 'categories', property, categories, otherwise }
}

/** Multiplies a value; undefined, with a recorded loss, if it is an attribute value. */
export function scaled(value: Value<number>, factor: number, name: string, losses: Losses): Value<number> {
  if (!isDriven(value)) return value * factor
  if (value.by !== 'attribute' || factor === 1) return mapDriven(value, (amount) => amount * factor)
  losses.add(`an expression for ${name}`)
  return 5 * factor
}

/** Multiplies the opacity of a property by that of the colour. */
export function together(opacity: Value<number>, own: number, losses: Losses): Value<number> {
  return own === 1 ? opacity : rounded(scaled(opacity, own, 'opacity', losses))
}

function rounded(value: Value<number>): Value<number> {
  const round = (amount: number): number => Math.round(amount * 1000) / 1000
  return isDriven(value) ? mapDriven(value, round) : round(value)
}
