import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseList } from './dump-list.ts'

/** As GDAL 3.6 writes it. */
const written = (items: string[]): string =>
  `{${items.map((item) => (item === '' ? 'NULL' : `"${item.replaceAll('"', '\\"')}"`)).join(',')}}`

describe('lists of a dump', () => {
  it('become JSON, their numbers with all the digits that are there', () => {
    assert.equal(parseList('{1,-9223372036854775808}', 'integer'), '[1,-9223372036854775808]')
    assert.equal(parseList('{0.5,1e+300,NaN,-Infinity}', 'real'), '[0.5,1e+300,null,null]')
    assert.equal(parseList('{1,0,t,f}', 'boolean'), '[true,false,true,false]')
    for (const item of ['integer', 'real', 'boolean', 'text'] as const) {
      assert.equal(parseList('{}', item), '[]')
    }
  })

  it('of texts keep quotes, backslashes, commas and empty texts', () => {
    const lists = [
      ['a"b', 'c\\d,{}', '', 'NULL', 'null', 'é'],
      ['\\'],
      ['a\\', 'b'],
      ['c\\"d'],
      ['"'],
      ['', ''],
      ['{', '}', ' ', 'a\nb\t'],
      ['NULL,NULL'],
    ]
    for (const items of lists) assert.equal(parseList(written(items), 'text'), JSON.stringify(items))
  })

  it('of any texts are read as written', () => {
    const item = fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', 'a', 'NULL') })
    fc.assert(
      fc.property(fc.array(item), (items) => {
        assert.equal(parseList(written(items), 'text'), JSON.stringify(items))
      }),
      { numRuns: 3000 },
    )
  })

  it('of any other form are not read', () => {
    for (const text of ['', '{', '1', '[1]', '{1,}', '{1', '{a}', '{0x10}', '{ }', '{1.5}']) {
      assert.equal(parseList(text, 'integer'), undefined, text)
    }
    for (const text of ['{a}', '{"a"', '{"a}', '{"a"b}', '{"a",}', '{,"a"}', '{null}', '{"a"}"}']) {
      assert.equal(parseList(text, 'text'), undefined, text)
    }
  })
})
