import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { without } from '../../../src/core/values/defined.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { listOf, readItems, startImporter } from '../../support/importer-client.ts'

const base = 'http://localhost:80/rest/imports/0'
const lines = 'ne_110m_admin_0_boundary_lines_land'

async function startWithDirectory(test: TestContext): Promise<ImporterClient> {
  const client = await startImporter(test)
  for (const extension of ['shp', 'shx', 'dbf', 'prj'])
    client.provide(`shapefile/${lines}.${extension}`, `all/${lines}.${extension}`)
  client.provide('geojson/valid.geojson', 'all/valid.geojson')
  return client
}

const directory = { import: { data: { type: 'directory', location: 'all' } } }

describe('an import of a directory', () => {
  it('has the fields of the contract and no others', async (test) => {
    const client = await startWithDirectory(test)
    const created = await client.call('POST', '', directory)
    assert.equal(created.headers.location, base)
    const task = (id: number) => ({ id, href: `${base}/tasks/${id}`, state: 'READY' })
    assert.deepEqual(created.json.import, {
      id: 0,
      href: base,
      state: 'PENDING',
      archive: false,
      targetWorkspace: { workspace: { name: 'default' } },
      data: {
        type: 'directory',
        location: join(client.server.dataDir, 'incoming', 'all'),
        href: `${base}/data`,
      },
      tasks: [task(0), task(1)],
    })
    assert.deepEqual((await client.call('GET', '/0')).json, created.json)
    assert.deepEqual((await client.call('GET', '/0/tasks')).json, { tasks: [task(0), task(1)] })
  })

  it('lists its main files and shows each with its sidecars', async (test) => {
    const client = await startWithDirectory(test)
    await client.call('POST', '', directory)
    const { json } = await client.call('GET', '/0/data/files')
    assert.deepEqual(json, {
      files: [
        { file: `${lines}.shp`, href: `${base}/data/files/${lines}.shp` },
        { file: 'valid.geojson', href: `${base}/data/files/valid.geojson` },
      ],
    })
    const file = without((await client.call('GET', `/0/data/files/${lines}.shp`)).json, 'charset')
    assert.deepEqual(file, {
      type: 'file',
      format: 'Shapefile',
      location: join(client.server.dataDir, 'incoming', 'all'),
      file: `${lines}.shp`,
      href: `${base}/data/files/${lines}.shp`,
      prj: `${lines}.prj`,
      other: [`${lines}.dbf`, `${lines}.shx`],
    })
  })

  it('is deleted with 200 and without body', async (test) => {
    const client = await startWithDirectory(test)
    await client.call('POST', '', directory)
    for (const path of ['/0/tasks/0', '/0']) {
      const { status, text } = await client.call('DELETE', path)
      assert.deepEqual([status, text], [200, ''])
      assert.equal((await client.call('GET', path)).status, 404)
    }
  })
})

describe('every listed property of a layer', () => {
  it('can be changed, and the published layer has it', async (test) => {
    const client = await startWithDirectory(test)
    await client.call('POST', '', directory)
    const path = '/0/tasks/1/layer'
    const change = {
      name: 'renamed',
      title: 'A title',
      abstract: 'About it',
      originalName: 'first',
      nativeName: 'the_table',
      srs: 'urn:ogc:def:crs:EPSG::4258',
      bbox: { minx: 1, miny: 2, maxx: 3, maxy: 4 },
      style: { name: 'line' },
    }
    const put = await client.call('PUT', path, { layer: change })
    assert.equal(put.status, 200)
    const { layer } = (await client.call('GET', path)).json
    assert.deepEqual(layer, put.json.layer)
    const { bbox, style, srs, ...plain } = layer as unknown as Record<string, Record<string, unknown>>
    const expected = without(change, 'bbox', 'style', 'srs')
    assert.deepEqual({ ...plain, ...expected }, plain)
    assert.equal(srs, 'EPSG:4258')
    const { crs, ...corners } = bbox ?? {}
    assert.deepEqual(corners, change.bbox)
    assert.match(String(crs), /^GEOGCS\["ETRS89"/)
    assert.equal(style?.name, 'line')
    assert.equal((await client.call('PUT', path, { layer: { bbox: { minx: 1 } } })).status, 400)
    assert.equal((await client.call('PUT', path, { layer: { style: { name: 'no-such' } } })).status, 400)
    await client.call('POST', '/0')
    const reply = await client.server.app.inject({
      url: '/rest/layers/default:renamed',
      headers: client.server.admin,
    })
    assert.equal(reply.statusCode, 200, (await client.call('GET', '/0?expand=3')).text)
    assert.match(reply.body, /"A title"/)
    assert.match(reply.body, /"line"/)
  })
})

const table = 'id,day,year,amount,lat,lon\na,2015-03-01,1999,12,47.5,8.5\nb,2016-12-31,2001,13,-10,20\n'
const chain = [
  { type: 'DateFormatTransform', field: 'day', format: 'yyyy-MM-dd' },
  { type: 'IntegerFieldToDateTransform', field: 'year' },
  { type: 'AttributeRemapTransform', field: 'amount', target: 'java.lang.String' },
  { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' },
  { type: 'ReprojectTransform', target: 'EPSG:3857' },
  { type: 'CreateIndexTransform', field: 'id' },
]

describe('the six vector transformations', () => {
  it('stand in the order they were added and act one after the other', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', { import: {} })
    await client.upload(0, [{ name: 'table.csv', content: table }])
    await client.call('PUT', '/0/tasks/0/layer', { layer: { srs: 'EPSG:4326' } })
    for (const [place, spec] of chain.entries()) {
      const added = await client.call('POST', '/0/tasks/0/transforms', spec)
      assert.equal(added.status, 201, added.text)
      assert.equal(added.headers.location, `${base}/tasks/0/transforms/${place}`)
    }
    const { json } = await client.call('GET', '/0/tasks/0/transforms')
    const shown = listOf<Record<string, unknown>>(json.transforms)
    assert.deepEqual(
      shown.map(({ type }) => type),
      chain.map(({ type }) => type),
    )
    assert.equal(shown[4]?.source, null)
    assert.equal((await client.call('POST', '/0')).status, 204)
    const items = await readItems(client, 'default:table')
    const [first] = listOf<{ properties: unknown; geometry: { coordinates: number[] } }>(items.features)
    assert.deepEqual(first?.properties, { id: 'a', day: '2015-03-01', year: '1999-01-01', amount: '12' })
    assert.deepEqual(
      first?.geometry.coordinates.map((value) => Math.round(value * 1e6) / 1e6),
      [8.5, 47.5],
    )
    const db = new DatabaseSync(join(client.server.dataDir, 'stores', 'default', 'default.gpkg'))
    test.after(() => db.close())
    const srs = db.prepare("select srs_id from gpkg_geometry_columns where table_name = 'table'").get()
    assert.equal(srs?.srs_id, 3857)
    const indexed = db
      .prepare(
        "select c.name from pragma_index_list('table') i, pragma_index_info(i.name) c where i.origin = 'c'",
      )
      .all()
    assert.deepEqual(
      indexed.map((row) => row.name),
      ['id'],
    )
  })
})
