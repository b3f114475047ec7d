import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { without } from '../../../src/core/values/defined.ts'
import type { Answer, ImporterClient } from '../../support/importer-client.ts'
import { listOf, readItems, shareImporter } from '../../support/importer-client.ts'

const csv = 'name,lat,lon,year,code\nA,1,10,1999,007\nB,2,20,2001,010\n'

async function uploaded(client: ImporterClient, name: string, content: string | Uint8Array): Promise<number> {
  const id = (await client.call('POST', '')).json.import?.id as unknown as number
  const answer = await client.upload(id, [{ name, content }])
  assert.equal(answer.status, 201, answer.text)
  return id
}

/** Creates an import of a file in the import root. */
async function importFile(client: ImporterClient, file: string, query = ''): Promise<number> {
  const created = await client.call('POST', query, { import: { data: { type: 'file', file } } })
  assert.equal(created.status, 201, created.text)
  return Number(created.json.import?.id)
}

async function run(client: ImporterClient, id: number): Promise<Answer> {
  const ran = await client.call('POST', `/${id}`)
  assert.equal(ran.status, 204, ran.text)
  return client.call('GET', `/${id}?expand=3`)
}

const namesOf = (answer: Answer): string[] =>
  listOf<{ name: string }>(answer.json.layer?.attributes).map((one) => one.name)

const shared = shareImporter()

describe('tasks', () => {
  it('answer under the singular and the plural path alike', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    for (const rest of ['', '/layer', '/transforms', '/data', '/progress', '/target']) {
      const plural = await client.call('GET', `/${id}/tasks/0${rest}`)
      assert.equal(plural.status, 200)
      assert.deepEqual((await client.call('GET', `/${id}/task/0${rest}`)).json, plural.json)
    }
    assert.equal((await client.call('GET', `/${id}/tasks/9`)).status, 404)
    assert.equal((await client.call('GET', `/${id}/tasks/x`)).status, 404)
  })

  it('have the fields of the contract', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    const { json } = await client.call('GET', `/${id}/tasks/0`)
    const task = json.task as unknown as Record<string, unknown>
    const href = `http://localhost:80/rest/imports/${id}/tasks/0`
    assert.equal(task.href, href)
    assert.equal(task.state, 'NO_CRS')
    assert.equal(task.updateMode, 'CREATE')
    assert.equal(task.progress, `${href}/progress`)
    assert.deepEqual(task.layer, { name: 'a', href: `${href}/layer` })
    assert.deepEqual(task.transformChain, { type: 'vector', transforms: [] })
    assert.deepEqual(json.task?.target, {
      href: `${href}/target`,
      dataStore: { name: 'default', type: 'GeoPackage' },
    })
    const data = without(task.data as Record<string, unknown>, 'location')
    assert.deepEqual(data, {
      type: 'file',
      format: 'CSV',
      file: 'a.csv',
      href: `${href}/data`,
      prj: null,
      other: [],
      charset: data.charset,
    })
  })

  it('take part of a task in PUT, with or without the wrapper, all or nothing', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    const path = `/${id}/tasks/0`
    assert.equal(
      (await client.call('PUT', path, { task: { updateMode: 'APPEND' } })).json.task?.updateMode,
      'APPEND',
    )
    assert.equal((await client.call('PUT', path, { updateMode: 'REPLACE' })).json.task?.updateMode, 'REPLACE')
    const wrong = await client.call('PUT', path, { task: { updateMode: 'CREATE', layer: { srs: 'EPSG:0' } } })
    assert.equal(wrong.status, 400)
    assert.equal((await client.call('GET', path)).json.task?.updateMode, 'REPLACE')
    assert.equal((await client.call('PUT', path, { task: { updateMode: 'WRONG' } })).status, 400)
    const whole = await client.call('PUT', path, {
      task: {
        updateMode: 'CREATE',
        rejectLimit: '2.5%',
        layer: { srs: 'EPSG:4326', title: 'Places' },
        transformChain: {
          type: 'vector',
          transforms: [{ type: 'IntegerFieldToDateTransform', field: 'year' }],
        },
      },
    })
    assert.equal(whole.status, 200, whole.text)
    assert.equal(whole.json.task?.state, 'READY')
    assert.equal(whole.json.task?.rejectLimit, '2.5%')
    assert.equal(listOf(whole.json.task?.transformChain?.transforms).length, 1)
  })

  it('honour If-Match', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    const path = `/${id}/tasks/0`
    const etag = String((await client.call('GET', path)).headers.etag)
    const change = { task: { updateMode: 'APPEND' } }
    assert.equal((await client.call('PUT', path, change, { 'if-match': etag })).status, 200)
    assert.equal((await client.call('PUT', path, change, { 'if-match': etag })).status, 412)
  })

  it('are deleted without moving the ids of others', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    await client.upload(id, [{ name: 'b.csv', content: csv }])
    assert.equal((await client.call('DELETE', `/${id}/tasks/0`)).status, 200)
    const rest = listOf<{ id: number }>((await client.call('GET', `/${id}/tasks`)).json.tasks)
    assert.deepEqual(
      rest.map((task) => task.id),
      [1],
    )
  })

  it('show their data and files, and go to NO_FORMAT without their main file', async () => {
    const client = shared()
    const id = await uploaded(client, 'my file.csv', csv)
    const files = await client.call('GET', `/${id}/tasks/0/data/files`)
    const [file] = listOf<{ file: string; href: string }>(files.json.files)
    assert.equal(file?.file, 'my file.csv')
    const path = String(file?.href).replace('http://localhost:80/rest/imports', '')
    assert.equal((await client.call('GET', path)).json.format, 'CSV')
    assert.equal((await client.call('PUT', path, { timestamp: '2000-01-01T00:00:00.000+0000' })).status, 400)
    const disk = join(client.server.dataDir, 'uploads', String(id), '0', 'my file.csv')
    assert.ok(existsSync(disk))
    assert.equal((await client.call('DELETE', path)).status, 200)
    assert.ok(!existsSync(disk))
    const task = await client.call('GET', `/${id}/tasks/0`)
    assert.equal(task.json.task?.state, 'NO_FORMAT')
    assert.equal(task.json.task?.layer, undefined)
    assert.equal((await client.call('GET', path)).status, 404)
  })
})

describe('the layer of a task', () => {
  it('keeps its state when the srs is wrong and loads what attributes say', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    const path = `/${id}/tasks/0/layer`
    const before = await client.call('GET', path)
    assert.deepEqual(before.json.layer?.bbox, { minx: 0, miny: 0, maxx: -1, maxy: -1 })
    assert.deepEqual(namesOf(before), ['name', 'lat', 'lon', 'year', 'code'])
    assert.equal((await client.call('PUT', path, { layer: { attributes: [{ name: 'x' }] } })).status, 400)
    const put = await client.call('PUT', path, {
      layer: {
        srs: 'urn:ogc:def:crs:EPSG::4326',
        title: 'Places',
        abstract: 'Some places',
        name: 'my places',
        attributes: [
          { name: 'label', source: 'name', binding: 'java.lang.String' },
          { name: 'lat', binding: 'java.lang.Double' },
          { name: 'lon', binding: 'java.lang.Double' },
          { name: 'code', binding: 'java.lang.Integer' },
        ],
      },
    })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.json.layer?.srs, 'EPSG:4326')
    assert.equal(put.json.layer?.name, 'my_places')
    assert.deepEqual(namesOf(put), ['label', 'lat', 'lon', 'code'])
    const gone = await client.call('POST', `/${id}/tasks/0/transforms`, {
      type: 'IntegerFieldToDateTransform',
      field: 'year',
    })
    assert.equal(gone.status, 400)
    const point = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
    assert.equal((await client.call('POST', `/${id}/tasks/0/transforms`, point)).status, 201)
    const done = await run(client, id)
    assert.equal(done.json.import?.state, 'COMPLETE', done.text)
    const items = await readItems(client, 'default:my_places')
    const [first] = listOf<{ properties: object }>(items.features)
    assert.deepEqual(first?.properties, { label: 'A', code: 7 })
  })

  it('gives the geometry the type that the attributes say', async () => {
    const client = shared()
    client.provide('geojson/valid.geojson')
    const id = await importFile(client, 'valid.geojson')
    const before = (await client.call('GET', `/${id}/tasks/0/layer`)).json.layer
    const attributes = listOf<{ name: string; binding: string }>(before?.attributes)
    const [geometry, ...others] = attributes
    const jts = 'org.locationtech.jts.geom.'
    const put = (binding: string) =>
      client.call('PUT', `/${id}/tasks/0/layer`, {
        layer: { attributes: [{ name: geometry?.name, binding }, ...others] },
      })
    assert.equal((await put('java.lang.String')).status, 400)
    const changed = await put(`${jts}Geometry`)
    assert.equal(changed.status, 200, changed.text)
    assert.equal(listOf<{ binding: string }>(changed.json.layer?.attributes)[0]?.binding, `${jts}Geometry`)
    await run(client, id)
    const layer = await client.server.app.inject({
      url: '/rest/layers/default:valid',
      headers: client.server.admin,
    })
    assert.match(layer.body, /org\.locationtech\.jts\.geom\.Geometry/)
  })

  it('can be read and written back unchanged', async () => {
    const client = shared()
    client.provide('geojson/valid.geojson')
    const id = await importFile(client, 'valid.geojson')
    const layer = await client.call('GET', `/${id}/tasks/0/layer`)
    const put = await client.call('PUT', `/${id}/tasks/0/layer`, layer.json)
    assert.equal(put.status, 200)
    assert.deepEqual(put.json, layer.json)
    assert.equal(put.headers['terrane-ignored'], undefined)
  })

  it('changes metadata of the published layer when the task is complete, and nothing else', async () => {
    const client = shared()
    client.provide('geojson/valid.geojson', 'titled.geojson')
    const id = await importFile(client, 'titled.geojson', '?exec=true')
    const path = `/${id}/tasks/0/layer`
    assert.equal(
      (await client.call('PUT', path, { layer: { title: 'New', style: { name: 'point' } } })).status,
      200,
    )
    assert.equal((await client.call('PUT', path, { layer: { srs: 'EPSG:3857' } })).status, 409)
    assert.equal((await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: 'APPEND' } })).status, 409)
    assert.equal((await client.call('PUT', path, { layer: { style: { name: 'none' } } })).status, 400)
    const reply = await client.server.app.inject({
      method: 'GET',
      url: '/ogc/collections/default%3Atitled',
      headers: client.server.admin,
    })
    assert.equal(JSON.parse(reply.body).title, 'New')
  })

  it('has a style from the start, as a link and as a document', async () => {
    const client = shared()
    client.provide('geojson/valid.geojson')
    const id = await importFile(client, 'valid.geojson')
    const layer = await client.call('GET', `/${id}/tasks/0/layer`)
    const href = `http://localhost:80/rest/imports/${id}/tasks/0/layer/style`
    assert.equal(layer.json.layer?.style?.href, href)
    const style = await client.call('GET', `/${id}/tasks/0/layer/style`)
    assert.deepEqual(style.json.style, { name: layer.json.layer?.style?.name, href, format: 'maplibre' })
    const document = await client.call('GET', `/${id}/tasks/0/layer/style`, undefined, {
      accept: 'application/vnd.maplibre.style+json',
    })
    assert.equal(document.json.version, 8)
  })
})

describe('the target of a task', () => {
  it('moves to another store that exists', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    const create = await client.server.app.inject({
      method: 'POST',
      url: '/rest/workspaces/default/datastores',
      headers: client.server.admin,
      payload: { dataStore: { name: 'other', type: 'GeoPackage' } },
    })
    assert.equal(create.statusCode, 201, create.body)
    const put = await client.call('PUT', `/${id}/tasks/0/target`, { dataStore: { name: 'other' } })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.json.dataStore?.name, 'other')
    assert.deepEqual(put.json.dataStore?.workspace, { name: 'default' })
    assert.equal(
      (await client.call('PUT', `/${id}/tasks/0/target`, { dataStore: { name: 'none' } })).status,
      400,
    )
  })

  it('makes an indirect task of a file that would be served as it is', async () => {
    const client = shared()
    for (const ext of ['shp', 'shx', 'dbf', 'prj']) client.provide(`shapefile/utf.${ext}`)
    const id = await importFile(client, 'utf.shp')
    const target = async () => (await client.call('GET', `/${id}/tasks/0/target`)).json.dataStore
    assert.equal((await target())?.type, 'Shapefile')
    const index = await client.call('POST', `/${id}/tasks/0/transforms`, {
      type: 'CreateIndexTransform',
      field: 'field',
    })
    assert.equal(index.status, 201, index.text)
    assert.equal((await target())?.type, 'GeoPackage')
  })
})

describe('the transformations of a task', () => {
  it('are appended, changed and deleted under ids that are never used twice', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    const path = `/${id}/tasks/0/transforms`
    const date = { type: 'IntegerFieldToDateTransform', field: 'year' }
    const first = await client.call('POST', path, date)
    assert.equal(first.status, 201)
    const href = `http://localhost:80/rest/imports/${id}/tasks/0/transforms/0`
    assert.equal(first.headers.location, href)
    assert.deepEqual(first.json, { type: date.type, href, field: 'year' })
    assert.equal((await client.call('DELETE', `${path}/0`)).status, 200)
    assert.equal((await client.call('GET', `${path}/0`)).status, 404)
    const second = await client.call('POST', path, {
      type: 'AttributeRemapTransform',
      field: 'code',
      target: 'java.lang.Integer',
    })
    assert.match(String(second.json.href), /transforms\/1$/)
    const changed = await client.call('PUT', `${path}/1`, { target: 'java.lang.Long' })
    assert.equal(changed.status, 200)
    assert.equal(changed.json.target, 'java.lang.Long')
    assert.equal(changed.json.field, 'code')
    assert.equal((await client.call('PUT', `${path}/1`, { type: date.type })).status, 400)
    const listed = await client.call('GET', path)
    assert.deepEqual(listed.json.transforms, [changed.json])
  })

  it('are refused where type, parameter or field do not fit', async () => {
    const client = shared()
    const id = await uploaded(client, 'a.csv', csv)
    const path = `/${id}/tasks/0/transforms`
    for (const wrong of [
      { type: 'NoSuch' },
      { type: 'AttributeRemapTransform', field: 'code' },
      { type: 'IntegerFieldToDateTransform', field: 'nope' },
      { type: 'ReprojectTransform', target: 'EPSG:3857' },
    ]) {
      const answer = await client.call('POST', path, wrong)
      assert.equal(answer.status, 400, answer.text)
    }
    assert.deepEqual((await client.call('GET', path)).json.transforms, [])
  })

  it('that give the CRS make a NO_CRS task READY', async () => {
    const client = shared()
    for (const ext of ['shp', 'shx', 'dbf']) client.provide(`shapefile/blockgroups.${ext}`)
    const id = await importFile(client, 'blockgroups.shp')
    const answer = await client.call('POST', `/${id}/tasks/0/transforms`, {
      type: 'ReprojectTransform',
      source: 'EPSG:4326',
      target: 'EPSG:3857',
    })
    assert.equal(answer.status, 201, answer.text)
    assert.equal((await client.call('GET', `/${id}/tasks/0`)).json.task?.state, 'READY')
  })
})
