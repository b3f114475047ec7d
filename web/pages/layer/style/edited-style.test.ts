import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Drawn, EditedStyle } from './edited-style.ts'
import { usualSymbol } from './edited-style.ts'
import { readStyle } from './read-style.ts'
import { documentOf } from './write-style.ts'

const label = { column: 'name', size: 12, color: '#000000', haloColor: '#ffffff', haloWidth: 2 }
const styles: EditedStyle[] = [
  { mode: 'one', symbol: usualSymbol, classes: [], categories: [] },
  {
    mode: 'classes',
    symbol: usualSymbol,
    column: 'pop',
    categories: [],
    label,
    none: '#bdbdbd',
    classes: [
      { upper: -5.5, color: '#aabbcc' },
      { upper: 7, color: '#001122', title: 'many' },
      { upper: Number.POSITIVE_INFINITY, color: '#334455' },
    ],
  },
  {
    mode: 'categories',
    symbol: usualSymbol,
    column: 'kind',
    classes: [],
    others: '#636363',
    categories: [
      { value: 'a', color: '#aabbcc' },
      { value: 3, color: '#001122', title: 'three' },
      { value: true, color: '#334455' },
    ],
  },
]

describe('a style of the editor', () => {
  it('is read from its document as it was, for each kind of geometry', () => {
    const fields = { points: {}, lines: { lineWidth: 0 }, areas: {} } satisfies Partial<Record<Drawn, object>>
    for (const drawn of ['points', 'lines', 'areas'] as const)
      for (const style of styles) {
        const expected = { ...style, symbol: { ...style.symbol, ...fields[drawn] } }
        const read = readStyle(documentOf('x', expected, drawn) as { layers?: unknown })
        assert.ok(read, `${style.mode} of ${drawn}`)
        assert.equal(read.mode, style.mode)
        assert.deepEqual(read.classes, style.classes)
        assert.deepEqual(read.categories, style.categories)
        assert.deepEqual(read.label, style.label)
        assert.deepEqual([read.none, read.others, read.column], [style.none, style.others, style.column])
        assert.equal(read.symbol.opacity, expected.symbol.opacity)
        assert.equal(read.symbol.lineWidth, expected.symbol.lineWidth)
      }
  })
})
