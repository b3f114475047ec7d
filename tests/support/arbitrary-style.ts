import fc from 'fast-check'
import type { Expression } from '../../src/filters/expression.ts'
import { conjunction, disjunction } from '../../src/filters/expression.ts'
import { comparison, hasDimension, isNull, negation } from '../../src/styles/condition.ts'
import type { Fill, Rule, Stroke, Symbolizer, Value } from '../../src/styles/model.ts'
import { lineCaps, lineJoins, markShapes } from '../../src/styles/model.ts'
import { scaleOfZoom } from '../../src/styles/scale.ts'

/** Generates styles that every style language can express, for tests that write and read them. */

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const opacity = fc.integer({ min: 1, max: 20 }).map((value) => value / 20)
const amount = fc.integer({ min: 1, max: 80 }).map((value) => value / 4)
const property = fc.constantFrom('name', 'pop', 'größe', 'a b', 'x"y<&', '道路')
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .map((value) => value.replace(/[^\p{L}\p{N} <>&"'%_\\-]/gu, 'z').trim())
  .filter((value) => value !== '' && !/^-?\d|^(true|false)$/.test(value))
const literal = fc.oneof(text, fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(0.5, -2.25, 1e9))

/** Limits of the complexity of a generated value. */
export interface Richness {
  /** Values that are computed. */
  isDriven: boolean
  /** Lengths of metres on the ground. */
  hasMetres: boolean
}

function attributeClasses<T>(results: fc.Arbitrary<T>): fc.Arbitrary<Value<T>> {
  const classes = fc
    .tuple(property, fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 3 }))
    .chain(([name, breaks]) =>
      fc
        .tuple(fc.array(results, { minLength: breaks.length + 1, maxLength: breaks.length + 1 }), results)
        .map(
          ([values, otherwise]): Value<T> => ({
            by: 'classes',
            input: { property: name },
            breaks: breaks.toSorted((one, other) => one - other),
            values,
            otherwise,
          }),
        ),
    )
  const categories = fc
    .tuple(
      property,
      fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      fc.array(results, { minLength: 3, maxLength: 3 }),
      results,
    )
    .map(
      ([name, keys, values, otherwise]): Value<T> => ({
        by: 'categories',
        property: name,
        otherwise,
        categories: keys.map((key, index) => ({ values: [key], value: values[index] ?? otherwise })),
      }),
    )
  return fc.oneof(classes, categories)
}

function value<T>(results: fc.Arbitrary<T>, { isDriven }: Richness): fc.Arbitrary<Value<T>> {
  return isDriven
    ? fc.oneof({ weight: 3, arbitrary: results }, { weight: 1, arbitrary: attributeClasses(results) })
    : results
}

function fill(rich: Richness): fc.Arbitrary<Fill> {
  return fc.record({ color: value(color, rich), opacity })
}

function stroke(rich: Richness): fc.Arbitrary<Stroke> {
  return fc.record(
    {
      color: value(color, rich),
      width: amount,
      opacity,
      dashes: fc.constantFrom([4, 2], [1, 3, 5, 1]),
      cap: fc.constantFrom(...lineCaps),
      join: fc.constantFrom(...lineJoins),
    },
    { requiredKeys: ['color', 'width', 'opacity'] },
  )
}

const label = fc.oneof(
  property.map((name) => [{ property: name }]),
  fc.tuple(text, property).map(([before, name]) => [before, { property: name }]),
)

const placement = fc.oneof(
  fc.record({
    at: fc.constant('point' as const),
    right: fc.constantFrom(0, 4, -8),
    up: fc.constantFrom(0, 12),
    side: fc.constantFrom('left' as const, 'center' as const, 'right' as const),
    height: fc.constantFrom('top' as const, 'middle' as const, 'bottom' as const),
  }),
  fc.record({ at: fc.constant('line' as const), offset: fc.constantFrom(0, 3, -6) }),
)

function arbitrarySymbol(rich: Richness): fc.Arbitrary<Symbolizer> {
  const unit = rich.hasMetres ? fc.constantFrom({}, { unit: 'metre' as const }) : fc.constant({})
  const mark = fc.record(
    {
      kind: fc.constant('point' as const),
      shape: fc.constantFrom(...markShapes),
      size: amount,

      fill: fill(rich),
      stroke: stroke({ ...rich, isDriven: false }).map(({ color, width, opacity }) => ({
        color,
        width,
        opacity,
      })),
    },
    { requiredKeys: ['kind', 'shape', 'size', 'fill'] },
  )
  const line = fc.record(
    { kind: fc.constant('line' as const), stroke: stroke(rich), offset: fc.constantFrom(2, -3.5) },
    { requiredKeys: ['kind', 'stroke'] },
  )
  const polygon = fc.record(
    { kind: fc.constant('polygon' as const), fill: fill(rich), stroke: stroke(rich) },
    { requiredKeys: ['kind', 'fill'] },
  )
  const lettering = fc.record(
    {
      kind: fc.constant('text' as const),
      label,
      size: amount,
      color,
      opacity,
      halo: fc.record({ color, width: amount, opacity }),

      placement,
      font: fc.constantFrom({ family: 'Noto Serif' }, { family: 'DejaVu', isBold: true as const }),
    },
    { requiredKeys: ['kind', 'label', 'size', 'color', 'opacity'] },
  )
  return fc
    .tuple(fc.oneof(mark, line, polygon, lettering), unit)
    .map(([symbol, measure]) => ({ ...symbol, ...measure }))
}

const arbitraryCondition: fc.Arbitrary<Expression> = fc.letrec<{ condition: Expression }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc
      .tuple(fc.constantFrom('=' as const, '<>' as const), property, literal)
      .map(([op, name, value]) => comparison(op, name, value)),
    fc
      .tuple(
        fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
        property,
        fc.integer({ min: -99, max: 99 }),
      )
      .map(([op, name, value]) => comparison(op, name, value)),
    property.map(isNull),
    fc.constantFrom(0 as const, 1 as const, 2 as const).map(hasDimension),
    fc
      .tuple(fc.boolean(), fc.array(tie('condition'), { minLength: 2, maxLength: 3 }))
      .map(([isAll, conditions]) => (isAll ? conjunction(conditions) : disjunction(conditions))),
    tie('condition').map(negation),
  ),
})).condition

const zoom = fc.integer({ min: 1, max: 20 }).map(scaleOfZoom)

export function arbitraryRule(rich: Richness): fc.Arbitrary<Rule> {
  return fc
    .record(
      {
        name: text,
        title: text,
        condition: arbitraryCondition,
        minScale: zoom,
        maxScale: zoom,
        symbols: fc.array(arbitrarySymbol(rich), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['symbols'] },
    )
    .map(({ minScale, maxScale, ...rule }) =>
      minScale !== undefined && maxScale !== undefined && minScale >= maxScale
        ? { ...rule, minScale }
        : {
            ...rule,
            ...(minScale === undefined ? {} : { minScale }),
            ...(maxScale === undefined ? {} : { maxScale }),
          },
    )
    .map((rule) => structuredClone(rule))
}

/** Attributes that make conditions true and false. */
export const arbitraryAttributes = fc.dictionary(
  property,
  fc.oneof(text, fc.integer({ min: -60, max: 60 }), fc.constant(null)),
)
