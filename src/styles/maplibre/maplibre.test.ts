import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { arbitraryAttributes, arbitraryRule } from '../../../tests/support/arbitrary-style.ts'
import { withoutUndefined } from '../../../tests/support/without-undefined.ts'
import { amountsOf, isDriven } from '../driven.ts'
import { drawnSymbols } from '../evaluate.ts'
import type { Rule, Style, Symbolizer } from '../model.ts'
import { scaleOfZoom } from '../scale.ts'
import { readMapLibre } from './read-maplibre.ts'
import { writeMapLibre } from './write-maplibre.ts'

/** One pass per rule, and no outline wider than its mark. */
function asMapLibre(rules: Rule[]): Rule[] {
  return rules.map((rule, index) => ({
    ...rule,
    symbols: rule.symbols.map(withFittingOutline),
    ...(index === 0 ? {} : { pass: index }),
  }))
}

function withFittingOutline(symbol: Symbolizer): Symbolizer {
  if (symbol.kind !== 'point' || symbol.stroke === undefined) return symbol
  const { stroke, ...plain } = symbol
  const sizes = amountsOf(symbol.size) ?? [0]
  return isDriven(stroke.width) || Math.min(...sizes) < stroke.width ? plain : symbol
}

describe('MapLibre styles', () => {
  it('draw an outline around a circle, which lies on the edge of a mark', () => {
    const circle = (paint: object) => {
      const layers = [{ id: 'a', type: 'circle', source: 's', 'source-layer': 'x', paint }]
      return readMapLibre(JSON.stringify({ version: 8, sources: {}, layers })).rules[0]?.symbols[0]
    }
    const outline = { 'circle-stroke-width': 2 }
    assert.deepEqual(
      [circle({ 'circle-radius': 4 }), circle({ 'circle-radius': 4, ...outline })].map(
        (symbol) => symbol?.kind === 'point' && symbol.size,
      ),
      [8, 10],
    )
    const stroke = { color: '#000000', width: 2, opacity: 1 }
    const onGround = { kind: 'point', shape: 'circle', size: 10, stroke, unit: 'metre' } as const
    const written = JSON.parse(writeMapLibre({ rules: [{ symbols: [onGround] }], lost: [] }, 'x').document)
    const { 'circle-stroke-width': metres } = written.layers[0].paint
    const mixed = circle({ 'circle-radius': 4, 'circle-stroke-width': metres })
    assert.equal(mixed?.kind === 'point' && mixed.size, 8)
    const allOutline = { ...onGround, stroke: { ...stroke, width: 10 } }
    const document = writeMapLibre({ rules: [{ symbols: [allOutline] }], lost: [] }, 'x').document
    assert.deepEqual(withoutUndefined(readMapLibre(document).rules[0]?.symbols), [allOutline])
    for (const [size, radius, lost] of [
      [10, 4, []],
      [2, 0, []],
      [1, 0.5, ['the place of the outline of a mark']],
    ] as const) {
      const mark = { kind: 'point', shape: 'circle', size, stroke } as const
      const made = writeMapLibre({ rules: [{ symbols: [mark] }], lost: [] }, 'x')
      assert.equal(JSON.parse(made.document).layers[0].paint['circle-radius'], radius)
      assert.deepEqual(made.lost, lost)
    }
  })

  const rules = fc
    .array(arbitraryRule({ isDriven: true, hasMetres: false }), { maxLength: 3 })
    .map(asMapLibre)

  it('draw features as the model does, also after they were written and read', () => {
    fc.assert(
      fc.property(rules, arbitraryAttributes, fc.integer({ min: 2, max: 18 }), (made, attributes, zoom) => {
        const feature = { dimension: 1 as const, get: (name: string) => attributes[name] }
        const symbolsOf = (style: Style) =>
          drawnSymbols(style, feature, scaleOfZoom(zoom) * 0.99).map(({ symbol }) => symbol)
        const style = { rules: made, lost: [] }
        const back = readMapLibre(writeMapLibre(style, 'x').document)
        assert.deepEqual(withoutUndefined(symbolsOf(back)), withoutUndefined(symbolsOf(style)))
      }),
      { numRuns: 300 },
    )
  })

  it('that are written from what was read of them stay the same', () => {
    const rich = arbitraryRule({ isDriven: true, hasMetres: true })
    fc.assert(
      fc.property(fc.array(rich, { maxLength: 3 }), (made) => {
        const once = readMapLibre(writeMapLibre({ rules: made, lost: [] }, 'x').document)
        const twice = readMapLibre(writeMapLibre(once, 'x').document)
        assert.deepEqual(withoutUndefined(twice.rules), withoutUndefined(once.rules))
      }),
      { numRuns: 200 },
    )
  })
})
