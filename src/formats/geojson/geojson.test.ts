import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { collection, feature } from '../../../tests/support/geojson-text.ts'
import { dataFile, type ReadLayer, readContext, readLayer } from '../../../tests/support/read-layer.ts'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { geojson } from './geojson.ts'

const writeFile = temporaryFiles()
const fixtures = join(import.meta.dirname, '../../../tests/fixtures/geojson')

function write(content: string | Uint8Array, name = 'data.geojson'): string {
  return writeFile(name, content)
}

function read(content: string | Uint8Array, name?: string): Promise<ReadLayer> {
  return readLayer(geojson, write(content, name))
}

describe('GeoJSON layouts', () => {
  const one = feature('{"a":1}')
  const layouts: Record<string, [string, number]> = {
    'a collection': [collection([one, one]), 2],
    'a collection with members around its features': [
      `{"name":"x","features":[${one}],"bbox":[1,2,3,4],"type":"FeatureCollection","note":{"features":[]}}`,
      1,
    ],
    'an empty collection': [collection([]), 0],
    'a single feature': [one, 1],
    'a pretty-printed feature': [JSON.stringify(JSON.parse(one), null, 2), 1],
    'a bare geometry': ['{"type":"Point","coordinates":[1,2]}', 1],
    'a geometry collection': ['{"type":"GeometryCollection","geometries":[]}', 1],
    'a feature a line': [`${one}\n${one}\r\n\n${one}`, 3],
    'a text sequence': [`\x1e${JSON.stringify(JSON.parse(one), null, 1)}\n\x1e${one}\n`, 2],
    'a byte order mark': [`\ufeff${collection([one])}`, 1],
  }
  for (const [name, [content, count]] of Object.entries(layouts)) {
    it(`reads ${name}`, async () => {
      const { layer, rows, rejects } = await read(content)
      assert.equal(layer.featureCount, count)
      assert.deepEqual([rows.length, rejects.length], [count, 0])
      assert.deepEqual(
        rows.map((row) => row.row),
        rows.map((_, index) => index + 1),
      )
      assert.ok(geojson.detect(dataFile(write(content)), Buffer.from(content)))
    })
  }

  it('reads a real file with its CRS, envelope, types and every row', async () => {
    const path = join(fixtures, 'countries.geojson')
    const { layer, rows, rejects } = await readLayer(geojson, path)
    const expected = JSON.parse(readFileSync(path, 'utf8'))
    assert.equal(layer.name, 'countries')
    assert.equal(layer.featureCount, 242)
    assert.deepEqual(layer.schema.geometry, {
      name: 'geometry',
      type: 'MultiPolygon',
      hasZ: false,
      hasM: false,
      crs: { srs: 'EPSG:4326' },
    })
    assert.deepEqual(rejects, [])
    const names = layer.schema.attributes.map((attribute) => attribute.name)
    assert.deepEqual(names, Object.keys(expected.features[0].properties))
    for (const [index, row] of rows.entries()) {
      assert.deepEqual(row.values, Object.values(expected.features[index].properties), `row ${index + 1}`)
      assert.match(row.geometry ?? '', /^MULTIPOLYGON \(\(\(/)
    }
    assert.equal(layer.envelope?.minX.toFixed(1), '-180.0')
    assert.equal(layer.envelope?.maxY.toFixed(1), '83.6')
  })

  it('reads features that go over the ends of chunks, and features larger than a chunk', async () => {
    const sizes = [10, 700_000, 400_000, 5, 3_000_000, 100_000, 1]
    const features = sizes.map((size, id) => feature(`{"id":${id},"text":"${'ä'.repeat(size)}"}`))
    for (const content of [collection(features), features.join('\n')]) {
      const { rows } = await read(content)
      assert.deepEqual(
        rows.map(({ values: [id, text] }) => [id, String(text).length]),
        sizes.map((size, id) => [id, size]),
      )
    }
  })
})

describe('GeoJSON CRS', () => {
  const named: [string, unknown][] = [
    ['', { srs: 'EPSG:4326' }],
    ['"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:OGC:1.3:CRS84"}},', { srs: 'EPSG:4326' }],
    ['"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::25832"}},', { srs: 'EPSG:25832' }],
    ['"crs":{"type":"name","properties":{"name":"EPSG:3857"}},', { srs: 'EPSG:3857' }],
    [
      '"crs":{"type":"name","properties":{"name":"http://www.opengis.net/def/crs/EPSG/0/31370"}},',
      { srs: 'EPSG:31370' },
    ],
    ['"crs":{"type":"EPSG","properties":{"code":28992}},', { srs: 'EPSG:28992' }],
    ['"crs":null,', undefined],
    ['"crs":{"type":"link","properties":{"href":"x"}},', undefined],
  ]
  for (const [member, crs] of named) {
    it(`is ${JSON.stringify(crs)} with ${member || 'no crs member'}`, async () => {
      const { layer } = await read(collection([feature('{}')], member))
      assert.deepEqual(layer.schema.geometry?.crs, crs)
      assert.equal(layer.messages.length, crs === undefined ? 1 : 0)
    })
  }

  it('is found behind the features', async () => {
    const crs = '"crs":{"type":"name","properties":{"name":"EPSG:2154"}}'
    const { layer } = await read(`{"type":"FeatureCollection","features":[${feature('{}')}],${crs}}`)
    assert.deepEqual(layer.schema.geometry?.crs, { srs: 'EPSG:2154' })
  })
})

describe('GeoJSON detection', () => {
  const other = {
    TopoJSON: '{"type":"Topology","objects":{"a":{"type":"GeometryCollection","geometries":[]}},"arcs":[]}',
    'ESRI JSON':
      '{"geometryType":"esriGeometryPoint","features":[{"attributes":{},"geometry":{"x":1,"y":2}}]}',
    'other JSON': '{"type":"Feature collection","a":{"type":"Feature"}}',
    'an array': '[{"type":"Feature"}]',
    'a web page': '<html>{"type":"Feature"}</html>',
    nothing: '',
  }
  for (const [name, content] of Object.entries(other)) {
    it(`does not take ${name}`, () => {
      assert.ok(!geojson.detect({ path: 'x.geojson', sidecars: {} }, Buffer.from(content)))
    })
  }

  it('takes a collection whose type stands behind its features, and a truncated one', () => {
    const file = { path: 'x.json', sidecars: {} }
    assert.ok(geojson.detect(file, Buffer.from(`{"features":[{"properties":{},"type":"Feature"`)))
    assert.ok(geojson.detect(file, Buffer.from('{"name":"x","type":"FeatureCollection","fea')))
  })
})

describe('GeoJSON reading', () => {
  it('stops with the reason of an abort, and may be left early', async () => {
    const path = write(collection(Array.from({ length: 9000 }, (_, i) => feature(`{"n":${i}}`))))
    const file = dataFile(path)
    const [layer] = await geojson.describe(file, readContext())
    assert.ok(layer)
    const controller = new AbortController()
    const reason = new Error('enough')
    await assert.rejects(async () => {
      for await (const _ of geojson.read(file, layer, { signal: controller.signal })) controller.abort(reason)
    }, reason)
    for await (const batch of geojson.read(file, layer, readContext())) {
      assert.equal(batch.rowCount, 2048)
      break
    }
  })
})
