import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { dataFile } from '../../tests/support/read-layer.ts'
import { detectFormat } from './registry.ts'

const folder = mkdtempSync(join(tmpdir(), 'registry-'))
after(() => rmSync(folder, { recursive: true }))
const fixtures = join(import.meta.dirname, '../../tests/fixtures')
const { signal } = new AbortController()

async function detected(path: string): Promise<string | undefined> {
  return (await detectFormat(dataFile(path), signal))?.name
}

describe('detectFormat', () => {
  it('finds the format of a file by its content', async () => {
    assert.equal(await detected(join(fixtures, 'shapefile/utf.shp')), 'Shapefile')
    assert.equal(await detected(join(fixtures, 'flatgeobuf/countries.fgb')), 'FlatGeobuf')
  })

  it('is not led astray by a wrong extension', async () => {
    copyFileSync(join(fixtures, 'flatgeobuf/countries.fgb'), join(folder, 'wrong.shp'))
    assert.equal(await detected(join(folder, 'wrong.shp')), 'FlatGeobuf')
    copyFileSync(join(fixtures, 'shapefile/utf.shp'), join(folder, 'wrong.fgb'))
    assert.equal(await detected(join(folder, 'wrong.fgb')), 'Shapefile')
  })

  it('believes the content and not the ending', async () => {
    const feature = '{"type":"Feature","properties":{"a":1,"b":2},"geometry":null}'
    const contents = {
      GeoJSON: `{"type":"FeatureCollection","features":[${feature}]}`,
      KML: '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>a,b</name></Placemark></kml>',
      GPX: '<?xml version="1.0"?>\n<gpx version="1.1"><wpt lat="1" lon="2"/></gpx>',
      GML: '<?xml version="1.0"?>\n<a:b xmlns:gml="http://www.opengis.net/gml"><gml:boundedBy/></a:b>',
      CSV: 'id,name\n1,a\n2,b\n',
    }
    const endings = ['txt', 'xml', 'json', 'csv', 'dat', 'geojson', 'gpx', 'tab', 'bin']
    for (const [name, content] of Object.entries(contents)) {
      for (const ending of name === 'CSV' ? ['txt', 'tsv', 'dat', 'tab', 'csv', 'psv'] : endings) {
        const path = join(folder, `x.${ending}`)
        writeFileSync(path, content)
        assert.equal(await detected(path), name, ending)
      }
    }
  })

  it('finds none for capabilities, metadata and exceptions that name GML', async () => {
    const path = join(folder, 'x.xml')
    const roots = ['gmd:MD_Metadata', 'wfs:WFS_Capabilities', 'ServiceExceptionReport', 'ows:ExceptionReport']
    for (const root of roots) {
      writeFileSync(path, `<?xml version="1.0"?>\n<${root} xmlns:gml="http://www.opengis.net/gml"></${root}>`)
      assert.equal(await detected(path), undefined, root)
    }
  })

  it('finds GeoJSON whose members are sorted and whose first geometry is long', async () => {
    const path = join(folder, 'sorted.geojson')
    const ring = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => [at, at]))
    writeFileSync(
      path,
      `{"crs": null, "features": [{"geometry": {"coordinates": ${ring}, "type": "LineString"}, "properties": {}, "type": "Feature"}], "type": "FeatureCollection"}`,
    )
    assert.equal(await detected(path), 'GeoJSON')
  })

  it('finds none for other bytes, an empty file among them', async () => {
    writeFileSync(join(folder, 'empty.shp'), '')
    writeFileSync(
      join(folder, 'noise.bin'),
      Uint8Array.from({ length: 70_000 }, (_, index) => (index * 37) & 255),
    )
    assert.equal(await detected(join(folder, 'empty.shp')), undefined)
    assert.equal(await detected(join(folder, 'noise.bin')), undefined)
  })

  it('stops when it is told to', async () => {
    await assert.rejects(
      detectFormat(dataFile(join(fixtures, 'shapefile/utf.shp')), AbortSignal.abort(new Error('no'))),
      /no/,
    )
  })
})
