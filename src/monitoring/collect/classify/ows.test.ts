import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { classifyOws } from './ows.ts'

function brief(path: string, query = '', body = ''): string {
  const use = classifyOws(path, query, body)
  return use === undefined
    ? 'none'
    : `${use.eventType} ${use.operation ?? '-'} ${use.layers.join(' ')}`.trim()
}

describe('classifyOws', () => {
  it('reads service and request in any case, wherever they stand', () => {
    const query =
      'bbox=1,2,3,4&SeRviCe=wms&styles=&VERSION=1.1.1&REQUEST=GetMap&LAYERS=topp:states,topp:roads'
    assert.equal(brief('/geoserver/ows', query), 'OWS:WMS GetMap topp:states topp:roads')
    assert.equal(brief('/cgi-bin/mapserv', `map=/x.map&${query}`), 'OWS:WMS GetMap topp:states topp:roads')
  })

  const operations: [query: string, expected: string][] = [
    ['service=WMS&request=GetFeatureInfo&layers=a&query_layers=a,b', 'OWS:WMS GetFeatureInfo a b'],
    ['service=WMS&request=GetLegendGraphic&layer=w:a', 'OWS:WMS GetLegendGraphic w:a'],
    ['service=WFS&request=GetFeature&typeName=w:a', 'OWS:WFS GetFeature w:a'],
    [
      'service=WFS&version=2.0.0&request=GetFeature&typeNames=(w:a,w:b)(w:c)',
      'OWS:WFS GetFeature w:a w:b w:c',
    ],
    ['service=WCS&request=GetCoverage&coverage=w:dem', 'OWS:WCS GetCoverage w:dem'],
    ['service=WCS&version=2.0.1&request=GetCoverage&coverageId=w__dem', 'OWS:WCS GetCoverage w:dem'],
    [
      'service=WCS&version=1.1.1&request=DescribeCoverage&identifiers=w:dem',
      'OWS:WCS DescribeCoverage w:dem',
    ],
    ['service=WPS&request=Execute&identifier=JTS:buffer', 'OWS:WPS Execute'],
    ['service=WMTS&request=GetTile&layer=w:a&tilematrix=3', 'OWS:WMTS GetTile w:a'],
    ['service=WMS-C&request=GetMap&layers=a', 'OWS:WMS-C GetMap a'],
    ['request=GetMap&layers=a', 'OWS:WMS GetMap a'],
    ['request=DescribeFeatureType&typename=a', 'OWS:WFS DescribeFeatureType a'],
    ['service=CSW&request=GetRecords', 'null GetRecords'],
    ['service=WMS&request=GetCapabilities', 'OWS:WMS GetCapabilities'],
  ]
  for (const [query, expected] of operations) {
    it(`takes ${query}`, () => assert.equal(brief('/ows', query), expected))
  }

  it('undoes percent-encoding and plus signs in keys and values', () => {
    assert.equal(
      brief('/ows', 'ser%76ice=W%4DS&request=GetMap&layers=w%3Aa%2Cw%3Ab+c%C3%A9'),
      'OWS:WMS GetMap w:a w:b cé',
    )
  })

  it('takes the first value that is not empty of a repeated key', () => {
    assert.equal(
      brief('/ows', 'service=&service=WFS&service=WMS&request=GetFeature&typename=a'),
      'OWS:WFS GetFeature a',
    )
  })

  it('takes nothing for an OGC request that has neither service nor known request', () => {
    for (const query of [
      '',
      'service=mail',
      'request=everything',
      'q=service%3DWMS',
      'xservice=WMS',
      'service',
    ]) {
      assert.equal(brief('/index.html', query), 'none', query)
    }
  })

  const paths: [path: string, expected: string][] = [
    ['/geoserver/wfs', 'OWS:WFS -'],
    ['/geoserver/topp/wms', 'OWS:WMS -'],
    ['/geoserver/gwc/service/wms', 'OWS:WMS-C -'],
    ['/gwc/service/tms/1.0.0/topp%3Astates@EPSG%3A900913@png/4/3/2.png', 'OWS:TMS - topp:states'],
    ['/gwc/service/wmts/rest/topp:states/polygon/EPSG:4326/EPSG:4326:3/2/3', 'OWS:WMTS - topp:states'],
    ['/mapproxy/wmts/roads/webmercator/7/65/43.png', 'OWS:WMTS - roads'],
    ['/mapproxy/wmts/1.0.0/roads/default/webmercator/7/65/43.png', 'OWS:WMTS - roads'],
    ['/mapproxy/tms/1.0.0/roads/webmercator/7/65/43.png', 'OWS:TMS - roads'],
    ['/tiles/roads/7/65/43.pbf', 'OWS:TMS - roads'],
    ['/7/65/43@2x.png', 'OWS:TMS -'],
    ['/geoserver/ogc/features/v1/collections/topp:states/items', 'OWS:WFS - topp:states'],
    ['/photos/2024/05/12.png', 'none'],
    ['/photos/24/05/12.png', 'none'],
    ['/tiles/3/8/1.png', 'none'],
    ['/constructor', 'none'],
    ['/gwc/service/constructor/x', 'none'],
  ]
  for (const [path, expected] of paths) {
    it(`takes the path ${path}`, () => assert.equal(brief(path), expected))
  }

  it('prefers the tile cache of a path to the service that its parameters name', () => {
    assert.equal(brief('/gwc/service/wms', 'service=WMS&request=GetMap&layers=a'), 'OWS:WMS-C GetMap a')
  })

  const bodies: [name: string, body: string, expected: string][] = [
    [
      'GetFeature',
      '<?xml version="1.0"?><wfs:GetFeature service="WFS" xmlns:wfs="http://www.opengis.net/wfs"><wfs:Query typeName="w:a"/><wfs:Query typeName="w:b"/></wfs:GetFeature>',
      'OWS:WFS GetFeature w:a w:b',
    ],
    [
      'GetFeature whose namespace alone tells the service',
      '<GetFeature xmlns="http://www.opengis.net/wfs/2.0"><Query typeNames="w:a w:b"/></GetFeature>',
      'OWS:WFS GetFeature w:a w:b',
    ],
    [
      'a transaction',
      '<wfs:Transaction service="WFS"><wfs:Insert><w:roads><w:name>x</w:name></w:roads></wfs:Insert><wfs:Delete typeName="w:rivers"/></wfs:Transaction>',
      'OWS:WFS Transaction w:roads w:rivers',
    ],
    [
      'a body that is cut off',
      '<GetCoverage service="WCS"><sourceCoverage>w:dem</sourceCoverage><domainSub',
      'OWS:WCS GetCoverage w:dem',
    ],
    [
      'Execute',
      '<wps:Execute service="WPS"><ows:Identifier>JTS:buffer</ows:Identifier></wps:Execute>',
      'OWS:WPS Execute',
    ],
    ['GetTile', '<GetTile service="WMTS"><Layer>w:a</Layer></GetTile>', 'OWS:WMTS GetTile w:a'],
    [
      'a style with layers',
      '<StyledLayerDescriptor><NamedLayer><Name>w:a</Name><UserStyle><Name>s</Name></UserStyle></NamedLayer></StyledLayerDescriptor>',
      'OWS:WMS GetMap w:a',
    ],
    ['a form', 'SERVICE=WMS&REQUEST=GetMap&LAYERS=w%3Aa', 'OWS:WMS GetMap w:a'],
    ['other XML', '<html><body/></html>', 'none'],
    ['text', 'hello', 'none'],
  ]
  for (const [name, body, expected] of bodies) {
    it(`takes ${name} in a body`, () => assert.equal(brief('/ows', '', body), expected))
  }

  it('expands no entities and follows no depth', () => {
    const bomb = `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(1000)}"><!ENTITY c "&b;&b;&b;">]><GetFeature service="WFS"><TypeName>&c;</TypeName></GetFeature>`
    assert.ok(JSON.stringify(classifyOws('/ows', '', bomb) ?? {}).length < 3000)
    assert.equal(brief('/ows', '', `<GetFeature service="WFS">${'<a>'.repeat(20_000)}`), 'OWS:WFS GetFeature')
  })

  it('keeps names short, few, each once and without control characters', () => {
    const many = Array.from({ length: 5000 }, (_, at) => `l${at}`).join(',')
    assert.equal(classifyOws('/ows', `service=WMS&layers=${many}`)?.layers.length, 100)
    const use = classifyOws('/ows', `service=WMS&layers=a,a,,%00b%0a,${'x'.repeat(5000)}`)
    assert.deepEqual(
      use?.layers.map((name) => name.slice(0, 3)),
      ['a', 'b', 'xxx'],
    )
    assert.equal(use?.layers[2]?.length, 255)
  })

  it('takes any path, query and body without an error', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('service=WMS&request=%', '%zz', '/wmts/', '<a '),
    )
    fc.assert(
      fc.property(text, text, text, (path, query, body) => {
        const use = classifyOws(`/${path}`, query, body)
        for (const name of use?.layers ?? []) assert.ok(name.length > 0 && name.length <= 255)
      }),
    )
  })
})
