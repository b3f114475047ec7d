import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { arbitraryAttributes, arbitraryRule } from '../../../tests/support/arbitrary-style.ts'
import { withoutUndefined } from '../../../tests/support/without-undefined.ts'
import { drawnSymbols } from '../evaluate.ts'
import type { RasterSymbolizer, Style } from '../model.ts'
import { scaleOfZoom } from '../scale.ts'
import { readQml } from './read-qml.ts'
import { writeQml } from './write-qml.ts'

function roundTrip(style: Style, dimension?: 0 | 1 | 2): Style {
  const document = writeQml(style, dimension)?.document
  assert.ok(document !== undefined)
  const back = readQml(document)
  assert.ok(back !== undefined)
  return back
}

describe('QML', () => {
  it('says a style whose values are plain or classes, and draws the same after it was read', () => {
    const rule = arbitraryRule({ isDriven: true, hasMetres: true })
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 3 }),
        arbitraryAttributes,
        fc.integer({ min: 2, max: 18 }),
        (made, attributes, zoom) => {
          const rules = made.map((one) => ({
            ...one,
            symbols: one.symbols.filter(
              (symbol) =>
                (symbol.kind === 'polygon' && symbol.stroke?.dashes === undefined) || symbol.kind === 'line',
            ),
          }))
          const style = { rules, lost: [] }
          if (rules.every(({ symbols }) => symbols.length === 0)) return
          const feature = { dimension: 2 as const, get: (name: string) => attributes[name] }
          const symbolsOf = (one: Style) =>
            drawnSymbols(one, feature, scaleOfZoom(zoom) * 0.99).map(({ symbol }) => withoutCaps(symbol))
          assert.deepEqual(
            withoutUndefined(symbolsOf(roundTrip(style, 2))),
            withoutUndefined(symbolsOf(style)),
          )
        },
      ),
      { numRuns: 200 },
    )
  })

  it('says marks and labels, and reads them again, the same', () => {
    const rule = arbitraryRule({ isDriven: false, hasMetres: false })
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 3 }), (made) => {
        const rules = made.flatMap(({ name: _name, title: _title, ...one }) => {
          const symbols = one.symbols.filter((symbol) => symbol.kind === 'point' && symbol.shape !== 'x')
          return symbols.length === 0 ? [] : [{ ...one, symbols }]
        })
        const labels = made.flatMap(({ name: _name, ...one }) =>
          one.symbols
            .filter(({ kind }) => kind === 'text')
            .map((symbol) => ({ ...one, pass: 1, symbols: [symbol] })),
        )
        if (rules.length + labels.length === 0) return
        const style = { rules: [...rules, ...labels], lost: [] }
        assert.deepEqual(withoutUndefined(roundTrip(style, 0)), style)
      }),
      { numRuns: 200 },
    )
  })

  it('says rasters: gray, colours of three bands, ramps, intervals and palettes', () => {
    const entries = [
      { value: 0, color: '#010203', opacity: 1, label: 'low' },
      { value: 10, color: '#ff0203', opacity: 0.5 },
    ]
    const gray = { gray: { band: 2 } }
    const rasters: RasterSymbolizer[] = [
      { kind: 'raster', opacity: 0.5, bands: { gray: { band: 1, stretch: { min: 0, max: 200 } } } },
      {
        kind: 'raster',
        opacity: 1,
        gamma: 2,
        bands: { red: { band: 3 }, green: { band: 2 }, blue: { band: 1 } },
      },
      ...(['ramp', 'intervals', 'values'] as const).map(
        (type): RasterSymbolizer => ({ kind: 'raster', opacity: 1, bands: gray, colors: { type, entries } }),
      ),
    ]
    for (const symbol of rasters) {
      const style = { rules: [{ symbols: [symbol] }], lost: [] }
      assert.deepEqual(withoutUndefined(roundTrip(style)), style)
    }
  })

  it('tells what QGIS draws beside symbols and labels', () => {
    const styleOf = (renderer: string, inner: string, beside: string) =>
      readQml(
        `<qgis><renderer-v2 type="singleSymbol" ${renderer}><symbols><symbol type="line" name="0"><layer class="SimpleLine">${inner}</layer></symbol></symbols></renderer-v2>${beside}</qgis>`,
      )?.lost
    const effect = (type: string) =>
      `<effect type="effectStack" enabled="1"><effect type="${type}" enabled="1"/><effect type="drawSource" enabled="1"/></effect>`
    assert.deepEqual(styleOf('', effect('drawSource'), ''), [])
    assert.deepEqual(styleOf('enableorderby="1"', effect('dropShadow'), ''), [
      'an effect, such as a shadow',
      'an order of features',
    ])
    const diagram =
      '<SingleCategoryDiagramRenderer><DiagramCategory enabled="1"/></SingleCategoryDiagramRenderer>'
    const older =
      '<customproperties><property key="labeling/enabled" value="true"/></customproperties><featureBlendMode>6</featureBlendMode>'
    assert.deepEqual(styleOf('', '', diagram + older), [
      'a blend mode of features',
      'diagrams',
      'labels in the form of QGIS 2',
    ])
  })
})

/** Fills of QGIS have no ends of lines. */
function withoutCaps(symbol: object): object {
  return JSON.parse(JSON.stringify(symbol, (key, value: unknown) => (key === 'cap' ? undefined : value)))
}
