import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { Answer, ImporterClient } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'

const raster = (): Buffer => readFileSync('tests/fixtures/raster/RGB.byte.tif')
const table = 'name,lat,lon\nA,1,10\n'
const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }

async function startWithTable(test: TestContext): Promise<ImporterClient> {
  const client = await startImporter(test)
  await client.call('POST', '', {})
  await client.upload(0, [{ name: 'places.csv', content: table }])
  return client
}

const create = (client: ImporterClient, data: object): Promise<Answer> =>
  client.call('POST', '', { import: { data } })

describe('the target of a task that cannot go into it', () => {
  it('is shown, and so is the answer to the PUT that named it', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', { import: { targetStore: { dataStore: { name: 'default' } } } })
    const uploaded = await client.upload(0, [{ name: 'photo.tif', content: raster() }])
    assert.equal(uploaded.json.task?.state, 'BAD_FORMAT')
    const href = 'http://localhost:80/rest/imports/0/tasks/0/target'
    assert.deepEqual(uploaded.json.task?.target, { href, dataStore: { name: 'default', type: 'GeoPackage' } })
    const target = await client.call('GET', '/0/tasks/0/target')
    assert.equal(target.json.dataStore?.name, 'default', target.text)

    await client.call('POST', '', {})
    await client.upload(1, [{ name: 'photo.tif', content: raster() }])
    const put = await client.call('PUT', '/1/tasks/0/target', { dataStore: { name: 'default' } })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.json.dataStore?.name, 'default')
    assert.equal((await client.call('GET', '/1/tasks/0')).json.task?.state, 'BAD_FORMAT')
  })

  it('is none where nothing reads the data, and cannot be set', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', {})
    const uploaded = await client.upload(0, [{ name: 'notes.xyzzy', content: 'no data' }])
    assert.equal(uploaded.json.task?.state, 'NO_FORMAT')
    const before = (await client.call('GET', '/0/tasks/0')).json
    const put = await client.call('PUT', '/0/tasks/0/target', { dataStore: { name: 'default' } })
    assert.equal(put.status, 404, put.text)
    assert.deepEqual((await client.call('GET', '/0/tasks/0')).json, before)
  })
})

describe('a task', () => {
  it('that is written back unchanged keeps its transformations under their ids', async (test) => {
    const client = await startWithTable(test)
    await client.call('PUT', '/0/tasks/0/layer', { layer: { srs: 'EPSG:4326' } })
    await client.call('POST', '/0/tasks/0/transforms', points)
    await client.call('POST', '/0/tasks/0/transforms', { type: 'ReprojectTransform', target: 'EPSG:3857' })
    const shown = await client.call('GET', '/0/tasks/0')
    const put = await client.call('PUT', '/0/tasks/0', shown.json)
    assert.equal(put.status, 200, put.text)
    assert.deepEqual(put.json, shown.json)
    await client.call('POST', '/0')
    const complete = await client.call('GET', '/0/tasks/0')
    assert.equal(complete.json.task?.state, 'COMPLETE')
    assert.equal((await client.call('PUT', '/0/tasks/0', complete.json)).status, 200)
    const other = { task: { transformChain: { transforms: [points] } } }
    assert.equal((await client.call('PUT', '/0/tasks/0', other)).status, 409)
  })

  it('takes an update mode in any letter case', async (test) => {
    const client = await startWithTable(test)
    const put = await client.call('PUT', '/0/tasks/0', { task: { updateMode: 'append' } })
    assert.equal(put.json.task?.updateMode, 'APPEND')
    const wrong = await client.call('PUT', '/0/tasks/0', { task: { updateMode: 'UPDATE' } })
    assert.equal(wrong.status, 400)
    assert.match(String(wrong.json.detail), /CREATE, REPLACE, APPEND/)
  })

  it('shows its data to the level that expand says', async (test) => {
    const client = await startImporter(test)
    const folder = join(client.server.dataDir, 'incoming', 'notes')
    mkdirSync(folder, { recursive: true })
    for (const name of ['a.xyzzy', 'b.xyzzy']) client.provide('geojson/README.md', `notes/${name}`)
    await create(client, { type: 'directory', location: 'notes' })
    const files = (query: string) => client.call('GET', `/0/tasks/0/data${query}`)
    assert.equal(listOf((await files('')).json.files).length, 2)
    assert.equal((await files('?expand=none')).json.files, undefined)
  })
})

describe('rows that a transformation rejects', () => {
  it('are kept as they stand in the source, whatever the chain had made of them', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', { import: { transforms: [points] } })
    await client.upload(0, [
      { name: 'days.csv', content: 'name,lat,lon,day\nA,1,10,2020-01-01\nB,2,20,soon\nC,x,30,2020-01-01\n' },
    ])
    const change = { layer: { srs: 'EPSG:4326' }, rejectLimit: '100%' }
    await client.call('PUT', '/0/tasks/0', change)
    await client.call('POST', '/0/tasks/0/transforms', { type: 'DateFormatTransform', field: 'day' })
    await client.call('POST', '/0')
    const { text } = await client.call('GET', '/0/tasks/0/rejects?f=csv')
    const [head, ...rows] = text.trimEnd().split('\r\n')
    assert.equal(head, '_row,_field,_value,_reason,name,lat,lon,day,_geometry')
    assert.deepEqual(rows.map((row) => row.split(',').slice(-5).join(',')).sort(), [
      'B,2,20,soon,',
      'C,x,30,2020-01-01,',
    ])
  })
})

describe('data that an import cannot use', () => {
  it('are a folder of archives alone: they are opened', async (test) => {
    const client = await startImporter(test)
    client.provide('archives/utf.zip', 'packed/utf.zip')
    client.provide('archives/valid-shapefile.zip', 'packed/valid.zip')
    const { json } = await create(client, { type: 'directory', location: 'packed' })
    assert.equal(json.import?.state, 'PENDING')
    const { tasks } = (await client.call('GET', '/0/tasks?expand=2')).json
    assert.deepEqual(
      listOf(tasks).map(({ data }) => String(data?.format)),
      ['Shapefile', 'GeoPackage'],
    )
  })

  it('are a folder of broken archives alone: one NO_FORMAT task that names them', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson', 'packed/a.zip')
    const { json } = await create(client, { type: 'directory', location: 'packed' })
    assert.match(JSON.stringify(json.import?.messages), /a\.zip.*is not a readable zip archive/)
    const { tasks } = (await client.call('GET', '/0/tasks?expand=2')).json
    assert.deepEqual(
      listOf(tasks).map(({ state }) => String(state)),
      ['NO_FORMAT'],
    )
    assert.equal((await client.call('POST', '/0')).status, 409)
  })

  it('are an empty file name or location: 400', async (test) => {
    const client = await startImporter(test)
    for (const data of [
      { type: 'file', file: '' },
      { type: 'directory', location: ' ' },
      { type: 'mosaic', location: '' },
    ]) {
      assert.equal((await create(client, data)).status, 400, JSON.stringify(data))
    }
    assert.deepEqual((await client.call('GET', '')).json.imports, [])
  })
})
