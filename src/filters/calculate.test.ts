import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schema } from '../geo/schema.ts'
import type { ArithmeticOperator, NumberValue } from './calculate.ts'
import { calculate, digitsOf } from './calculate.ts'
import { checkFilter } from './check-filter.ts'
import { parseCql2Json } from './cql2-json.ts'
import { parseCql2Text } from './cql2-text.ts'
import { requireFilterSize } from './filter-size.ts'

const schema: Schema = {
  attributes: ['value', 'foo', 'bar', 'x', 'i', 'div'].map((name) => ({
    name,
    type: name === 'i' ? 'int32' : 'float64',
  })),
  geometry: undefined,
}
const checked = (text: string) => checkFilter(parseCql2Text(text), schema)

describe('arithmetic of filters', () => {
  it('has the precedence of the standard', () => {
    for (const [text, brackets] of [
      ['x = 1 + foo * bar ^ 2 - i', 'x = ((1 + (foo * (bar ^ 2))) - i)'],
      ['x = foo / bar div i % 3', 'x = (((foo / bar) div i) % 3)'],
      ['x -1 = 2', 'x - 1 = 2'],
      ['x -1-2*-3 = 2', '((x - 1) - (2 * (-3))) = 2'],
      ['-foo ^ 2 = 4', '(-1 * foo) ^ 2 = 4'],
      ['(foo + bar) * 2 > x AND NOT (x > 1)', '((foo + bar) * 2) > x AND NOT (x > 1)'],
      ['x BETWEEN -2 AND foo+1', 'x >= -2 AND x <= (foo + 1)'],
      ['div DIV "div" = div', '(div div div) = div'],
      ['i = 1038290 - 21 div 10', 'i = 1038288'],
      ['i = 2 ^ 62 + 1', 'i = 4611686018427387905'],
      ['i = 20 / 10', 'i = 2'],
    ] as const)
      assert.deepEqual(checked(text), checked(brackets), text)
    assert.throws(() => checked('x = 2 ^ 3 ^ 2'), /at character 11, "\^ 2": brackets were expected/)
  })

  it('means the same in both notations, as in the examples of the standard', () => {
    const json =
      '{"op":"=","args":[{"property":"value"},{"op":"-","args":[{"op":"+","args":[{"op":"*","args":[{"op":"*","args":[-1,{"property":"foo"}]},2.0]},{"op":"/","args":[{"property":"bar"},6.1234]}]},{"op":"^","args":[{"property":"x"},2.0]}]}]}'
    const text = '"value" = ((((-1 * "foo") * 2.0) + ("bar" / 6.1234)) - ("x" ^ 2.0))'
    assert.deepEqual(checkFilter(parseCql2Json(json), schema), checked(text))
  })

  it('is exact for integers, and has no result where that is not a number of 64 bits', () => {
    const cases: [NumberValue, ArithmeticOperator, NumberValue, NumberValue | undefined][] = [
      [9007199254740993n, '*', 3n, 27021597764222979n],
      [9223372036854775807n, '+', 1n, undefined],
      [-9223372036854775808n, 'div', -1n, undefined],
      [-7n, 'div', 2n, -3n],
      [-7n, '%', 2n, -1n],
      [7n, '%', 0n, undefined],
    ]
    for (const [a, operator, b, result] of cases) assert.equal(calculate(operator, 'integer', a, b), result)
  })

  it('has no result for doubles beyond its limits, and zero below them', () => {
    const cases: [number, ArithmeticOperator, number, number | undefined][] = [
      [1, '/', 0, undefined],
      [0, '/', 0, undefined],
      [5.5, '%', 2, 1.5],
      [-5.5, 'div', 2, -2],
      [1e149, '*', 10, undefined],
      [1e-129, '/', 100, 0],
      [0.1, '+', 0.2, 0.30000000000000004],
      [-8, '^', 1 / 3, undefined],
      [0, '^', -1, undefined],
      [0, '^', 0, 1],
      [10, '^', 1e140, undefined],
      [10, '^', -1e140, 0],
      [2, '^', 0.5, Math.SQRT2],
    ]
    for (const [a, operator, b, result] of cases)
      assert.equal(calculate(operator, 'real', a, b), result, `${a} ${operator} ${b}`)
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1e300])
      assert.equal(calculate('real', 'real', value), undefined)
    assert.deepEqual([digitsOf(2 ** 62), digitsOf(1e21), digitsOf(-0)], ['4611686018427387904', '1e+21', '0'])
  })

  it('counts a calculation as often as a list repeats it, and refuses what is nested too deep', () => {
    const limits = { filterNodes: 200, coordinates: 0 }
    const list = Array.from({ length: 60 }, (_, index) => index).join(', ')
    requireFilterSize(parseCql2Text(`ABS(i) IN (${list})`), limits)
    const repeated = parseCql2Text(`i * 2 + 1 IN (${list})`)
    assert.throws(() => requireFilterSize(repeated, limits), { code: 'invalid-filter' })
    for (const text of [
      `i = 1${' + i'.repeat(300_000)}`,
      `i = ${'-'.repeat(150)}i`,
      `i = ${'('.repeat(150)}i${')'.repeat(150)}`,
    ])
      assert.throws(() => checked(text), {
        code: 'invalid-filter',
        message: /deeper than 100 levels|more than 5000/,
      })
  })
})
