import { mixColors, parseColor } from './colors.ts'
import type { DrawnFeature } from './feature-filter.ts'
import { conditionNumber, meetsCondition, orderOfValues } from './feature-filter.ts'
import type {
  Driven,
  Input,
  PlainSymbolizer,
  Rule,
  Style,
  StyleAttribute,
  Symbolizer,
  Value,
} from './model.ts'
import { exactZoomOfScale, metresOfPixel } from './scale.ts'

/** A symbol that a rule draws a feature with. */
export interface DrawnSymbol {
  rule: Rule
  symbol: PlainSymbolizer
}

/** Returns the symbols of a feature at a scale, in drawing order, with the `pass` of their rules. */
export function drawnSymbols(style: Style, feature: DrawnFeature, scale: number): DrawnSymbol[] {
  return rulesFor(style.rules, feature, scale).flatMap((rule) =>
    rule.symbols.map((symbol) => ({ rule, symbol: plainSymbol(symbol, feature, scale) })),
  )
}

/** True if a rule draws at a scale. */
export function isInScale({ minScale, maxScale }: Rule, scale: number): boolean {
  return (minScale === undefined || scale >= minScale) && (maxScale === undefined || scale < maxScale)
}

/** Returns the rules that draw a feature at a scale, in the order of their passes. */
function rulesFor(rules: Rule[], feature: DrawnFeature, scale: number): Rule[] {
  const here = rules.filter((rule) => isInScale(rule, scale) && isMet(rule, feature))
  const passes = new Set(here.filter(({ isElse }) => isElse !== true).map(passOf))
  return here
    .filter((rule) => rule.isElse !== true || !passes.has(passOf(rule)))
    .sort((one, other) => passOf(one) - passOf(other))
}

function isMet({ condition }: Rule, feature: DrawnFeature): boolean {
  return condition === undefined || meetsCondition(condition, feature)
}

/** Returns the pass of a rule; the first pass is 0. */
export function passOf({ pass = 0 }: Pick<Rule, 'pass'>): number {
  return pass
}

/** Returns the symbol that draws a feature at a scale, with constant values and lengths in pixels. */
export function plainSymbol(symbol: Symbolizer, feature: DrawnFeature, scale: number): PlainSymbolizer {
  if (symbol.kind === 'raster') return symbol
  const { unit, ...rest } = symbol
  const pixels = unit === 'metre' ? 1 / (scale * metresOfPixel) : 1
  const plain = plainOf(rest, { feature, zoom: exactZoomOfScale(scale), pixels }) as PlainSymbolizer
  return plain
}

interface Context {
  feature: DrawnFeature
  zoom: number
  /** Pixels per unit of length. */
  pixels: number
}

const lengths = new Set(['width', 'size', 'offset', 'right', 'up', 'repeat'])
const colors = new Set(['color'])

/** Returns an object with all its driven values computed, and all lengths in pixels. */
function plainOf(values: object, context: Context): object {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value === undefined ? undefined : plainValue(key, value, context),
    ]),
  )
}

function plainValue(key: string, value: unknown, context: Context): unknown {
  if (key === 'label') return [labelText(value as (string | StyleAttribute)[], context.feature)]
  if (key === 'dashes') return (value as number[]).map((dash) => dash * context.pixels)
  if (colors.has(key)) return evaluate(value as Value<string>, context, 'color')
  if (isAmount(key, value)) {
    const amount = evaluate(value as Value<number>, context, 'amount')
    return lengths.has(key) ? amount * context.pixels : amount
  }
  return typeof value === 'object' && value !== null ? plainOf(value, context) : value
}

function isAmount(key: string, value: unknown): boolean {
  return lengths.has(key) || (typeof value === 'object' && value !== null && 'by' in value)
}

function labelText(label: (string | StyleAttribute)[], feature: DrawnFeature): string {
  return label.map((part) => (typeof part === 'string' ? part : textOf(feature.get(part.property)))).join('')
}

function textOf(value: unknown): string {
  return value == null ? '' : String(value)
}

const usual = { color: '#000000', amount: 0 }

/**
 * Returns the value for a feature; the first possible value if the computed one is not a number or a colour.
 */
function evaluate(value: Value<string>, context: Context, kind: 'color'): string
function evaluate(value: Value<number>, context: Context, kind: 'amount'): number
function evaluate(
  value: Value<string | number>,
  context: Context,
  kind: 'color' | 'amount',
): string | number {
  if (typeof value !== 'object') return value
  switch (value.by) {
    case 'attribute':
      return ownAttribute(context.feature.get(value.property), kind)
    case 'categories':
      return categoryOf(value, context.feature)
    case 'classes': {
      const input = inputOf(value.input, context)
      const index = value.breaks.filter((at) => input >= at).length
      return otherwiseOf(value, input) ?? value.values[index] ?? usual[kind]
    }
    case 'interpolation': {
      const input = inputOf(value.input, context)
      return otherwiseOf(value, input) ?? interpolate(value, input) ?? usual[kind]
    }
  }
}

function ownAttribute(value: unknown, kind: 'color' | 'amount'): string | number {
  if (kind === 'color') return parseColor(textOf(value))?.color ?? usual.color
  const amount = conditionNumber(value)
  return Number.isFinite(amount) ? amount : usual.amount
}

function categoryOf<T>(value: Extract<Driven<T>, { by: 'categories' }>, feature: DrawnFeature): T {
  const { property, categories, otherwise } = value
  const input = feature.get(property)
  const found =
    input == null
      ? undefined
      : categories.find(({ values }) => values.some((one) => orderOfValues(input, one) === 0))
  return found === undefined ? otherwise : found.value
}

function inputOf(input: Input, { feature, zoom }: Context): number {
  return input === 'zoom' ? zoom : conditionNumber(feature.get(input.property))
}

function otherwiseOf<T>({ otherwise }: { otherwise?: T }, input: number): T | undefined {
  return Number.isNaN(input) ? otherwise : undefined
}

type Interpolation = Extract<Driven<string | number>, { by: 'interpolation' }>

/** Returns the value at a position between stops; undefined without stops. */
export function interpolate({ base, stops }: Interpolation, input: number): string | number | undefined {
  const next = stops.findIndex(({ at }) => at > input)
  const [before, after] = [stops[next - 1], stops[next]]
  if (next === 0 || Number.isNaN(input)) return stops[0]?.value
  if (before === undefined || after === undefined) return stops.at(-1)?.value
  const share = shareOf(input - before.at, after.at - before.at, base)
  const [from, to] = [before.value, after.value]
  if (typeof from === 'number' && typeof to === 'number') return from + (to - from) * share
  return mixColors(String(from), String(to), share)
}

function shareOf(way: number, whole: number, base: number): number {
  return base === 1 ? way / whole : (base ** way - 1) / (base ** whole - 1)
}
