import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf } from '../../support/importer-client.ts'

const collection = JSON.stringify({
  type: 'FeatureCollection',
  features: [1, 2, 3].map((n) => ({
    type: 'Feature',
    properties: { kind: `tree ${n}`, n },
    geometry: { type: 'Point', coordinates: [10 + n, 50 + n] },
  })),
})
const spaces = 'xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:fes="http://www.opengis.net/fes/2.0"'
const gml = 'xmlns:gml="http://www.opengis.net/gml/3.2"'
const isN = (n: number): string =>
  `<fes:PropertyIsEqualTo><fes:ValueReference>n</fes:ValueReference><fes:Literal>${n}</fes:Literal></fes:PropertyIsEqualTo>`
/** A condition with `count` nodes: an operator, and two operands for each comparison. */
const anyOf = (count: number): string =>
  `<fes:Or>${Array.from({ length: (count - 1) / 3 }, (_, at) => isN(at + 2)).join('')}</fes:Or>`
const nested = (depth: number): string =>
  `${'<fes:Not>'.repeat(depth)}<fes:PropertyIsNull><fes:ValueReference>n</fes:ValueReference></fes:PropertyIsNull>${'</fes:Not>'.repeat(depth)}`
const line = (positions: number): string =>
  `<fes:Disjoint><fes:ValueReference>geometry</fes:ValueReference><gml:LineString ${gml} srsName="EPSG:4326"><gml:posList>${Array.from({ length: positions }, (_, at) => `${at % 7} ${at % 5}`).join(' ')}</gml:posList></gml:LineString></fes:Disjoint>`
const query = (inside: string): string => `<wfs:Query typeNames="default:trees">${inside}</wfs:Query>`
const filter = (inside: string): string => `<fes:Filter ${spaces} ${gml}>${inside}</fes:Filter>`
const getFeature = (inside: string, more = ''): string =>
  `<wfs:GetFeature service="WFS" version="2.0.0" resultType="hits" ${spaces} ${more}>${inside}</wfs:GetFeature>`
const attributes = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}="x"`).join(' ')

/** For each limit: a body just within, one just beyond, and the message for the second. */
const wfsBodies: Record<string, [within: string, beyond: string, message: RegExp]> = {
  elements: [
    getFeature(query('<wfs:PropertyName>n</wfs:PropertyName>'.repeat(9998))),
    getFeature(query('<wfs:PropertyName>n</wfs:PropertyName>'.repeat(9999))),
    /more than 10000 elements/,
  ],
  // Three attributes are those of the request, two declare namespaces.
  attributes: [
    getFeature(query(''), attributes(195)),
    getFeature(query(''), attributes(196)),
    /more than 200 attributes/,
  ],
  depth: [
    getFeature(query(filter(nested(95)))),
    getFeature(query(filter(nested(96)))),
    /nested deeper than 100/,
  ],
  queries: [getFeature(query('').repeat(100)), getFeature(query('').repeat(101)), /more than 100 Query/],
  nodes: [
    getFeature(query(filter(anyOf(4999)))),
    getFeature(query(filter(anyOf(5002)))),
    /more than 5000 operators/,
  ],
  coordinates: [
    getFeature(query(filter(line(200_000)))),
    getFeature(query(filter(line(200_001)))),
    /more than 200000 positions/,
  ],
}

const map =
  'service=WMS&version=1.3.0&request=GetMap&layers=default:trees&styles=&crs=CRS:84&bbox=0,0,60,60&width=20&height=20&format=image/png'

describe('limits of the documents of requests', { timeout: 300_000 }, () => {
  let client: ImporterClient
  before(async () => {
    client = clientOf(await createTestApp({ env: { TERRANE_LOADS: '1', TERRANE_SLD_BODY: 'on' } }))
    const created = await client.call('POST', '', {
      import: { targetStore: { dataStore: { name: 'default' } } },
    })
    const id = Number(created.json.import?.id)
    await client.upload(id, [{ name: 'trees.geojson', content: collection }])
    await client.call('POST', `/${id}`)
  })
  after(() => client.server.close())

  const post = async (url: string, payload: string | Buffer, type = 'text/xml') => {
    const headers = { ...client.server.admin, 'content-type': type }
    const { statusCode, body } = await client.server.app.inject({ method: 'POST', url, payload, headers })
    return { status: statusCode, text: body }
  }
  const form = (url: string, text: string, more: Record<string, string>) =>
    post(url, `${text}&${new URLSearchParams(more)}`, 'application/x-www-form-urlencoded')

  for (const [name, [within, beyond, reported]] of Object.entries(wfsBodies))
    it(`WFS answers within the limit of ${name}, and names it beyond`, async () => {
      const answered = await post('/wfs', within)
      assert.equal(answered.status, 200, answered.text.slice(0, 1000))
      assert.match(answered.text, /numberMatched="\d+"/)
      const refused = await post('/wfs', beyond)
      assert.equal(refused.status, 400, refused.text.slice(0, 1000))
      assert.match(refused.text, /<ows:ExceptionReport/)
      assert.match(refused.text, reported)
    })

  it('bodies have a size, which each service names in its own exceptions', async () => {
    const padded = (bytes: number): Buffer => {
      const text = getFeature(query(''))
      return Buffer.concat([Buffer.from(text), Buffer.alloc(bytes - text.length, ' ')])
    }
    const limit = 5 * 2 ** 20
    assert.equal((await post('/wfs', padded(limit))).status, 200)
    for (const [path, root] of [
      ['/wfs', /<ows:ExceptionReport version="2.0.0"/],
      ['/wcs', /<ows:ExceptionReport [^>]*version="2.0.1"/],
      ['/wms', /<ServiceExceptionReport/],
    ] as const) {
      const { status, text } = await post(path, padded(limit + 1))
      assert.equal(status, 413)
      assert.match(text, root)
      assert.match(text, new RegExp(`more than ${limit} bytes`))
    }
  })

  it('WCS refuses bodies beyond the limits', async () => {
    const body = (count: number): string =>
      `<DescribeCoverage xmlns="http://www.opengis.net/wcs/2.0" service="WCS" version="2.0.1">${'<CoverageId>no</CoverageId>'.repeat(count)}</DescribeCoverage>`
    const { text: within } = await post('/wcs', body(9999))
    assert.doesNotMatch(within, /more than 10000 elements/)
    const { status, text } = await post('/wcs', body(10_000))
    assert.equal(status, 400)
    assert.match(text, /<ows:ExceptionReport[\s\S]*more than 10000 elements/)
  })

  it('WMS draws by filters within the limits, and refuses others', async () => {
    const cases: [within: Record<string, string>, beyond: Record<string, string>, message: RegExp][] = [
      [{ filter: filter(anyOf(4999)) }, { filter: filter(anyOf(5002)) }, /more than 5000 operators/],
      [
        { cql_filter: `n IN (${Array(4997).fill('1').join(',')}) OR n = 1`.replace(/ OR.*/, '') },
        { cql_filter: `n IN (${Array(5000).fill('1').join(',')})` },
        /more than 5000 operators/,
      ],
    ]
    for (const [within, beyond, report] of cases) {
      const drawn = await form('/wms', map, within)
      assert.equal(drawn.status, 200, drawn.text.slice(0, 500))
      const { status, text } = await form('/wms', map, beyond)
      assert.equal(status, 400, text.slice(0, 500))
      assert.match(text, /<ServiceExceptionReport/)
      assert.match(text, report)
    }
  })

  it('styles of requests and of the catalogue have them too', async () => {
    const sld = (inside: string): string =>
      `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld"><NamedLayer><Name>default:trees</Name><UserStyle><FeatureTypeStyle>${inside}</FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
    const rules = (count: number): string => '<Rule><PointSymbolizer/></Rule>'.repeat(count)
    // Five elements enclose the rules, which have two elements each.
    assert.equal((await form('/wms', map, { sld_body: sld(rules(4997)) })).status, 200)
    const { status, text } = await form('/wms', map, { sld_body: sld(rules(4998)) })
    assert.equal(status, 400, text.slice(0, 500))
    assert.match(text, /more than 10000 elements/)
    const dashed = (count: number): string =>
      sld(
        `<Rule><LineSymbolizer><Stroke><CssParameter name="stroke-dasharray">${'3 '.repeat(count)}</CssParameter></Stroke></LineSymbolizer></Rule>`,
      )
    assert.equal((await form('/wms', map, { sld_body: dashed(100) })).status, 200)
    assert.match((await form('/wms', map, { sld_body: dashed(101) })).text, /more than 100 dashes/)
    const kept = await post('/rest/styles?name=dashed', dashed(2000), 'application/vnd.ogc.sld+xml')
    assert.equal(kept.status, 400)
    assert.match(kept.text, /more than 100 dashes/)
    const wide = sld(`<Rule ${attributes(201)}/>`)
    const refused = await post('/rest/styles?name=wide', wide, 'application/vnd.ogc.sld+xml')
    assert.match(refused.text, /more than 200 attributes/)
  })

  it('filters of addresses have as many nodes', async () => {
    const ask = async (count: number) => {
      const query = new URLSearchParams({ filter: `n IN (${Array(count).fill('1').join(',')})` })
      const { statusCode, body } = await client.server.app.inject({
        url: `/ogc/collections/default:trees/items?${query}`,
        headers: client.server.admin,
      })
      return { status: statusCode, text: body }
    }
    assert.equal((await ask(4997)).status, 200)
    const { status, text } = await ask(4998)
    assert.equal(status, 400)
    assert.match(text, /more than 5000 operators/)
  })

  it('large documents leave the server to others', async () => {
    const { server } = client
    const base = await server.app.listen({ port: 0, host: '127.0.0.1' })
    const order: string[] = []
    const headers = { ...server.admin, 'content-type': 'text/xml' }
    const bodies = [
      getFeature(query(filter(line(200_000)))),
      getFeature(
        query(filter(anyOf(4999))).repeat(1) + query('<wfs:PropertyName>n</wfs:PropertyName>').repeat(99),
      ),
      getFeature(query('<wfs:PropertyName>n</wfs:PropertyName>'.repeat(9998))),
    ]
    for (const body of bodies) {
      order.length = 0
      const heavy = fetch(`${base}/wfs`, { method: 'POST', headers, body }).then(async (reply) => {
        await reply.arrayBuffer()
        order.push('heavy')
        return reply.status
      })
      // Sent once the body was read: the server works on it then.
      await server.app.inject({ url: '/health' })
      const light = fetch(`${base}/health`).then(async (reply) => {
        await reply.arrayBuffer()
        order.push('light')
      })
      assert.equal(await heavy, 200)
      await light
      assert.deepEqual(order, ['light', 'heavy'])
    }
  })
})
