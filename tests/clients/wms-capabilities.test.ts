import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import type { ServedMaps } from '../support/served-maps.ts'
import { serveMaps } from '../support/served-maps.ts'
import type { Cleanup } from '../support/terrane-process.ts'

const versions = ['1.3.0', '1.1.1'] as const
type Version = (typeof versions)[number]

/** Content of a layer in the capabilities. */
interface CapabilitiesLayer {
  name: string
  style: string
  legend: string
  /** West, south, east and north. */
  box: number[]
}

const plain = (text: string): string => text.replaceAll('&amp;', '&')

function layersOf(text: string, version: Version): CapabilitiesLayer[] {
  const [, ...parts] = text.split('<Layer queryable="1">')
  return parts.map((part) => {
    const [, name = ''] = /<Name>([^<]*)<\/Name>/.exec(part) ?? []
    const [, style = ''] = /<Style><Name>([^<]*)<\/Name>/.exec(part) ?? []
    const [, legend = ''] = /<LegendURL.*?xlink:href="([^"]*)"/.exec(part) ?? []
    const element = version === '1.3.0' ? '<BoundingBox CRS="CRS:84"' : '<LatLonBoundingBox'
    const pattern = new RegExp(`${element} minx="([^"]*)" miny="([^"]*)" maxx="([^"]*)" maxy="([^"]*)"`)
    return { name, style, legend: plain(legend), box: (pattern.exec(part) ?? []).slice(1).map(Number) }
  })
}

const elementsOf = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, one = '']) => plain(one))

describe('capabilities of WMS', () => {
  const ends: (() => void)[] = []
  const cleanup: Cleanup = { after: (work: () => void) => ends.push(work) }
  let server: ServedMaps
  before(async () => {
    server = await serveMaps(cleanup)
    const places = { lone: [10, 50], pole: [180, -90] }
    for (const [name, coordinates] of Object.entries(places)) {
      const feature = { type: 'Feature', properties: { name }, geometry: { type: 'Point', coordinates } }
      const text = JSON.stringify({ type: 'FeatureCollection', features: [feature] })
      writeFileSync(join(server.sources, `${name}.geojson`), text)
      const data = { type: 'file', file: `maps/${name}.geojson` }
      const made = await server.call('POST', '/rest/imports?exec=true', { import: { data } })
      assert.equal(made.json.import?.state, 'COMPLETE', made.text)
    }
  })
  after(async () => {
    await server.stop()
    for (const end of ends.reverse()) end()
  })

  const answer = async (path: string): Promise<{ status: number; type: string; bytes: Buffer }> => {
    const reply = await fetch(path.startsWith('http') ? path : `${server.url}${path}`)
    const type = reply.headers.get('content-type') ?? ''
    return { status: reply.status, type, bytes: Buffer.from(await reply.arrayBuffer()) }
  }
  const capabilities = async (version: Version): Promise<string> =>
    String((await answer(`/wms?service=WMS&version=${version}&request=GetCapabilities`)).bytes)
  /** A map of 60 by 40 cells of a box with x before y. */
  const mapOf = (version: Version, layer: string, box: number[], more: Record<string, string>): string => {
    const crs = version === '1.3.0' ? 'crs' : 'srs'
    const query = new URLSearchParams({
      service: 'WMS',
      version,
      request: 'GetMap',
      layers: layer,
      styles: '',
      format: 'image/png',
      width: '60',
      height: '40',
      [crs]: version === '1.3.0' ? 'CRS:84' : 'EPSG:4326',
      bbox: box.join(),
      ...more,
    })
    return `/wms?${query.toString()}`
  }

  for (const version of versions) {
    it(`tell boxes that show each layer, styles that draw it and legends that are there: ${version}`, async () => {
      const capabilitiesLayers = layersOf(await capabilities(version), version)
      assert.ok(capabilitiesLayers.length >= 8)
      for (const { name, style, legend, box } of capabilitiesLayers) {
        const [west = 0, south = 0, east = 0, north = 0] = box
        assert.ok(-180 <= west && west < east && east <= 180, `${name} ${box.join()}`)
        assert.ok(-90 <= south && south < north && north <= 90, `${name} ${box.join()}`)
        const more = { styles: style, transparent: 'true' }
        const { status, type, bytes } = await answer(mapOf(version, name, box, more))
        assert.equal(status, 200, `${name} ${String(bytes)}`)
        assert.equal(type, 'image/png')
        const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
        assert.deepEqual([info.width, info.height], [60, 40])
        assert.ok(
          data.some((value, at) => at % 4 === 3 && value > 0),
          `${name} shows nothing`,
        )
        const found = await answer(legend)
        assert.deepEqual([found.status, found.type], [200, 'image/png'], legend)
      }
    })

    it(`tell systems, formats and addresses that are answered so: ${version}`, async () => {
      const text = await capabilities(version)
      const [head = ''] = text.split('<Layer queryable="1">')
      const systems = elementsOf(head, version === '1.3.0' ? 'CRS' : 'SRS')
      assert.ok(systems.length >= 5 && new Set(systems).size === systems.length)
      for (const crs of systems) {
        const isDegrees = /84$|:4326$|:4258$/.test(crs)
        const box = isDegrees ? [5, 47, 15, 55] : [0, 0, 5_000_000, 4_000_000]
        const key = version === '1.3.0' ? 'crs' : 'srs'
        const { status, bytes } = await answer(mapOf(version, 'default:countries', box, { [key]: crs }))
        assert.equal(status, 200, `${crs} ${String(bytes)}`)
      }
      const between = (name: string): string =>
        new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(head)?.[1] ?? ''
      const box = [-100, 30, -80, 45]
      for (const format of elementsOf(between('GetMap'), 'Format')) {
        const { status, type } = await answer(mapOf(version, 'default:states', box, { format }))
        assert.deepEqual([status, type.split(';')[0]], [200, format.split(';')[0]])
      }
      const point: Record<string, string> = version === '1.3.0' ? { i: '30', j: '20' } : { x: '30', y: '20' }
      for (const format of elementsOf(between('GetFeatureInfo'), 'Format')) {
        const more = { request: 'GetFeatureInfo', query_layers: 'default:states', info_format: format }
        const { status, type } = await answer(mapOf(version, 'default:states', box, { ...more, ...point }))
        // Its second slash has no place in a header.
        const expected = format === 'application/vnd.ogc.gml/3.1.1' ? 'text/xml' : format.split(';')[0]
        assert.deepEqual([status, type.split(';')[0]], [200, expected])
      }
      for (const [wrong, locator] of Object.entries(point).map(
        ([name]) => [{ [name]: '999' }, name] as const,
      )) {
        const more = { request: 'GetFeatureInfo', query_layers: 'default:states', ...point, ...wrong }
        const { status, bytes } = await answer(mapOf(version, 'default:states', box, more))
        assert.equal(status, 400)
        assert.match(String(bytes), new RegExp(`code="InvalidPoint" locator="${locator}"`))
      }
    })
  }

  it('tell no size of a legend where none is wanted, which is as large as its rules', async () => {
    assert.match(await capabilities('1.3.0'), /<LegendURL><Format>/)
    assert.match(await capabilities('1.1.1'), /<LegendURL width="\d+" height="\d+"><Format>/)
  })
})
