import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { seededRandom } from '../../support/kills/session.ts'
import { makeGranule } from '../../support/mosaics.ts'
import type { ServedMaps } from '../../support/served-maps.ts'
import { serveMaps } from '../../support/served-maps.ts'
import type { Cleanup } from '../../support/terrane-process.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import type { XmlDocument } from '../../support/validate-xml.ts'
import { faultsOfXml } from '../../support/validate-xml.ts'

/** TERRANE_FUZZ_RUNS=20000 TERRANE_FUZZ_SEED=7: more runs, or the same ones again. */
const runs = Number(process.env['TERRANE_FUZZ_RUNS'] ?? 800)
const seed = Number(process.env['TERRANE_FUZZ_SEED'] ?? 20261123)
const atATime = 6
/** Longest time for one response, on a machine that also does other work. */
const longestMs = 30_000

/** Valid requests. */
const wholeRequests = [
  '/wms?service=WMS&version=1.3.0&request=GetMap&layers=default:countries,default:islands&styles=&crs=EPSG:4326&bbox=20,-80,30,-70&width=64&height=64&format=image/png&transparent=true&bgcolor=0xff0000&time=2020&exceptions=XML',
  '/default/wms?service=WMS&version=1.1.1&request=GetMap&layers=states,places&styles=,&srs=EPSG:3857&bbox=-8000000,3000000,-7000000,4000000&width=64&height=64&format=image/jpeg&cql_filter=INCLUDE;INCLUDE',
  '/wms?service=WMS&version=1.1.1&request=GetMap&layers=default:europe&styles=&srs=EPSG:25832&bbox=200000,5200000,900000,6000000&width=50&height=50&format=image/gif&exceptions=application/vnd.ogc.se_inimage',
  '/ows?service=WMS&version=1.3.0&request=GetFeatureInfo&layers=default:countries&query_layers=default:countries&styles=&crs=CRS:84&bbox=0,40,20,60&width=64&height=64&i=32&j=32&info_format=application/json&feature_count=3',
  '/wms?service=WMS&version=1.1.1&request=GetFeatureInfo&layers=default:islands&query_layers=default:islands&styles=&srs=EPSG:4326&bbox=-78,24,-77,25&width=64&height=64&x=32&y=32&info_format=application/vnd.ogc.gml',
  '/wms?service=WMS&version=1.3.0&request=GetLegendGraphic&layer=default:states&format=image/png&width=20&height=20',
  '/wms?service=WMS&version=1.3.0&request=GetCapabilities&format=text/xml&updatesequence=1',
  '/wmts?service=WMTS&version=1.0.0&request=GetTile&layer=default:countries&style=&tilematrixset=WebMercatorQuad&tilematrix=2&tilerow=1&tilecol=2&format=image/png',
  '/wmts?service=WMTS&version=1.0.0&request=GetFeatureInfo&layer=default:countries&style=&tilematrixset=WebMercatorQuad&tilematrix=2&tilerow=1&tilecol=2&format=image/png&infoformat=text/plain&i=5&j=5',
  '/gwc/service/wmts?service=WMTS&request=GetCapabilities&acceptversions=1.0.0&sections=Contents',
  '/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=default:countries&count=2&startIndex=1&sortBy=NAME&propertyName=NAME&srsName=urn:ogc:def:crs:EPSG::3857&bbox=40,0,60,20,urn:ogc:def:crs:EPSG::4326',
  '/wfs?service=WFS&version=1.1.0&request=GetFeature&typeName=default:states&maxFeatures=2&outputFormat=application/json&cql_filter=1=1&resultType=results',
  '/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=default:places&count=2&outputFormat=csv&filter=<Filter xmlns="http://www.opengis.net/fes/2.0"><PropertyIsNull><ValueReference>x</ValueReference></PropertyIsNull></Filter>',
  '/wfs?service=WFS&version=2.0.0&request=GetFeature&storedQuery_id=urn:ogc:def:query:OGC-WFS::GetFeatureById&id=countries.1',
  '/wfs?service=WFS&version=2.0.0&request=DescribeFeatureType&typeNames=default:countries,default:states',
  '/wfs?service=WFS&version=1.1.0&request=GetCapabilities&acceptVersions=1.1.0',
  '/wcs?service=WCS&version=2.0.1&request=GetCoverage&coverageId=default__islands&format=image/tiff&subset=E(150000,160000)&subset=N(2700000,2710000)&scaleFactor=0.5&rangeSubset=1&interpolation=nearest&outputCrs=http://www.opengis.net/def/crs/EPSG/0/4326',
  '/wcs?service=WCS&version=2.0.1&request=GetCoverage&coverageId=default__days&format=image/png&subset=Long(0.1,0.9)&subset=Lat(0.1,0.9)&scaleSize=Long(20),Lat(20)',
  '/wcs?service=WCS&version=1.0.0&request=GetCoverage&coverage=default:islands&crs=EPSG:32618&bbox=150000,2700000,160000,2710000&width=20&height=20&format=GeoTIFF&response_crs=EPSG:4326',
  '/wcs?service=WCS&version=2.0.1&request=DescribeCoverage&coverageId=default__islands',
  '/wcs?service=WCS&version=1.0.0&request=GetCapabilities&section=/',
]
/** Addresses whose parts are mutated. */
const wholePaths = [
  '/wmts/rest/default:countries/default/WebMercatorQuad/2/1/2?format=image/png',
  '/gwc/service/tms/1.0.0/default:countries@EPSG:900913@png/2/2/2.png',
  '/tiles/default:countries/2/2/1.png',
]
const wholeBodies = [
  '<wfs:GetFeature service="WFS" version="2.0.0" count="2" xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"><wfs:Query typeNames="default:countries"><fes:Filter><fes:And><fes:PropertyIsLike wildCard="*" singleChar="." escapeChar="!"><fes:ValueReference>NAME</fes:ValueReference><fes:Literal>A*</fes:Literal></fes:PropertyIsLike><fes:Intersects><fes:ValueReference>geometry</fes:ValueReference><gml:Polygon gml:id="a" srsName="EPSG:4326"><gml:exterior><gml:LinearRing><gml:posList>0 0 60 0 60 60 0 60 0 0</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></fes:Intersects></fes:And></fes:Filter></wfs:Query></wfs:GetFeature>',
  '<GetFeature service="WFS" version="1.1.0" maxFeatures="2" xmlns="http://www.opengis.net/wfs" xmlns:ogc="http://www.opengis.net/ogc"><Query typeName="default:states"><ogc:Filter><ogc:PropertyIsBetween><ogc:PropertyName>name</ogc:PropertyName><ogc:LowerBoundary><ogc:Literal>A</ogc:Literal></ogc:LowerBoundary><ogc:UpperBoundary><ogc:Literal>Z</ogc:Literal></ogc:UpperBoundary></ogc:PropertyIsBetween></ogc:Filter></Query></GetFeature>',
  '<wcs:GetCoverage service="WCS" version="2.0.1" xmlns:wcs="http://www.opengis.net/wcs/2.0"><wcs:CoverageId>default__islands</wcs:CoverageId><wcs:DimensionTrim><wcs:Dimension>E</wcs:Dimension><wcs:TrimLow>150000</wcs:TrimLow><wcs:TrimHigh>155000</wcs:TrimHigh></wcs:DimensionTrim><wcs:format>image/tiff</wcs:format></wcs:GetCoverage>',
]

const values = [
  '',
  ' ',
  '0',
  '-1',
  '1',
  '1e308',
  '-1e308',
  'NaN',
  'Infinity',
  '9007199254740993',
  '0x10',
  '1,2',
  ',',
  ',,,,',

  '0,0,0,0',
  '1,1,0,0',
  '1e300,1e300,1e301,1e301',
  '-180,-90,180,90',
  '180,90,540,270',
  'a,b,c,d',
  '0,0,1e-300,1e-300',

  'EPSG:4326',
  'EPSG:3857',
  'EPSG:0',
  'EPSG:99999999',
  'EPSG:2056',
  'EPSG:3413',
  'EPSG:5041',
  'AUTO:42001,9001,0,0',

  'urn:ogc:def:crs:EPSG::4326',
  'CRS:27',
  'PROJ:+proj=longlat',
  '__proto__',
  'constructor',
  'toString',
  '../../../etc/passwd',

  '\u0000',
  'a\u0000b',
  '漢字',
  '\u{1f30d}',
  '\u202e',
  '%',
  '%00',
  '%zz',
  '&',
  '<',
  '"',
  "'",
  '<![CDATA[',
  ']]>',
  '&#0;',

  "' OR 1=1 --",
  '; DROP TABLE layers',
  '$(id)',
  '{{7*7}}',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  '/vsicurl/http://127.0.0.1:1/',

  'x'.repeat(2000),
  '('.repeat(500),
  'NOT '.repeat(500),
  '1,'.repeat(1500),
  '1.0.0',
  '1.3.0',
  '2.0.1',
  '9.9.9',
  '2020-01-01/..',

  'image/png',
  'image/svg+xml',
  'text/xml',
  'application/json',
  'text/html',
  'image/tiff',
  'true',
  'hits',
  'GetMap',
  'GetCoverage',

  'default:countries',
  'default:islands',
  'default__days',
  'default:places',
  'default:secret',
  'nowhere',
  'default:',
  ':',
  '*',
]

/** A changed request, by the numbers of a generator. */
function mutated(whole: string, next: () => number): string {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item
  const [path = '', query = ''] = whole.split('?', 2)
  let pairs = query.split('&').map((pair): [string, string] => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
  const others = wholeRequests.flatMap((one) => one.split('?')[1]?.split('&') ?? [])
  for (let count = 1 + Math.floor(next() * 3); count > 0; count -= 1) {
    const at = Math.floor(next() * pairs.length)
    const [name = 'a', value = ''] = pairs[at] ?? []
    const kind = Math.floor(next() * 9)
    if (kind === 0) pairs = pairs.filter((_, index) => index !== at)
    else if (kind === 1) pairs.push([pick([name, name.toUpperCase()]), pick([value, pick(values)])])
    else if (kind === 2) pairs[at] = [pick([name.toUpperCase(), `${name}x`, '', '__proto__']), value]
    else if (kind === 3) {
      const [otherName = '', otherValue = ''] = pick(others).split('=', 2)
      pairs.push([otherName, otherValue])
    } else if (kind === 4) {
      const place = Math.floor(next() * (value.length + 1))
      pairs[at] = [name, value.slice(0, place) + pick(values).slice(0, 20) + value.slice(place)]
    } else if (kind === 5) pairs[at] = [name, value.slice(0, Math.floor(next() * value.length))]
    else pairs[at] = [name, pick(values)]
  }
  const written = pairs.map(
    ([name, value]) => `${name}=${next() < 0.02 ? value : encodeURIComponent(value.toWellFormed())}`,
  )
  return encodeURI(`${path}?${written.join('&')}`.toWellFormed())
    .replaceAll('%25', '%')
    .replaceAll('#', '%23')
}

function mutatedText(text: string, next: () => number): string {
  let changed = text
  for (let count = 1 + Math.floor(next() * 3); count > 0; count -= 1) {
    const at = Math.floor(next() * (changed.length + 1))
    const kind = Math.floor(next() * 4)
    const put = values[Math.floor(next() * values.length)] ?? ''
    if (kind === 0) changed = changed.slice(0, at) + put + changed.slice(at)
    else if (kind === 1) changed = changed.slice(0, at) + changed.slice(at + Math.floor(next() * 30))
    else if (kind === 2) changed = changed.slice(0, at) + changed.slice(Math.max(0, at - 60))
    else changed = changed.replace(/>([^<]+)</, `>${put}<`)
  }
  return changed
}

/** Text put before a document or in place of its beginning. */
const prologs = [
  '<?xml version="1.0" encoding="UTF-16"?>',
  '<?xml version="1.0" encoding="ISO-8859-1"?>',
  '<?xml version="9.9" encoding="nonsense"?>',
  '<!DOCTYPE a SYSTEM "file:///etc/passwd">',
  '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>',
  '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;">]>',
  '<?xml-stylesheet href="http://127.0.0.1:1/"?>',
  '\uFEFF',
  '<!-- ',
  '<a>'.repeat(3000),
]
const posts = ['/wfs', '/wcs', '/ows', '/default/wfs', '/default/wcs', '/default/ows', '/wms', '/wmts']
const bodyTypes = [
  'text/xml',
  'application/xml',
  'text/xml; charset=UTF-8',
  'text/xml; charset=utf-16le',
  'text/xml; charset=latin1',
  'text/xml; charset=nonsense',
  'application/soap+xml',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/json',
  'nonsense',
  '',
]
const bodyEncodings: readonly BufferEncoding[] = ['utf8', 'utf8', 'utf8', 'utf16le', 'latin1']
const formType = 'application/x-www-form-urlencoded'

interface Post {
  type: string
  body: Buffer
}

/** Returns a changed document or form, unchanged in encoding or in another one. */
function mutatedPost(next: () => number): [address: string, post: Post] {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item
  const address = pick(posts)
  if (next() < 0.25) {
    const form = mutated(pick(wholeRequests), next).split('?')[1] ?? ''
    return [address, { type: formType, body: Buffer.from(form) }]
  }
  const text = mutatedText(pick(wholeBodies), next)
  const entity = next() < 0.3 ? text.replace(/>([^<]+)</, '>&b;&d;&#x41;&#0;<') : text
  const whole = next() < 0.5 ? `${pick(prologs)}${entity}` : entity
  const type = next() < 0.5 ? 'text/xml' : pick(bodyTypes)
  return [address, { type, body: Buffer.from(whole, pick(bodyEncodings)) }]
}

interface Sent {
  what: string
  status: number
  type: string
  bytes: Buffer
}

describe('the older services, asked by mutated requests', { timeout: 1_800_000 }, () => {
  const ends: (() => void)[] = []
  const cleanup: Cleanup = { after: (work: () => void) => ends.push(work) }
  let server: ServedMaps
  before(async () => {
    server = await serveMaps(cleanup)
    for (const [column, name] of ['a_2020', 'b_2021'].entries())
      makeGranule(join(server.sources, 'days', `${name}.tif`), { column })
    const data = { type: 'mosaic', location: 'maps/days', time: { mode: 'auto' } }
    const made = await server.call('POST', '/rest/imports?exec=true', { import: { data } })
    assert.equal(made.json.import?.state, 'COMPLETE', made.text)
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  const send = async (address: string, post?: Post): Promise<Sent> => {
    const begun = performance.now()
    const headers = post?.type === '' ? {} : { 'content-type': post?.type ?? '' }
    const init = post === undefined ? {} : { method: 'POST', body: new Uint8Array(post.body), headers }
    const reply = await fetch(`${server.url}${address}`, { ...init, signal: AbortSignal.timeout(longestMs) })
    const bytes = Buffer.from(await reply.arrayBuffer())
    const what = `${address}${post === undefined ? '' : ` ${post.type} ${post.body}`}`
    assert.ok(performance.now() - begun < longestMs, what)
    return { what, status: reply.status, type: String(reply.headers.get('content-type')), bytes }
  }

  it('answer each, or say by the form of their version why not', async (t) => {
    const next = seededRandom(seed)
    const requests: [address: string, post?: Post][] = Array.from({ length: runs }, (_, at) => {
      const whole = wholeRequests[at % wholeRequests.length] ?? ''
      const kind = next()
      const xml = (text: string): Post => ({ type: 'text/xml', body: Buffer.from(mutatedText(text, next)) })
      if (kind < 0.06) return ['/wfs', xml(wholeBodies[at % 2] ?? '')]
      if (kind < 0.09) return ['/wcs', xml(wholeBodies[2] ?? '')]
      if (kind < 0.18) return mutatedPost(next)
      if (kind < 0.24) {
        const path = wholePaths[at % wholePaths.length] ?? ''
        const parts = path.split('/')
        const index = 1 + Math.floor(next() * (parts.length - 1))
        parts[index] = encodeURIComponent(values[Math.floor(next() * values.length)] ?? '').slice(0, 500)
        return [parts.join('/')]
      }
      return [mutated(whole, next)]
    })
    const sent: Sent[] = []
    const queue = requests.values()
    const work = async (): Promise<void> => {
      for (const [address, post] of queue) sent.push(await send(address, post))
    }
    await Promise.all(Array.from({ length: atATime }, work))

    const counts = Object.entries(Object.groupBy(sent, ({ status }) => status)).map(
      ([status, some]) => `${status}: ${some?.length}`,
    )
    t.diagnostic(`seed ${seed}, ${sent.length} requests, ${counts.join(', ')}`)
    for (const { what, status, bytes } of sent)
      assert.ok(
        [200, 204, 304, 400, 401, 403, 404, 405, 406, 413, 414, 415, 501].includes(status) ||
          (status === 503 && !/internal|could not be drawn/i.test(String(bytes))),
        `${status} ${what.slice(0, 2000)}\n${String(bytes).slice(0, 500)}`,
      )
    for (const { what, type, status, bytes } of sent) {
      if (status !== 200 || !/^image\/(?:png|jpeg|gif|webp)/.test(type)) continue
      const { width } = await sharp(bytes).metadata()
      assert.ok((width ?? 0) > 0, what)
    }
    await areXml(t, sent)
    assert.equal((await fetch(`${server.url}/health`)).status, 200)
  })
})

/** Documents are XML, and those that name their schema are valid. */
async function areXml(t: Cleanup, sent: readonly Sent[]): Promise<void> {
  const folder = mkdtempSync(join(temporaryData(t), 'xml-'))
  const documents = sent.filter(({ type }) => /xml/.test(type))
  for (const [at, { bytes }] of documents.entries()) writeFileSync(join(folder, `${at}.xml`), bytes)
  const script = `
import sys
from lxml import etree
for at in range(int(sys.argv[2])):
    try:
        etree.parse('%s/%d.xml' % (sys.argv[1], at), etree.XMLParser(no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        print(at, error)`
  const faults = execFileSync('/usr/bin/python3', ['-c', script, folder, String(documents.length)], {
    encoding: 'utf8',
  })
  const [first] = faults.split(' ')
  assert.equal(faults, '', documents[Number(first)]?.what)
  const known = new Map<string, XmlDocument>()
  for (const { what, status, bytes } of documents) {
    const text = bytes.toString('utf8')
    // One document per root element and error code.
    const kind = `${status} ${/<[A-Za-z:]+ [^>]*>/.exec(text)?.[0]} ${/ode="[^"]*"/.exec(text)?.[0]}`
    if (status >= 400 && text.includes('schemaLocation')) known.set(kind, { name: what, text })
  }
  assert.deepEqual(await faultsOfXml(t, [...known.values()]), {})
}
