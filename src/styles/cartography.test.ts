import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sameValues } from '../../tests/support/without-undefined.ts'
import { parseColor } from './colors.ts'
import { convertStyle } from './convert-style.ts'
import { defaultStyles } from './default-styles.ts'
import { readMapLibre } from './maplibre/read-maplibre.ts'
import { readSld } from './sld/read-sld.ts'

const sld = `<?xml version="1.0" encoding="UTF-8"?>
<sld:StyledLayerDescriptor version="1.0.0" xmlns:sld="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc">
 <sld:NamedLayer><sld:Name>roads</sld:Name><sld:UserStyle><sld:Title>Roads</sld:Title><sld:FeatureTypeStyle>
  <sld:Rule><sld:Name>motorway</sld:Name>
   <ogc:Filter><ogc:And>
    <ogc:PropertyIsEqualTo><ogc:PropertyName>class</ogc:PropertyName><ogc:Literal>A&amp;B</ogc:Literal></ogc:PropertyIsEqualTo>
    <ogc:PropertyIsBetween><ogc:PropertyName>lanes</ogc:PropertyName>
     <ogc:LowerBoundary><ogc:Literal>2</ogc:Literal></ogc:LowerBoundary>
     <ogc:UpperBoundary><ogc:Literal>6</ogc:Literal></ogc:UpperBoundary></ogc:PropertyIsBetween>
   </ogc:And></ogc:Filter>
   <sld:MinScaleDenominator>1000</sld:MinScaleDenominator><sld:MaxScaleDenominator>500000</sld:MaxScaleDenominator>
   <sld:LineSymbolizer><sld:Stroke>
    <sld:CssParameter name="stroke">#FF8800</sld:CssParameter>
    <sld:CssParameter name="stroke-width">4</sld:CssParameter>
    <sld:CssParameter name="stroke-dasharray">8 4</sld:CssParameter></sld:Stroke></sld:LineSymbolizer>
  </sld:Rule>
  <sld:Rule><sld:ElseFilter/><sld:PointSymbolizer><sld:Graphic><sld:Mark>
    <sld:WellKnownName>star</sld:WellKnownName><sld:Fill><sld:CssParameter name="fill">#112233</sld:CssParameter></sld:Fill>
   </sld:Mark><sld:Size>12</sld:Size></sld:Graphic></sld:PointSymbolizer></sld:Rule>
 </sld:FeatureTypeStyle></sld:UserStyle></sld:NamedLayer></sld:StyledLayerDescriptor>`

describe('style documents', () => {
  it('of SLD become MapLibre layers with filters, zooms and paint', () => {
    const text = convertStyle({ name: 'roads', format: 'sld', document: sld }, 'maplibre')
    const style = JSON.parse(text ?? '')
    sameValues(style.layers[0], {
      id: 'motorway',
      source: 'layer',
      filter: [
        'all',
        ['==', ['get', 'class'], 'A&B'],
        ['all', ['>=', ['get', 'lanes'], 2], ['<=', ['get', 'lanes'], 6]],
      ],
      minzoom: 9.13,
      maxzoom: 18.09,
      type: 'line',
      paint: { 'line-color': '#ff8800', 'line-width': 4, 'line-dasharray': [2, 1] },
    })
    assert.equal(style.layers[1].type, 'circle')
    sameValues(style.layers[1].paint, { 'circle-radius': 6, 'circle-color': '#112233' })
    assert.equal(style.layers[1].filter[0], '!')
    sameValues(style.metadata, { 'terrane:not-converted': ['the mark star, drawn as a circle'] })
  })

  it('of MapLibre become SLD, which says in a comment what it leaves out', () => {
    const document = JSON.stringify({
      version: 8,
      sources: {},
      layers: [
        {
          id: 'a<b',
          type: 'fill',
          minzoom: 5,
          filter: ['in', 'kind', 'x', 'y'],
          paint: { 'fill-color': 'rgba(255, 0, 0, 0.5)', 'fill-outline-color': 'blue' },
        },
        { id: 'names', type: 'symbol', layout: { 'text-field': '{name}' }, paint: { 'text-halo-width': 2 } },
        { id: 'heat', type: 'heatmap' },
        { id: 'wide', type: 'line', paint: { 'line-width': ['interpolate', ['linear'], ['zoom'], 1, 2] } },
      ],
    })
    const text = convertStyle({ name: 'x', format: 'maplibre', document }, 'sld') ?? ''
    assert.match(text, /<!-- Not converted: a layer of type heatmap; an expression for line-width -->/)
    assert.match(text, /<Name>a&lt;b<\/Name>/)
    assert.match(text, /<ogc:Or>.*<ogc:Literal>y<\/ogc:Literal>.*<\/ogc:Or>/)
    assert.match(text, /<MaxScaleDenominator>8735660<\/MaxScaleDenominator>/)
    assert.match(text, /fill-opacity">0.5</)
    assert.match(text, /<Label><ogc:PropertyName>name<\/ogc:PropertyName><\/Label>/)
    sameValues(readSld(text).rules[0]?.symbols, [
      {
        kind: 'polygon',
        fill: { color: '#ff0000', opacity: 0.5 },
        stroke: { color: '#0000ff', width: 1, opacity: 1 },
      },
    ])
  })

  it('of the default styles mean the same in SLD', () => {
    for (const style of defaultStyles) {
      const back = readSld(convertStyle(style, 'sld') ?? '')
      const { rules } = readMapLibre(style.document)
      sameValues(back.rules, rules, style.name)
      sameValues(back.lost, [])
    }
  })

  it('of QML are not converted', () => {
    assert.equal(convertStyle({ name: 'q', format: 'qml', document: '<qgis/>' }, 'sld'), undefined)
  })

  it('that are broken or hostile are refused', () => {
    const broken = [
      '',
      '<a>',
      '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
      `<a>${'<b>'.repeat(200)}${'</b>'.repeat(200)}</a>`,
    ]
    for (const document of broken) {
      assert.throws(() => convertStyle({ name: 'b', format: 'sld', document }, 'maplibre'), {
        code: 'invalid-style',
      })
    }
  })

  it('of any JSON become SLD that can be read', () => {
    const layer = fc.record({
      id: fc.string(),
      type: fc.constantFrom('line', 'fill', 'circle', 'symbol', 'raster', 'sky'),
      filter: fc.jsonValue(),
      paint: fc.dictionary(fc.constantFrom('line-color', 'fill-color', 'circle-radius'), fc.jsonValue()),
      layout: fc.jsonValue(),
    })
    fc.assert(
      fc.property(fc.array(layer), (layers) => {
        const document = JSON.stringify({ version: 8, sources: {}, layers })
        readSld(convertStyle({ name: 'any', format: 'maplibre', document }, 'sld') ?? '')
      }),
      { numRuns: 300 },
    )
  })
})

describe('colours', () => {
  it('are read in the forms of CSS', () => {
    const forms: [string, string, number][] = [
      ['#abc', '#aabbcc', 1],
      ['#11223380', '#112233', 0.502],
      ['RED', '#ff0000', 1],
      ['rgb(1, 2, 3)', '#010203', 1],
      ['rgba(10%, 2, 300, 0.25)', '#1a02ff', 0.25],
    ]
    for (const [text, color, opacity] of forms) sameValues(parseColor(text), { color, opacity })
    for (const text of ['', 'none', '#12', 'rgb(1,2)', 'hsl(1,2%,3%)'])
      assert.equal(parseColor(text), undefined)
  })
})
