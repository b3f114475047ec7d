import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schema } from '../geo/schema.ts'
import { checkFilter } from './check-filter.ts'
import { parseCql2Json } from './cql2-json.ts'
import { parseCql2Text } from './cql2-text.ts'
import { inColumns } from './filter.ts'
import { roundNumber } from './functions.ts'
import { foldFilterText, lengthOfText } from './texts.ts'

const schema: Schema = {
  attributes: [
    { name: 'name', type: 'text' },
    { name: 'i', type: 'int64' },
    { name: 'f', type: 'float64' },
  ],
  geometry: undefined,
}

const checked = (text: string) => checkFilter(parseCql2Text(text), schema)

describe('functions of filters', () => {
  it('mean the same in both notations', () => {
    const pairs: [text: string, json: object][] = [
      ["LOWER(name) = upper('a')", { op: '=', args: [call('lower', name), call('upper', 'a')] }],
      ['Length(casei(name)) > 3', { op: '>', args: [call('length', call('casei', name)), 3] }],
      ['abs(ROUND(f)) IN (1)', { op: 'in', args: [call('abs', call('round', { property: 'f' })), [1]] }],
      ['LENGTH(name) IS NULL', { op: 'isNull', args: [call('length', name)] }],
    ]
    for (const [text, json] of pairs)
      assert.deepEqual(checkFilter(parseCql2Json(JSON.stringify(json)), schema), checked(text), text)
  })

  it('have their value at once where their argument is written', () => {
    assert.deepEqual(checked('i = ABS(ROUND(-2.5))'), checked('i = 3'))
  })

  it('are of the columns that attributes are called by', () => {
    const renamed = inColumns(checked('LENGTH(LOWER(name)) = ABS(ROUND(i))'), (one) => `c_${one}`)
    const texts = [...JSON.stringify(renamed).matchAll(/"attribute":"([^"]*)"/g)].map(([, one]) => one)
    assert.deepEqual(texts, ['c_name', 'c_i'])
  })

  it('are refused with arguments of another number or type, where they are no condition, and where they are too deep', () => {
    for (const text of [
      'LOWER(i) = 2',
      "LOWER(name, 'a') = 'a'",
      'ROUND(name) = 2',
      "LENGTH(name) = 'a'",
      'ABS(i)',
      'UPPER(nobody) IS NULL',
      'ROUND(name) IS NULL',
      `${'ABS('.repeat(150)}i${')'.repeat(150)} = 1`,
    ])
      assert.throws(() => checked(text), { code: 'invalid-filter' }, text)
    for (const [text, message] of [
      ["i = 1 + ABS(name, 'a')", /"abs" at character 9 takes one argument, not 2/],
      ["i = 1 AND LOWER(2) = 'a'", /Argument 1 of "lower" at character 11, 2, is not of type text/],
      ['i = 1 AND 2 * name > 1', /Argument 2 of "\*" at character 13, "name", is not of type number/],
    ] as const)
      assert.throws(() => checked(text), { code: 'invalid-filter', message }, text)
    const inJson = '{"op":"=","args":[1,{"op":"abs","args":[{"property":"name"}]}]}'
    assert.throws(
      () => checkFilter(parseCql2Json(inJson), schema),
      /of "abs" at "\/args\/1", "name", is not of type number/,
    )
    assert.throws(() => checked('SQRT(i) = 1'), {
      code: 'unsupported-filter',
      message: /SQRT .*at character 1/,
    })
    assert.throws(() => parseCql2Json(inJson.replace('abs', 'sqrt')), /"sqrt" .*at "\/args\/1"/)
    assert.throws(() => checked('constructor(i) = 1'), { code: 'unsupported-filter' })
  })

  it('round halves away from zero, exactly', () => {
    const cases = [
      [0.5, 1],
      [-0.5, -1],
      [2.5, 3],
      [-2.5, -3],
      [0.49999999999999994, 0],
      [4503599627370495.5, 4503599627370496],

      [1e300, 1e300],
      [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      [2 ** 53, 2 ** 53],
    ]
    for (const [value = 0, whole] of cases) assert.equal(roundNumber(value), whole, String(value))
    assert.ok(Number.isNaN(roundNumber(Number.NaN)))
  })

  it('take texts by the rules of Unicode', () => {
    assert.deepEqual(
      [foldFilterText('Straße ΑΣ', 'upper'), foldFilterText('ΑΣ İ', 'case')],
      ['STRASSE ΑΣ', 'ας i̇'],
    )
    assert.deepEqual([lengthOfText(''), lengthOfText('𝕬bc'), lengthOfText('e\u0301')], [0, 3, 2])
  })
})

const name = { property: 'name' }

function call(op: string, ...args: unknown[]): object {
  return { op, args }
}
