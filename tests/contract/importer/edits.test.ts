import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'
import { until } from '../../support/until.ts'

const table = 'name,lat,lon,year,day\nA,1,10,1999,2020-02-01\n'
const srs = { layer: { srs: 'EPSG:4326' } }

async function statesOf(client: ImporterClient): Promise<string[]> {
  const { json } = await client.call('GET', '/0')
  return [json.import, ...listOf(json.import?.tasks)].map((one) => String(one?.state))
}

describe('the state of an import', () => {
  it('follows its tasks after every run, edit and deletion', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', {})
    for (const name of ['a.csv', 'b.csv']) await client.upload(0, [{ name, content: table }])
    assert.deepEqual(await statesOf(client), ['PENDING', 'NO_CRS', 'NO_CRS'])
    await client.call('PUT', '/0/tasks/0', srs)
    await client.call('POST', '/0')
    assert.deepEqual(await statesOf(client), ['PENDING', 'COMPLETE', 'NO_CRS'])

    await client.call('PUT', '/0/tasks/1', { ...srs, updateMode: 'APPEND' })
    await client.call('POST', '/0')
    assert.deepEqual(await statesOf(client), ['COMPLETE_ERROR', 'COMPLETE', 'ERROR'])
    const failed = (await client.call('GET', '/0')).json.import
    assert.match(String(failed?.message), /1 of 2 tasks failed/)
    assert.match(String((await client.call('GET', '/0/tasks/1')).json.task?.errorMessage), /append/)

    await client.call('PUT', '/0/tasks/1', { updateMode: 'CREATE' })
    assert.deepEqual(await statesOf(client), ['PENDING', 'COMPLETE', 'READY'])
    assert.equal((await client.call('GET', '/0')).json.import?.message, undefined)
    assert.equal((await client.call('GET', '/0/tasks/1')).json.task?.errorMessage, undefined)

    await client.call('PUT', '/0/tasks/1', { updateMode: 'APPEND' })
    await client.call('POST', '/0')
    await client.call('DELETE', '/0/tasks/1')
    assert.deepEqual(await statesOf(client), ['COMPLETE', 'COMPLETE'])
    await client.call('DELETE', '/0/tasks/0')
    assert.deepEqual(await statesOf(client), ['PENDING'])
    assert.equal((await client.call('POST', '/0')).status, 409)
  })

  it('is READY for a named store and data, and PENDING again when a task is not', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson')
    const targetStore = { dataStore: { name: 'default' } }
    const data = { type: 'file', file: 'valid.geojson' }
    const created = await client.call('POST', '', { import: { targetStore, data } })
    assert.deepEqual(created.json.import?.targetStore, { dataStore: { name: 'default', type: 'GeoPackage' } })
    assert.deepEqual(await statesOf(client), ['READY', 'READY'])
    await client.call('PUT', '/0/tasks/0/layer', { layer: { title: 'Places' } })
    assert.deepEqual(await statesOf(client), ['READY', 'READY'])
    assert.equal((await client.call('DELETE', '/0/tasks/0/data/files/valid.geojson')).status, 200)
    assert.deepEqual(await statesOf(client), ['PENDING', 'NO_FORMAT'])
    await client.upload(0, [{ name: 'a.csv', content: table }])
    await client.call('PUT', '/0/tasks/1', srs)
    assert.deepEqual(await statesOf(client), ['PENDING', 'NO_FORMAT', 'READY'])
  })

  it('is PENDING for data that came asynchronously, whatever the store', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson')
    const targetStore = { dataStore: { name: 'default' } }
    const data = { type: 'file', file: 'valid.geojson' }
    const created = await client.call('POST', '?async=true', { import: { targetStore, data } })
    assert.equal(created.json.import?.state, 'INIT')
    await until(async () => (await statesOf(client))[0] !== 'INIT')
    assert.deepEqual(await statesOf(client), ['PENDING', 'READY'])
  })
})

/** Each type with the parameters that it needs, those that it may have, and what it shows of them by default. */
const types = [
  { type: 'AttributeRemapTransform', needed: { field: 'year', target: 'java.lang.Double' } },
  {
    type: 'AttributesToPointGeometryTransform',
    needed: { latField: 'lat', lngField: 'lon' },
    optional: { pointFieldName: 'place', preserveGeometry: true },
    shown: { pointFieldName: 'location', preserveGeometry: false },
  },
  { type: 'CreateIndexTransform', needed: { field: 'name' } },
  { type: 'DateFormatTransform', needed: { field: 'name' }, optional: { format: 'yyyy' } },
  { type: 'IntegerFieldToDateTransform', needed: { field: 'year' } },
]

describe('the parameters of transformations', () => {
  it('are each needed or optional as the contract says, and shown with their defaults', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', {})
    await client.upload(0, [{ name: 'a.csv', content: table }])
    const path = '/0/tasks/0/transforms'
    for (const { type, needed, optional = {}, shown = {} } of types) {
      for (const name of Object.keys(needed)) {
        const { [name as 'field']: _left, ...others }: Partial<Record<string, string>> = needed
        const refused = await client.call('POST', path, { type, ...others })
        assert.equal(refused.status, 400, `${type} without ${name}`)
        assert.match(String(refused.json.detail), new RegExp(name))
      }
      for (const given of [{}, optional]) {
        const { status, json, text, headers } = await client.call('POST', path, { type, ...needed, ...given })
        assert.equal(status, 201, text)
        const href = String(headers.location)
        assert.deepEqual(json, { type, href, ...needed, ...shown, ...given })
        const own = href.slice(href.indexOf('/0/tasks'))
        assert.deepEqual((await client.call('GET', own)).json, json)
        assert.equal((await client.call('DELETE', own)).status, 200)
      }
    }
  })

  it('of CreateIndexTransform suit a database alone', async (test) => {
    const client = await startImporter(test)
    client.provide('flatgeobuf/countries.fgb')
    const data = { type: 'file', file: 'countries.fgb' }
    await client.call('POST', '?exec=true', { import: { data } })
    await client.call('POST', '', {})
    await client.upload(1, [{ name: 'a.csv', content: table }])
    const target = await client.call('PUT', '/1/tasks/0/target', { dataStore: { name: 'countries' } })
    assert.equal(target.status, 200, target.text)
    const index = { type: 'CreateIndexTransform', field: 'name' }
    const refused = await client.call('POST', '/1/tasks/0/transforms', index)
    assert.equal(refused.status, 400, refused.text)
    assert.match(String(refused.json.detail), /database/)
  })

  it('of ReprojectTransform: target is needed; source is null where the native CRS is meant', async (test) => {
    const client = await startImporter(test)
    client.provide('geojson/valid.geojson')
    await client.call('POST', '', { import: { data: { type: 'file', file: 'valid.geojson' } } })
    const type = 'ReprojectTransform'
    const post = (spec: object) => client.call('POST', '/0/tasks/0/transforms', { type, ...spec })
    assert.equal((await post({ source: 'EPSG:4326' })).status, 400)
    assert.equal((await post({ target: 'EPSG:999999' })).status, 400)
    const native = await post({ target: 'EPSG:3857' })
    assert.deepEqual([native.json.source, native.json.target], [null, 'EPSG:3857'])
    const named = await post({ source: 'EPSG:3857', target: 'EPSG:4326' })
    assert.deepEqual([named.json.source, named.json.target], ['EPSG:3857', 'EPSG:4326'])
  })
})
