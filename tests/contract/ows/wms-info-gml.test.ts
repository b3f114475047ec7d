import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { gdal, importRaster, rasterFixtures } from '../../support/rasters.ts'
import { ask } from '../../support/wms-maps.ts'

interface Feature {
  properties: Record<string, unknown>
  geometry: { type: string; coordinates: unknown } | null
}

const ring = [
  [9, 50],
  [10, 50],
  [10, 51],
  [9, 51],
  [9, 50],
]
const hole = [
  [9.2, 50.2],
  [9.2, 50.4],
  [9.4, 50.4],
  [9.4, 50.2],
  [9.2, 50.2],
]
const geometries: Record<string, [type: string, coordinates: unknown][]> = {
  points: [
    ['Point', [9.25, 50.5]],
    ['Point', [9.75, 50.125]],
  ],
  heights: [['Point', [9.25, 50.5, 123.5]]],
  lines: [['LineString', ring.slice(0, 3)]],
  parts: [['MultiLineString', [ring.slice(0, 2), ring.slice(2, 4)]]],
  areas: [['Polygon', [ring, hole]]],
  islands: [['MultiPolygon', [[ring, hole], [hole.toReversed()]]]],
  places: [['MultiPoint', [ring[0], ring[2]]]],
}
const hostile = `<b>"]]>' & 漢字 ${'x'.repeat(300)}`
const types = ['application/vnd.ogc.gml', 'application/vnd.ogc.gml/3.1.1', 'application/gml+xml; version=3.2']

/** All features of the layers are within four cells of the queried one. */
function infoQuery(layers: string, srs: string, format: string): string {
  const box: Record<string, string> = {
    'EPSG:4326': '9,50,10,51',
    'EPSG:25832': '500000,5538630,571000,5650300',
  }
  return `version=1.1.1&request=GetFeatureInfo&layers=${layers}&query_layers=${layers}&styles=&srs=${srs}&bbox=${box[srs]}&width=1&height=1&x=0&y=0&feature_count=50&info_format=${encodeURIComponent(format)}`
}

function readByGdal(client: ImporterClient, xml: string): Feature[] {
  const path = join(client.server.dataDir, `info-${Math.random()}.gml`)
  writeFileSync(path, xml)
  const text = execFileSync(
    'ogr2ogr',
    ['-q', '-f', 'GeoJSON', '-lco', 'RFC7946=NO', '-lco', 'COORDINATE_PRECISION=9', '/vsistdout/', path],
    { encoding: 'utf8' },
  )
  return (JSON.parse(text) as { features: Feature[] }).features
}

function flat(coordinates: unknown): number[] {
  return [coordinates].flat(9) as number[]
}

describe('what is at a point, as GML', () => {
  it('is to GDAL what it is as GeoJSON, in each version, and each order of axes', async (t) => {
    const client = await startImporter(t)
    const folder = join(client.server.dataDir, 'incoming')
    for (const [name, shapes] of Object.entries(geometries)) {
      const features = shapes.map(([type, coordinates], at) => ({
        type: 'Feature',
        properties: { text: hostile, whole: 9007199254740991 - at, part: at + 0.1, '名 1': 'ä', none: null },
        geometry: { type, coordinates },
      }))
      writeFileSync(join(folder, `${name}.geojson`), JSON.stringify({ type: 'FeatureCollection', features }))
      const data = { type: 'file', file: `${name}.geojson` }
      const { status, text } = await client.call('POST', '?exec=true', { import: { data } })
      assert.equal(status, 201, text)
    }
    for (const [name, shapes] of Object.entries(geometries))
      for (const srs of ['EPSG:4326', 'EPSG:25832']) {
        const reported = await ask(client, infoQuery(`default:${name}`, srs, 'application/json'))
        const { features } = JSON.parse(reported.text) as { features: Feature[] }
        assert.equal(features.length, shapes.length, `${name} ${reported.text.slice(0, 300)}`)
        for (const type of types) {
          const { status, text, type: sent } = await ask(client, infoQuery(`default:${name}`, srs, type))
          const where = `${name} ${srs} ${type}`
          assert.equal(status, 200, text)
          assert.ok(sent.startsWith(type.endsWith('/3.1.1') ? 'text/xml; subtype=gml/3.1.1' : type), sent)
          const found = readByGdal(client, text)
          assert.equal(found.length, features.length, where)
          for (const [at, { properties, geometry }] of found.entries()) {
            const [own, other] = [features[at]?.geometry, geometry]
            assert.equal(other?.type, own?.type, where)
            const [expected, read] = [flat(own?.coordinates), flat(other?.coordinates)]
            assert.equal(read.length, expected.length, where)
            for (const [index, value] of read.entries())
              assert.ok(
                Math.abs(value - (expected[index] ?? Number.NaN)) < 1e-6,
                `${where} ${read} ${expected}`,
              )
            assert.equal(properties['text'], hostile, where)
            assert.equal(Number(properties['whole']), features[at]?.properties['whole'], where)
            assert.equal(Number(properties['part']), features[at]?.properties['part'], where)
            assert.equal(properties['名_1'], 'ä', where)
          }
        }
      }
    const several = infoQuery('default:points,default:areas', 'EPSG:4326', types[2] ?? '')
    const both = await ask(client, several)
    assert.match(both.text, /numberMatched="3" numberReturned="3"/)
    assert.equal(both.text.match(/<wfs:member>/g)?.length, 3)
    const nothing = await ask(
      client,
      infoQuery('default:points', 'EPSG:4326', types[0] ?? '').replace('9,50,10,51', '20,20,21,21'),
    )
    assert.match(nothing.text, /<wfs:FeatureCollection[^>]*>\s*<gml:boundedBy>.*<\/wfs:FeatureCollection>/s)
  })

  it('has the bands of a coverage', async (t) => {
    const client = await startImporter(t)
    const folder = join(client.server.dataDir, 'incoming')
    gdal('gdal_translate', '-q', join(rasterFixtures, 'RGB.byte.tif'), join(folder, 'rgb.tif'))
    await importRaster(client, 'rgb.tif')
    const place = 'srs=EPSG:4326&bbox=-78.1,24.5,-77.6,25&width=100&height=100&x=50&y=50'
    const query = `version=1.1.1&request=GetFeatureInfo&layers=default:rgb&query_layers=default:rgb&styles=&${place}`
    const reported = await ask(client, `${query}&info_format=application/json`)
    const [own] = (JSON.parse(reported.text) as { features: Feature[] }).features
    assert.ok(own)
    for (const type of types) {
      const { status, text } = await ask(client, `${query}&info_format=${encodeURIComponent(type)}`)
      assert.equal(status, 200, text)
      const values = [...text.matchAll(/<default:[^>\s]+>([^<]+)</g)].map(([, value]) => Number(value))
      assert.deepEqual(values, Object.values(own.properties), text)
    }
  })
})
