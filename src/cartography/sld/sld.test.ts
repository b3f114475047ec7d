import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { arbitraryAttributes, arbitraryRule } from '../../../tests/support/arbitrary-style.ts'
import { drawnSymbols } from '../evaluate.ts'
import type { Rule, Style } from '../model.ts'
import { scaleOfZoom } from '../scale.ts'
import { sldVersions } from './dialect.ts'
import { readSld } from './read-sld.ts'
import { writeSld } from './write-sld.ts'

function roundTrip(style: Style, version: (typeof sldVersions)[number]): Style {
  return readSld(writeSld(style, 'x', version).document)
}

describe('SLD', () => {
  for (const version of sldVersions) {
    it(`of version ${version} says a style that is plain, and reads it again, the same`, () => {
      const rules = fc.array(arbitraryRule({ isDriven: false, hasMetres: true }), { maxLength: 4 })
      fc.assert(
        fc.property(rules, fc.boolean(), (made, hasElse) => {
          const last: Rule = {
            isElse: true,
            symbols: [{ kind: 'line', stroke: { color: '#000000', width: 1, opacity: 1 } }],
          }
          const style = { name: 'x', title: 'A title', rules: hasElse ? [...made, last] : made, lost: [] }
          assert.deepEqual(roundTrip(style, version), style)
        }),
        { numRuns: 150 },
      )
    })
  }

  it('draws features by rules as computed values draw them', () => {
    const rule = arbitraryRule({ isDriven: true, hasMetres: false })
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 3 }),
        arbitraryAttributes,
        fc.integer({ min: 2, max: 18 }),
        (rules, attributes, zoom) => {
          const style = { rules, lost: [] }
          const feature = { dimension: 1 as const, get: (name: string) => attributes[name] }
          const scale = scaleOfZoom(zoom) * 0.999
          const symbolsOf = (one: Style) => drawnSymbols(one, feature, scale).map(({ symbol }) => symbol)
          assert.deepEqual(symbolsOf(roundTrip(style, '1.0.0')), symbolsOf(style))
        },
      ),
      { numRuns: 300 },
    )
  })
})
