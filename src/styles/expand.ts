import type { Expression } from '../filters/expression.ts'
import { disjunction } from '../filters/expression.ts'
import { comparison, everyOf, negation, someOf } from './condition.ts'
import { interpolate, passOf } from './evaluate.ts'
import type { Losses } from './losses.ts'
import type { Driven, Input, Rule, Symbolizer } from './model.ts'
import { scaleOfZoom } from './scale.ts'

/** Maximum number of rules of an expanded style. */
const maxRules = 2000

/** Maximum number of characters of copied symbols, so that no document occupies the server for long. */
const maxCopied = 2_000_000

/** Maximum numbers of else rules that are converted to conditions, and of conditions of one of them. */
const [maxElseRules, maxConditions] = [10, 20_000]

/** Number of classes that replace the values between two stops. */
const stepsOfInterpolation = 6

/** A driven value that rules can express: every kind except an attribute value. */
type Divided = Exclude<Driven<string | number>, { by: 'attribute' }>

/** Symbols, scope and label of one case of a value. */
interface Case {
  value: string | number
  condition?: Expression
  minZoom?: number
  maxZoom?: number
  label?: string
}

/**
 * Returns the same style with rules only, for languages with constant values: each class and category becomes
 * a rule, interpolated values become a few classes, which is recorded as a loss. Attribute values remain.
 */
export function expandRules(rules: Rule[], losses: Losses): Rule[] {
  const explicit = rules.some((rule) => rule.isElse === true && firstDriven(rule) !== undefined)
    ? withoutElse(rules, losses)
    : rules
  const done: Rule[] = []
  const waiting = explicit.toReversed()
  let copied = 0
  for (let rule = waiting.pop(); rule !== undefined; rule = waiting.pop()) {
    const driven = firstDriven(rule)
    if (driven === undefined) done.push(rule)
    else {
      copied += countOf(driven) * JSON.stringify(rule.symbols).length
      const isTooMuch = done.length + waiting.length + countOf(driven) > maxRules || copied > maxCopied
      if (isTooMuch) {
        losses.add(`values that would make more than ${maxRules} rules, drawn by their first class`)
        waiting.push(replaced(rule, driven, firstOf(driven)))
      } else waiting.push(...divide(rule, driven, losses).toReversed())
    }
  }
  return done
}

/** Returns the approximate number of cases of a value. */
function countOf(driven: Divided): number {
  if (driven.by === 'categories') return driven.categories.length + 1
  return driven.by === 'classes' ? driven.values.length + 1 : driven.stops.length + stepsOfInterpolation
}

function firstOf(driven: Divided): string | number {
  if (driven.by === 'categories') return driven.otherwise
  return (driven.by === 'classes' ? driven.values[0] : driven.stops[0]?.value) ?? 0
}

function divide(rule: Rule, driven: Divided, losses: Losses): Rule[] {
  if (driven.by === 'interpolation') losses.add('values between stops, drawn in steps')
  return casesOf(driven).flatMap((one) => {
    const part = limited(replaced(rule, driven, one.value), one)
    return part === undefined ? [] : [part]
  })
}

/** Returns the first value of a rule's symbols that has to be divided. */
function firstDriven({ symbols }: Rule): Divided | undefined {
  let found: Divided | undefined
  JSON.stringify(symbols, (_key, value: unknown) => {
    if (found === undefined && isDivided(value)) found = value
    return value
  })
  return found
}

function isDivided(value: unknown): value is Divided {
  return typeof value === 'object' && value !== null && 'by' in value && value.by !== 'attribute'
}

/** Returns the rule with a constant wherever its symbols use this driven value with the same cases. */
function replaced(rule: Rule, driven: Divided, value: string | number): Rule {
  const requested = JSON.stringify(driven)
  return { ...rule, symbols: rule.symbols.map((symbol) => replaceIn(symbol, requested, value) as Symbolizer) }
}

function replaceIn(part: unknown, requested: string, value: string | number): unknown {
  if (Array.isArray(part)) return part.map((one: unknown) => replaceIn(one, requested, value))
  if (typeof part !== 'object' || part === null) return part
  if (isDivided(part)) return JSON.stringify(part) === requested ? value : part
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, replaceIn(one, requested, value)]))
}

/** Returns the rule limited to one case; undefined if its scale range becomes empty. */
function limited(rule: Rule, { condition, minZoom, maxZoom, label }: Case): Rule | undefined {
  const minScale = Math.max(rule.minScale ?? 0, maxZoom === undefined ? 0 : scaleOfZoom(maxZoom))
  const endless = Number.POSITIVE_INFINITY
  const maxScale = Math.min(rule.maxScale ?? endless, minZoom === undefined ? endless : scaleOfZoom(minZoom))
  if (minScale >= maxScale) return undefined
  const both = [rule.condition, condition].filter((one) => one !== undefined)
  const [only] = both
  const title = [rule.title, label].filter((text) => text !== undefined).join(': ')
  return {
    ...rule,
    title: title === '' ? rule.title : title,
    condition: only === undefined ? rule.condition : everyOf(both),
    minScale: minScale === 0 ? rule.minScale : minScale,
    maxScale: maxScale === endless ? rule.maxScale : maxScale,
  }
}

function casesOf(driven: Divided): Case[] {
  if (driven.by === 'categories') return categoryCases(driven)
  if (driven.by === 'classes') return classCases(driven)
  return classCases(stepped(driven))
}

function categoryCases({ property, categories, otherwise }: Extract<Divided, { by: 'categories' }>): Case[] {
  const conditions = categories.map(({ values }) =>
    someOf(values.map((value) => comparison('=', property, value))),
  )
  return [
    ...categories.map(({ values, value }, index) => ({
      value,
      label: values.join(', '),
      condition: conditions[index],
    })),
    { value: otherwise, condition: negation(someOf(conditions)) },
  ]
}

type Classes = Extract<Divided, { by: 'classes' }>

function classCases({ input, breaks, values, otherwise }: Classes): Case[] {
  const cases = values.map((value, index): Case => {
    const [from, to] = [breaks[index - 1], breaks[index]]
    if (input === 'zoom') return zoomCase(value, from, to)
    return {
      value,
      label: labelOf(from, to),
      ...conditionOf(input.property, from, to, otherwise === undefined),
    }
  })
  const [first] = breaks
  if (input === 'zoom' || otherwise === undefined || first === undefined) return cases
  const { property } = input
  const isNumber = disjunction([comparison('<', property, first), comparison('>=', property, first)])
  return [...cases, { value: otherwise, condition: negation(isNumber) }]
}

function zoomCase(value: string | number, from: number | undefined, to: number | undefined): Case {
  return { value, minZoom: from, maxZoom: to }
}

/** The first class includes non-numeric values unless another rule matches them. */
function conditionOf(property: string, from: number | undefined, to: number | undefined, takesRest: boolean) {
  const above: Expression[] = from === undefined ? [] : [comparison('>=', property, from)]
  const below: Expression[] = to === undefined ? [] : [comparison('<', property, to)]
  if (from === undefined && to !== undefined && takesRest) {
    return { condition: negation(comparison('>=', property, to)) }
  }
  const both = [...above, ...below]
  const [only] = both
  if (only === undefined) return {}
  return { condition: everyOf(both) }
}

function labelOf(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return to === undefined ? 'all' : `below ${to}`
  return to === undefined ? `${from} and more` : `${from} to ${to}`
}

/**
 * Returns classes for an interpolation: several between each two stops, each with the value at its middle.
 */
function stepped(driven: Extract<Divided, { by: 'interpolation' }>): Classes {
  const { input, stops, otherwise } = driven
  const parts = Math.max(1, Math.ceil(stepsOfInterpolation / Math.max(1, stops.length - 1)))
  const breaks: number[] = []
  const values: (string | number)[] = [stops[0]?.value ?? 0]
  for (const [index, { at }] of stops.entries()) {
    const next = stops[index + 1]
    for (let part = 0; part < parts && next !== undefined; part += 1) {
      const step = (next.at - at) / parts
      breaks.push(at + part * step)
      values.push(interpolate(driven, at + (part + 0.5) * step) ?? 0)
    }
  }
  const last = stops.at(-1)
  if (last !== undefined) {
    breaks.push(last.at)
    values.push(last.value)
  }
  return { by: 'classes', input: input satisfies Input, breaks, values, otherwise }
}

/**
 * Returns the same rules without else rules: each else rule becomes a condition, for each scale range in
 * which the same rules of its pass draw.
 */
export function withoutElse(rules: Rule[], losses: Losses): Rule[] {
  let count = 0
  return rules.flatMap((rule) => {
    if (rule.isElse !== true) return [rule]
    count += 1
    return count <= maxElseRules
      ? explicitElse(rule, rules, losses)
      : (losses.add(`else rules after the first ${maxElseRules}`) ?? [])
  })
}

function explicitElse(rule: Rule, rules: Rule[], losses: Losses): Rule[] {
  const { isElse: _isElse, ...plain } = rule
  const others = rules.filter((other) => other.isElse !== true && passOf(other) === passOf(rule))
  const all = scaleRanges(rule, others)
  const isHuge = all.length * others.length > maxConditions
  if (isHuge) losses.add('an else rule beside rules of many scales, drawn by some of them')
  const ranges = all.slice(0, isHuge ? 1 : undefined).flatMap(([minScale, maxScale]) => {
    const here = others.filter(
      (other) =>
        (other.minScale ?? 0) <= minScale && (other.maxScale ?? Number.POSITIVE_INFINITY) >= maxScale,
    )
    if (here.some(({ condition }) => condition === undefined)) return []
    const conditions = here.flatMap(({ condition }) => condition ?? [])
    const rest = conditions.length === 0 ? [] : [negation(disjunction(conditions))]
    const both = [...(plain.condition === undefined ? [] : [plain.condition]), ...rest]
    const [only] = both
    const { minScale: _min, maxScale: _max, condition: _condition, ...bare } = plain
    return [
      {
        ...bare,
        condition: only === undefined ? undefined : everyOf(both),
        minScale: minScale === 0 ? undefined : minScale,
        maxScale: maxScale === Number.POSITIVE_INFINITY ? undefined : maxScale,
      },
    ]
  })
  const isFree = ({ condition }: Rule): number => (condition === undefined ? 1 : 0)
  return ranges.sort((one, other) => isFree(one) - isFree(other))
}

/** Returns the scale ranges of a rule within which no other rule begins or ends. */
function scaleRanges(rule: Rule, others: Rule[]): [number, number][] {
  const [least, most] = [rule.minScale ?? 0, rule.maxScale ?? Number.POSITIVE_INFINITY]
  const inside = others
    .flatMap(({ minScale, maxScale }) => [minScale ?? 0, maxScale ?? 0])
    .filter((scale) => scale > least && scale < most)
  const bounds = [least, ...new Set(inside.sort((one, other) => one - other)), most]
  return bounds.slice(1).map((to, index) => [bounds[index] ?? 0, to])
}
