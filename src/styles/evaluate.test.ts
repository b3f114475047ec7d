import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Expression } from '../filters/expression.ts'
import { comparison, likeness } from './condition.ts'
import { drawnSymbols } from './evaluate.ts'
import { meetsCondition } from './feature-filter.ts'
import type { Dimension, Rule, Value } from './model.ts'
import { scaleOfZoom } from './scale.ts'

function feature(attributes: Record<string, unknown>, dimension: Dimension = 2) {
  return { dimension, get: (property: string) => attributes[property] }
}

function meets(condition: Expression, attributes: Record<string, unknown>): boolean {
  return meetsCondition(condition, feature(attributes))
}

function colorOf(color: Value<string>, attributes: Record<string, unknown>, zoom = 10): string {
  const rules: Rule[] = [{ symbols: [{ kind: 'polygon', fill: { color, opacity: 1 } }] }]
  const [drawn] = drawnSymbols({ rules, lost: [] }, feature(attributes), scaleOfZoom(zoom))
  assert.equal(drawn?.symbol.kind, 'polygon')
  return drawn.symbol.fill?.color ?? 'none'
}

describe('conditions', () => {
  it('compare numbers with texts of numbers as numbers, texts as texts, and nothing with null', () => {
    assert.ok(meets(comparison('=', 'a', '1.0'), { a: 1 }))
    assert.ok(meets(comparison('<', 'a', 10), { a: '9' }))
    assert.ok(!meets(comparison('<', 'a', '10'), { a: '9' }))
    assert.ok(!meets(comparison('=', 'a', '01'), { a: '1' }))
    assert.ok(!meets(comparison('=', 'a', 0), { a: '' }))
    assert.ok(meets(comparison('<>', 'a', 3), { a: 'x' }))
    assert.ok(meets(comparison('>=', 'a', { property: 'b' }), { a: 4, b: 3n }))
    for (const op of ['=', '<>', '<', '>='] as const) {
      assert.ok(!meets(comparison(op, 'a', 0), { a: null }), op)
    }
    assert.ok(meets(comparison('=', 'a', 'ÄB', true), { a: 'äb' }))
  })

  it('of patterns match as regular expressions of the same meaning do, in little time', () => {
    const char = fc.constantFrom('a', 'b', '%', '_', '\\', 'ä')
    const text = fc.array(char, { maxLength: 8 }).map((chars) => chars.join(''))
    fc.assert(
      fc.property(text, text, (pattern, value) => {
        const source = pattern.replace(/\\(.)|\\$|[%_]/gu, (found, escaped?: string) => {
          if (escaped !== undefined) return escaped === '\\' ? '\\\\' : escaped
          return found === '%' ? '.*' : found === '_' ? '.' : ''
        })
        const isMet = meets(likeness('a', pattern), { a: value })
        assert.equal(isMet, new RegExp(`^(?:${source})$`, 'su').test(value))
      }),
    )
    assert.ok(!meets(likeness('a', `${'%a'.repeat(50)}%b`), { a: 'a'.repeat(5000) }))
  })
})

describe('symbols of a feature', () => {
  it('are those of the rules whose scale and condition fit; else rules draw the rest of their pass', () => {
    const line = (color: string): Rule['symbols'] => [
      { kind: 'line', stroke: { color, width: 1, opacity: 1 } },
    ]
    const rules: Rule[] = [
      { pass: 1, symbols: line('#000001') },
      { condition: comparison('=', 'a', 1), maxScale: 1000, symbols: line('#000002') },
      { isElse: true, symbols: line('#000003') },
      { isElse: true, minScale: 1000, symbols: line('#000004') },
    ]
    const colors = (a: number, scale: number) =>
      drawnSymbols({ rules, lost: [] }, feature({ a }), scale).map(({ symbol }) =>
        symbol.kind === 'line' ? symbol.stroke.color.at(-1) : '',
      )
    assert.deepEqual(colors(1, 999), ['2', '1'])
    assert.deepEqual(colors(1, 1000), ['3', '4', '1'])
    assert.deepEqual(colors(2, 999), ['3', '1'])
  })

  it('have plain values: by classes, categories, interpolation, and the attribute itself', () => {
    const classes: Value<string> = {
      by: 'classes',
      input: { property: 'a' },
      breaks: [0, 10],
      values: ['#000001', '#000002', '#000003'],
      otherwise: '#000009',
    }
    const found = [-1, 0, 9.9, '10', null].map((a) => colorOf(classes, { a }).at(-1))
    assert.deepEqual(found, ['1', '2', '2', '3', '9'])
    const categories = [{ values: ['x', 2], value: '#000001' }]
    const category: Value<string> = { by: 'categories', property: 'a', categories, otherwise: '#000002' }
    assert.deepEqual(
      ['x', 2, '2', null].map((a) => colorOf(category, { a }).at(-1)),
      ['1', '1', '1', '2'],
    )
    const stops = [
      { at: 0, value: '#000000' },
      { at: 10, value: '#0a0000' },
    ]
    const ramp: Value<string> = { by: 'interpolation', input: 'zoom', base: 1, stops }
    assert.deepEqual(
      [-3, 0, 5, 10, 12].map((zoom) => colorOf(ramp, {}, zoom)),
      ['#000000', '#000000', '#050000', '#0a0000', '#0a0000'],
    )
    assert.equal(colorOf({ by: 'attribute', property: 'c' }, { c: 'red' }), '#ff0000')
  })

  it('have lengths in pixels, also where they are metres on the ground', () => {
    const rules: Rule[] = [
      {
        symbols: [
          {
            kind: 'line',
            unit: 'metre',
            stroke: { color: '#000000', width: 28, opacity: 0.5, dashes: [14] },
          },
        ],
      },
    ]
    const [drawn] = drawnSymbols({ rules, lost: [] }, feature({}), 10_000)
    assert.deepEqual(drawn?.symbol, {
      kind: 'line',
      stroke: { color: '#000000', width: 10, opacity: 0.5, dashes: [5] },
    })
  })
})
