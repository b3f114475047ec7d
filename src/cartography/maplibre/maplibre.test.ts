import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { arbitraryAttributes, arbitraryRule } from '../../../tests/support/arbitrary-style.ts'
import { drawnSymbols } from '../evaluate.ts'
import type { Rule, Style } from '../model.ts'
import { scaleOfZoom } from '../scale.ts'
import { readMapLibre } from './read-maplibre.ts'
import { writeMapLibre } from './write-maplibre.ts'

/** One pass for each rule. */
function asMapLibre(rules: Rule[]): Rule[] {
  return rules.map((rule, index) => ({ ...rule, ...(index === 0 ? {} : { pass: index }) }))
}

describe('MapLibre styles', () => {
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
        assert.deepEqual(symbolsOf(back), symbolsOf(style))
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
        assert.deepEqual(twice.rules, once.rules)
      }),
      { numRuns: 200 },
    )
  })
})
