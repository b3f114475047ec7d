import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countFeatures, listOf, readItems, startImporter } from '../../support/importer-client.ts'
import { gpxText, kmlPoint, kmlText, placemark } from '../../support/xml-text.ts'

const newImport = { import: {} }

describe('importing KML', () => {
  it('makes one layer of the default store from a file with folders', async (test) => {
    const client = await startImporter(test)
    const file = client.provide('kml/KML_Samples.kml')
    const created = await client.call('POST', '?exec=true', { import: { data: { type: 'file', file } } })
    assert.equal(created.status, 201, created.text)
    const { import: made } = (await client.call('GET', '/0?expand=2')).json
    assert.equal(made?.state, 'COMPLETE')
    assert.equal(made?.data?.format, 'KML')
    const { task } = (await client.call('GET', '/0/tasks/0')).json
    assert.deepEqual([task?.rowsRead, task?.rowsLoaded], [20, 20])
    assert.deepEqual(
      listOf(task?.messages).map(({ code }) => code),
      ['overlays'],
    )
    const items = listOf((await readItems(client, 'default:KML_Samples')).features)
    assert.equal(items.length, 20)
    const pentagon = items.find(({ properties }) => String(properties?.Name) === 'The Pentagon')
    assert.equal(pentagon?.properties?.Folder, 'Polygons -> Extruded Polygon')
    assert.equal(listOf(pentagon?.geometry?.coordinates).length, 2)
  })

  it('shows types, folders and the CRS before it runs, and loads typed data', async (test) => {
    const client = await startImporter(test)
    const file = client.provide('kml/valid.kml')
    await client.call('POST', '', { import: { data: { type: 'file', file } } })
    const { layer } = (await client.call('GET', '/0/tasks/0/layer')).json
    assert.equal(layer?.srs, 'EPSG:4326')
    assert.deepEqual(
      listOf(layer?.attributes).map(({ name, binding }) => [name, binding]),
      [
        ['geometry', 'org.locationtech.jts.geom.Point'],
        ['Folder', 'java.lang.String'],
        ['placemarkId', 'java.lang.String'],
        ['ogc_fid', 'java.lang.Integer'],
        ['id', 'java.lang.String'],
        ['name', 'java.lang.String'],
      ],
    )
    assert.equal((await client.call('POST', '/0')).status, 204)
    const items = listOf((await readItems(client, 'default:valid')).features)
    assert.deepEqual(
      items.map(({ geometry, properties }) => [geometry?.coordinates, properties?.ogc_fid, properties?.name]),
      [
        [[120.89945941369977, 14.358088895403743], 1, 'test'],
        [[120.94212582236852, 14.23553050541452], 2, 'test 2'],
      ],
    )
  })

  it('rejects placemarks with broken coordinates and loads the others', async (test) => {
    const client = await startImporter(test)
    const good = Array.from({ length: 40 }, (_, row) =>
      placemark(`<name>n${row}</name>`, kmlPoint(`${row},1`)),
    )
    const bad = placemark('<name>bad</name>', kmlPoint('1;2'))
    await client.call('POST', '', newImport)
    const uploaded = await client.upload(0, [{ name: 'places.kml', content: kmlText(...good, bad) }])
    assert.equal(uploaded.json.task?.state, 'READY', uploaded.text)
    assert.equal((await client.call('POST', '/0')).status, 204)
    const { task } = (await client.call('GET', '/0/tasks/0')).json
    assert.deepEqual([task?.state, task?.rowsRead, task?.rowsLoaded, task?.rejected], ['COMPLETE', 41, 40, 1])
    const [reject] = listOf((await client.call('GET', '/0/tasks/0/rejects')).json.features)
    assert.equal(reject?.properties?.Name, 'bad')
    assert.equal(await countFeatures(client, 'default:places'), 40)
  })

  it('says why a file that is cut off or has a document type is not read', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', newImport)
    const cut = kmlText(placemark(kmlPoint('1,2'))).slice(0, -30)
    const entities = `<!DOCTYPE kml [<!ENTITY x SYSTEM "file:///etc/passwd">]><kml><Placemark><name>&x;</name></Placemark></kml>`
    for (const [content, reason] of [
      [cut, /truncated/],
      [entities, /document type or entities/],
    ] as const) {
      const uploaded = await client.upload(0, [{ name: 'broken.kml', content }])
      assert.equal(uploaded.json.task?.state, 'ERROR', uploaded.text)
      assert.match(String(uploaded.json.task?.errorMessage), reason)
    }
  })
})

describe('importing GPX', () => {
  it('makes a task and a layer for each kind of data that the file has', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', newImport)
    const points = [1, 2, 3].map((x) => `<trkpt lon="${x}" lat="1"><ele>${x}</ele></trkpt>`).join('')
    const content = gpxText(
      '<wpt lon="1" lat="2"><name>here</name></wpt>',
      `<trk><name>T</name><trkseg>${points}</trkseg></trk>`,
    )
    const uploaded = await client.upload(0, [{ name: 'walk.gpx', content }])
    assert.equal(uploaded.status, 201, uploaded.text)
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.equal((await client.call('GET', '/0')).json.import?.state, 'COMPLETE')
    assert.equal(await countFeatures(client, 'default:waypoints'), 1)
    assert.equal(await countFeatures(client, 'default:track_points'), 3)
    const [track] = listOf((await readItems(client, 'default:tracks')).features)
    assert.equal(track?.properties?.name, 'T')
    assert.equal(track?.geometry?.type, 'MultiLineString')
  })
})
