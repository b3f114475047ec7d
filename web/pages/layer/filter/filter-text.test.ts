import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Condition, ValueKind } from './filter-text.ts'
import { conditionsOf, signsOf, toFilterText } from './filter-text.ts'

const values: Record<ValueKind, string[]> = {
  number: ['0', '-1.5', '1e6', '+3'],
  text: ["it's", '100% _real_ \\ "quoted"', 'a AND b', '', ' spaces ', 'שלום', "'';--", '12'],
  time: ['2026-11-23', '2026-11-23T10:00:00Z'],
  truth: ['true', 'false'],
}
const names = ['name', 'POP90_SQMI', 'with "quotes"', 'größe', 'and', "it's"]

describe('the filter of a layer', () => {
  it('says in CQL2 what was chosen, and is read from it again', () => {
    const all: Condition[] = []
    const kinds: ValueKind[] = []
    for (const kind of ['number', 'text', 'time', 'truth'] as const)
      for (const sign of signsOf[kind])
        for (const value of sign === 'empty' || sign === 'filled' ? [''] : values[kind])
          for (const name of names) {
            all.push({ name, sign, value })
            kinds.push(kind)
          }
    for (const [at, one] of all.entries()) {
      const text = toFilterText([one], () => kinds[at] ?? 'text')
      assert.deepEqual(conditionsOf(text), [one], text)
    }
    const texts = all.map((one, at) => toFilterText([one], () => kinds[at] ?? 'text'))
    assert.deepEqual(conditionsOf(texts.join(' AND ')), all)
  })

  it('is as CQL2 has it', () => {
    const text = toFilterText(
      [
        { name: 'a', sign: '>=', value: ' 10 ' },
        { name: 'b', sign: 'contains', value: "50%'s" },
        { name: 'c', sign: '<', value: '2026-01-01' },
        { name: 'a', sign: '=', value: 'ten' },
      ],
      (name) => (({ a: 'number', b: 'text', c: 'time' }) as const)[name] ?? 'text',
    )
    assert.equal(
      text,
      `"a" >= 10 AND CASEI("b") LIKE CASEI('%50\\%''s%') AND "c" < DATE('2026-01-01') AND "a" = 'ten'`,
    )
  })

  for (const text of [
    'a = 1 OR b = 2',
    'NOT (a = 1)',
    'S_INTERSECTS(geometry, BBOX(0,0,10,10))',
    "name LIKE 'a%'",
    "CASEI(name) LIKE CASEI('a_b%')",
    'a + 1 = 2',
    'a = b',
    'a =',
    'a = 1 AND',
    '"a = 1',
  ])
    it(`leaves to its text what is more than conditions: ${text}`, () => {
      assert.equal(conditionsOf(text), undefined)
    })
})
