import assert from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '../../../src/core/values/defined.ts'
import { adminPassword, basicAuth, createTestApp } from '../../support/app.ts'
import type { Json } from '../../support/importer-client.ts'
import { listOf } from '../../support/importer-client.ts'
import { patience } from '../../support/until.ts'

interface Reply {
  status: number
  location: string
  body: string
  json: Json
}

interface OlderClient {
  call(
    method: string,
    path: string,
    body?: string | FormData | URLSearchParams | Blob,
    type?: string,
  ): Promise<Reply>
}

const withCharset = 'application/json;charset=UTF-8'

/** A client as scripts for the older importer are: over HTTP, under `/geoserver`, with bodies as they were written. */
async function startOlderClient(test: TestContext): Promise<OlderClient & { incoming: string }> {
  const env = { TERRANE_DIALECT: 'geoserver', TERRANE_BASE_PATH: '/geoserver', TERRANE_LOADS: '1' }
  const server = await createTestApp({ env })
  test.after(() => server.close())
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  return {
    incoming: `${server.dataDir}/incoming`,
    call: async (method, path, body, type = withCharset) => {
      const isText = typeof body === 'string'
      const reply = await fetch(`${url}/geoserver/rest/imports${path}`, {
        method,
        redirect: 'error',
        headers: { ...basicAuth('admin', adminPassword), ...(isText ? { 'content-type': type } : {}) },
        ...defined({ body }),
      })
      const text = await reply.text()
      const json = /json/.test(reply.headers.get('content-type') ?? '') ? JSON.parse(text) : {}
      const location = new URL(reply.headers.get('location') ?? url).pathname
      return { status: reply.status, location, body: text, json }
    },
  }
}

const fileOf = (name: string): Blob => new Blob([new Uint8Array(readFileSync(`tests/fixtures/${name}`))])

function form(...names: string[]): FormData {
  const parts = new FormData()
  parts.append('name', 'test')
  for (const name of names) {
    parts.append('filedata', fileOf(name), name.slice(name.lastIndexOf('/') + 1))
  }
  return parts
}

/** Waits as such clients do: first for the import, then until no task is in an intermediate state. */
async function commit(client: OlderClient, path: string): Promise<void> {
  const { status, body } = await client.call('POST', `${path}?async=true`)
  assert.deepEqual([status, body], [204, ''])
  for (const hasTime = patience(); hasTime(); ) {
    const { json } = await client.call('GET', path)
    if (String(json.import?.state) === 'COMPLETE') return
    assert.match(String(json.import?.state), /^(PENDING|RUNNING)$/)
    await sleep(25)
  }
  assert.fail((await client.call('GET', `${path}?expand=all`)).body)
}

const lines = ['shp', 'shx', 'dbf', 'prj'].map(
  (ending) => `shapefile/ne_110m_admin_0_boundary_lines_land.${ending}`,
)

describe('a client of the older importer', () => {
  it('uploads, sends the task to a store, gives it transformations, commits and deletes', async (test) => {
    const client = await startOlderClient(test)
    const made = await client.call('POST', '/', '{"import": {}}')
    assert.deepEqual([made.status, made.location], [201, '/geoserver/rest/imports/0'])
    const uploaded = await client.call('POST', '/0/tasks', form(...lines))
    assert.equal(uploaded.location, '/geoserver/rest/imports/0/tasks/0')
    assert.equal(uploaded.json.task?.state, 'READY')

    const changes = [
      ['/0/tasks/0', '{"task": {"target": {"dataStore": {"name": "default"}}}}'],
      ['/0/tasks/0', '{"task": {"updateMode": "replace"}}'],
      ['/0/tasks/0/target', '{dataStore: {name: "default"}}'],
      ['/0/tasks/0', '{task: {layer: {name: "borders", srs: "EPSG:4326"}}}'],
      [
        '/0/tasks/0',
        '{task: {transformChain: {type: "VectorTransformChain", transforms: [{type: "ReprojectTransform", target: "EPSG:3857"}]}}}',
      ],
    ] as const
    for (const [path, body] of changes) {
      const { status, body: text } = await client.call('PUT', path, body)
      assert.deepEqual([status, text], [204, ''], body)
    }
    const layer = await client.call('PUT', '/0/tasks/0/layer', '{layer: {title: "Borders",},}')
    assert.deepEqual([layer.status, layer.json.layer?.title], [202, 'Borders'])
    for (const srs of ['26713', 'EPSG:9838275']) {
      const wrong = await client.call('PUT', '/0/tasks/0', `{task: {layer: {srs: "${srs}"}}}`)
      assert.equal(wrong.status, 400)
      assert.match(String(listOf<string>(wrong.json.errors)[0]), new RegExp(srs))
    }

    const added = await client.call(
      'POST',
      '/0/tasks/0/transforms',
      '{type: "AttributeRemapTransform", field: "scalerank", target: "java.lang.Integer"}',
    )
    assert.deepEqual([added.status, added.location], [201, '/geoserver/rest/imports/0/tasks/0/transforms/1'])
    assert.equal((await client.call('DELETE', '/0/tasks/0/transforms/0')).status, 200)
    const { transformChain } = (await client.call('GET', '/0/tasks/0/transforms')).json
    const [only] = listOf(transformChain?.transforms)
    assert.equal(String(transformChain?.type), 'vector')
    assert.match(String(only?.href), /\/transforms\/0$/)

    await commit(client, '/0')
    assert.equal((await client.call('GET', '/0/tasks/0')).json.task?.state, 'COMPLETE')
    assert.equal((await client.call('POST', '/0')).status, 204)
    for (const path of ['/0/tasks/0', '/0']) {
      const { status, body } = await client.call('DELETE', path)
      assert.deepEqual([status, body], [204, ''])
      assert.equal((await client.call('GET', path)).status, 404)
    }
  })

  it('creates from a file of the server, waits in NO_CRS, sets srs in the task and commits', async (test) => {
    const client = await startOlderClient(test)
    for (const ending of ['shp', 'shx', 'dbf'])
      cpSync(`tests/fixtures/shapefile/blockgroups.${ending}`, `${client.incoming}/blockgroups.${ending}`)
    const made = await client.call(
      'POST',
      '?expand=2',
      `{import: {targetWorkspace: {workspace: {name: "default"}}, data: {type: "file", file: "${client.incoming}/blockgroups.shp"}}}`,
      'text/json',
    )
    assert.equal(made.json.import?.tasks?.[0]?.state, 'NO_CRS')
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.equal((await client.call('GET', '/0')).json.import?.state, 'PENDING')
    const put = await client.call('PUT', '/0/tasks/0', '{"task":{"layer":{"srs":"EPSG:4326"}}}')
    assert.equal(put.status, 204)
    assert.equal((await client.call('GET', '/0/tasks/0')).json.task?.state, 'READY')
    await commit(client, '/0')

    const url = `file://${client.incoming}/blockgroups.shp`
    const added = await client.call('POST', '/0/tasks', new URLSearchParams({ url }))
    assert.deepEqual([added.status, added.location], [201, '/geoserver/rest/imports/0/tasks/1'])
    assert.equal(added.json.task?.state, 'NO_CRS')
  })

  it('sends a zip and a raster by their names, and a chain of raster tools', async (test) => {
    const client = await startOlderClient(test)
    await client.call('POST', '', '')
    const send = (name: string, fixture: string): Promise<Reply> =>
      client.call('PUT', `/0/tasks/${name}`, fileOf(fixture))
    const zip = await send('some.zip', 'archives/utf.zip')
    assert.deepEqual([zip.status, String(zip.json.task?.data?.format)], [201, 'Shapefile'])
    const raster = await send('scene.tif', 'raster/RGB.byte.tif')
    assert.deepEqual([raster.status, raster.location], [201, '/geoserver/rest/imports/0/tasks/1'])
    for (const body of [
      '{"type": "GdalWarpTransform", "options": ["-t_srs", "EPSG:4326"]}',
      '{"type": "GdalTranslateTransform", "options": ["-co", "TILED=YES", "-co", "BLOCKXSIZE=512", "-co", "BLOCKYSIZE=512"]}',
      '{"type": "GdalAddoTransform", "options": ["-r", "average"], "levels" : [2, 4, 8, 16]}',
    ]) {
      const { status, body: text } = await client.call('POST', '/0/tasks/1/transforms', body)
      assert.equal(status, 201, text)
    }
    const { json } = await client.call('GET', '/0/tasks/1/transforms')
    assert.deepEqual(
      listOf(json.transformChain?.transforms).map(({ type }) => String(type)),
      ['GdalWarpTransform', 'GdalTranslateTransform', 'GdalAddoTransform'],
    )
    await commit(client, '/0')
  })

  it('proposes ids, and creates by POST under an id that is not there', async (test) => {
    const client = await startOlderClient(test)
    const idOf = async (method: string, path: string): Promise<number> =>
      Number((await client.call(method, path)).json.import?.id)
    assert.equal(await idOf('PUT', '/8675309'), 8675309)
    assert.equal(await idOf('PUT', '/8675000'), 8675310)
    assert.equal(await idOf('POST', ''), 8675311)
    assert.equal(await idOf('POST', '/9000000'), 9000000)
  })
})
