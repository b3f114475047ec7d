import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { arbitraryAttributes, arbitraryRule } from '../../../tests/support/arbitrary-style.ts'
import { sameValues } from '../../../tests/support/without-undefined.ts'
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
          sameValues(roundTrip(style, version), style)
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
          sameValues(symbolsOf(roundTrip(style, '1.0.0')), symbolsOf(style))
        },
      ),
      { numRuns: 300 },
    )
  })

  describe('of others', () => {
    const styleOf = (layer: string, rules: string): Style =>
      readSld(
        `<StyledLayerDescriptor version="1.0.0" xmlns:ogc="http://www.opengis.net/ogc"><UserLayer>${layer}<UserStyle><FeatureTypeStyle>${rules}</FeatureTypeStyle></UserStyle></UserLayer></StyledLayerDescriptor>`,
      )
    const line = '<LineSymbolizer><Stroke/></LineSymbolizer>'
    const ruleOf = (...parts: string[]): string => `<Rule>${parts.join('')}</Rule>`
    const inclusion = (value: string): string => `<VendorOption name="inclusion">${value}</VendorOption>`
    const rasterOf = (...parts: string[]): string =>
      ruleOf(`<RasterSymbolizer>${parts.join('')}</RasterSymbolizer>`)

    it('does not draw what is for the legend alone, and tells it', () => {
      const style = styleOf(
        '',
        ruleOf(line, inclusion('legendOnly')) + ruleOf(line, inclusion('mapOnly')) + ruleOf(line),
      )
      assert.equal(style.rules.length, 2)
      sameValues(style.lost, ['a rule that is for the legend alone', 'a rule that no legend shows'])
    })

    it('tells constraints and data of its layers, and parts that it does not know', () => {
      const filter =
        '<ogc:Filter><ogc:PropertyIsLessThan><ogc:PropertyName>a</ogc:PropertyName><ogc:Literal>2</ogc:Literal></ogc:PropertyIsLessThan></ogc:Filter>'
      const constraint = (inner: string): string =>
        `<LayerFeatureConstraints><FeatureTypeConstraint><FeatureTypeName>a</FeatureTypeName>${inner}</FeatureTypeConstraint></LayerFeatureConstraints>`
      sameValues(styleOf(constraint(''), ruleOf(line)).lost, [])
      sameValues(styleOf(constraint(filter), ruleOf(line)).lost, [
        'a constraint of the layer, which leaves features out',
      ])
      sameValues(styleOf('<RemoteOWS/>', `${ruleOf('<LegendGraphic/>', line)}<rule/>`).lost, [
        'data that the document brings along',
        'a rule of a FeatureTypeStyle',
        'a LegendGraphic of a rule',
      ])
    })

    it('keeps what it knows of a filter, and tells operators that styles do not have', () => {
      const comparison = (value: string): string =>
        `<ogc:PropertyIsEqualTo><ogc:PropertyName>a</ogc:PropertyName>${value}</ogc:PropertyIsEqualTo>`
      const known = comparison('<ogc:Literal>2</ogc:Literal>')
      const unknown = [
        comparison('<ogc:Add><ogc:PropertyName>a</ogc:PropertyName><ogc:Literal>1</ogc:Literal></ogc:Add>'),
        '<ogc:Intersects><ogc:PropertyName>g</ogc:PropertyName><gml:Box><gml:coordinates>1,2 3,4</gml:coordinates></gml:Box></ogc:Intersects>',
        '<ogc:After><ogc:PropertyName>a</ogc:PropertyName><ogc:Literal>2024-01-01</ogc:Literal></ogc:After>',
      ]
      const read = (filter: string) => styleOf('', ruleOf(`<ogc:Filter>${filter}</ogc:Filter>`, line))
      const { lost, rules } = read(`<ogc:And>${known}${unknown.join('')}</ogc:And>`)
      sameValues(lost, ['the filter PropertyIsEqualTo', 'the filter Intersects', 'the filter After'])
      sameValues(rules, read(`<ogc:And>${known}</ogc:And>`).rules)
      sameValues(read(`<ogc:Or>${known}${unknown[0]}</ogc:Or>`).rules, read('').rules)
    })

    it('reads numbers of rasters as literals, and tells those that are computed', () => {
      const literal = (value: string): string => `<ogc:Literal>${value}</ogc:Literal>`
      const sum = `<ogc:Add>${literal('1')}${literal('2')}</ogc:Add>`
      const bandOf = (name: string): string =>
        `<ChannelSelection><GrayChannel><SourceChannelName>${name}</SourceChannelName></GrayChannel></ChannelSelection>`
      const gammaOf = (value: string): string =>
        `<ContrastEnhancement><GammaValue>${value}</GammaValue></ContrastEnhancement>`
      const opacityOf = (value: string): string => `<Opacity>${value}</Opacity>`
      const plain = styleOf(
        '',
        rasterOf(opacityOf(literal('0.5')), bandOf(literal('3')), gammaOf(literal('2'))),
      )
      sameValues(plain.rules[0]?.symbols, [
        { kind: 'raster', opacity: 0.5, bands: { gray: { band: 3 } }, gamma: 2 },
      ])
      sameValues(plain.lost, [])
      const computed = styleOf(
        '',
        rasterOf(opacityOf(sum), bandOf(sum), gammaOf(sum)) + rasterOf(opacityOf('half')),
      )
      sameValues(computed.lost, [
        'a computed GammaValue of a raster',
        'a computed band',
        'a computed Opacity of a raster',
        'the Opacity half of a raster',
      ])
    })
  })
})
