import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'

const spaces =
  'xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"'
const wfs = (inside: string, more = ''): string =>
  `<wfs:GetFeature service="WFS" version="2.0.0" ${spaces} ${more}>${inside}</wfs:GetFeature>`
const query = (inside: string): string => `<wfs:Query typeNames="default:trees">${inside}</wfs:Query>`
const filter = (inside: string): string => query(`<fes:Filter>${inside}</fes:Filter>`)
const million = 1_000_000

/** Documents that are made to cost much: time, memory or depth of calls. */
const documents: Record<string, () => string> = {
  'nested elements': () => wfs('<a>'.repeat(million) + '</a>'.repeat(million)).slice(0, 5 * 2 ** 20),
  'elements that never end': () => '<a>'.repeat(1.7 * million),
  'one element with a million attributes': () =>
    `<a ${Array.from({ length: 400_000 }, (_, at) => `a${at}=""`).join(' ')}/>`,
  'one attribute of megabytes': () => wfs('', `a="${'x'.repeat(4 * million)}"`),
  'one name of megabytes': () => `<${'a'.repeat(4 * million)}/>`,
  'a DOCTYPE with entities of entities': () =>
    `<!DOCTYPE a [<!ENTITY b "x">${Array.from({ length: 20 }, (_, at) => `<!ENTITY b${at} "&b;&b;">`).join('')}]>${wfs('&b19;')}`,
  'an entity that is a file': () => `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${wfs('&b;')}`,
  'many namespaces': () =>
    wfs('', Array.from({ length: 50_000 }, (_, at) => `xmlns:n${at}="urn:${at}"`).join(' ')),
  'comments and processing instructions': () => '<!-- x --><?a b?>'.repeat(200_000) + wfs(''),
  'character references': () => wfs('&#x41;'.repeat(700_000)),
  'thousands of queries': () => wfs(query('').repeat(3000)),
  'queries with filters': () =>
    wfs(
      filter(
        `<fes:Or>${'<fes:PropertyIsNull><fes:ValueReference>n</fes:ValueReference></fes:PropertyIsNull>'.repeat(49)}</fes:Or>`,
      ).repeat(101),
    ),
  'a pattern of megabytes': () =>
    wfs(
      filter(
        `<fes:PropertyIsLike wildCard="*" singleChar="?" escapeChar="!"><fes:ValueReference>n</fes:ValueReference><fes:Literal>${'*a?!'.repeat(million)}</fes:Literal></fes:PropertyIsLike>`,
      ),
    ),
  'positions that are none': () =>
    wfs(
      filter(
        `<fes:Intersects><gml:LineString><gml:posList>${'x '.repeat(2 * million)}</gml:posList></gml:LineString></fes:Intersects>`,
      ),
    ),
  'a million positions': () =>
    wfs(
      filter(
        `<fes:Intersects><gml:LineString><gml:posList>${'1 2 '.repeat(million)}</gml:posList></gml:LineString></fes:Intersects>`,
      ),
    ),
  'zeros of UTF-16': () => '\u0000'.repeat(million),
}

/** Filters in ECQL. */
const filters: Record<string, () => string> = {
  'nested brackets': () => '('.repeat(million),
  'nested NOT': () => 'NOT '.repeat(million),
  'a long list': () => `n IN (${'1,'.repeat(million)}1)`,
  'a long chain': () => `n = 1${' OR n = 1'.repeat(400_000)}`,
  'a text without end': () => `'${"''".repeat(million)}`,
  'a geometry of brackets': () => `INTERSECTS(geom, MULTIPOLYGON(${'('.repeat(million)}`,
  'a large geometry': () => `INTERSECTS(geom, LINESTRING(${'1 2,'.repeat(million)}1 2))`,
}

describe('hostile documents of requests', { timeout: 600_000 }, () => {
  let server: TestApp
  let base: string
  before(async () => {
    server = await createTestApp({ env: { TERRANE_SLD_BODY: 'on' } })
    base = await server.app.listen({ port: 0, host: '127.0.0.1' })
  })
  after(() => server.close())

  const post = async (path: string, type: string, body: string): Promise<number> => {
    const headers = { ...server.admin, 'content-type': type }
    const heavy = fetch(`${base}${path}`, { method: 'POST', headers, body })
    // Other requests get responses during and after these.
    assert.equal((await fetch(`${base}/health`)).status, 200)
    const reply = await heavy
    await reply.arrayBuffer()
    return reply.status
  }

  for (const [name, write] of Object.entries(documents))
    it(`${name}: each service refuses them`, async () => {
      const body = write()
      for (const path of ['/wfs', '/wcs', '/wms', '/ows']) {
        const status = await post(path, 'text/xml', body)
        assert.ok(status >= 400 && status < 500, `${path}: ${status}`)
      }
      const parameters = 'service=WMS&version=1.3.0&request=GetMap&crs=CRS:84&bbox=0,0,1,1&width=9&height=9'
      const form = `${parameters}&format=image/png&${new URLSearchParams({ sld_body: body })}`
      const status = await post('/wms', 'application/x-www-form-urlencoded', form)
      assert.ok(status >= 400 && status < 500, `SLD_BODY: ${status}`)
    })

  for (const [name, write] of Object.entries(filters))
    it(`${name}: WFS refuses the filter`, async () => {
      const form = `service=WFS&version=2.0.0&request=GetFeature&typenames=default:trees&${new URLSearchParams({ cql_filter: write() })}`
      const status = await post('/wfs', 'application/x-www-form-urlencoded', form)
      assert.ok(status >= 400 && status < 500, String(status))
    })
})
