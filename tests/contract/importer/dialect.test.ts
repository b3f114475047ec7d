import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { listOf, startImporter } from '../../support/importer-client.ts'

const table = 'name,lat,lon\nA,1.5,10\nB,2,20\n'
const task = '/0/tasks/0'

function start(test: TestContext): Promise<ImporterClient> {
  return startImporter(test, { env: { TERRANE_DIALECT: 'geoserver' } })
}

/** Creates an import with one table that waits for its CRS. */
async function startWithTable(test: TestContext): Promise<ImporterClient> {
  const client = await start(test)
  await client.call('POST', '', { import: {} })
  await client.upload(0, [{ name: 'places.csv', content: table }])
  return client
}

const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
const remap = (field: string) => ({ type: 'AttributeRemapTransform', field, target: 'java.lang.String' })

async function hrefs(client: ImporterClient): Promise<string[]> {
  const { json } = await client.call('GET', `${task}/transforms`)
  return endings(json.transformChain?.transforms)
}

function endings(transforms: Json | undefined): string[] {
  return listOf(transforms).map((one) => String(one.href).split('/').at(-1) ?? '')
}

describe('the dialect of older systems', () => {
  it('answers 204 without body to DELETE, to runs and to changes of a task, and 202 to those of a layer', async (test) => {
    const client = await startWithTable(test)
    const layer = await client.call('PUT', `${task}/layer`, { layer: { srs: 'EPSG:4326' } })
    assert.equal(layer.status, 202)
    assert.equal(String(layer.json.layer?.srs), 'EPSG:4326')
    const changed = await client.call('PUT', task, { task: { updateMode: 'CREATE' } })
    assert.deepEqual([changed.status, changed.text], [204, ''])
    const target = await client.call('PUT', `${task}/target`, { dataStore: { name: 'default' } })
    assert.deepEqual([target.status, target.text], [204, ''])
    for (const [method, path] of [
      ['POST', '/0'],
      ['DELETE', `${task}/data/files/places.csv`],
      ['DELETE', task],
      ['DELETE', '/0'],
    ] as const) {
      const { status, text } = await client.call(method, path)
      assert.deepEqual([status, text], [204, ''], `${method} ${path}`)
    }
  })

  it('deletes every import, which the contract does not know', async (test) => {
    const client = await startWithTable(test)
    await client.call('POST', '', { import: {} })
    const { status, text } = await client.call('DELETE', '')
    assert.deepEqual([status, text], [204, ''])
    assert.deepEqual(listOf((await client.call('GET', '')).json.imports), [])
    const contract = await startImporter(test)
    assert.equal((await contract.call('DELETE', '')).status, 405)
  })

  it('answers 204 to a run with nothing to run, and changes nothing', async (test) => {
    const client = await startWithTable(test)
    assert.equal((await client.call('POST', '/0')).status, 204)
    const { json } = await client.call('GET', '/0')
    assert.equal(String(json.import?.state), 'PENDING')
    assert.equal(String(json.import?.tasks?.[0]?.state), 'NO_CRS')
    await client.call('POST', '', { import: {} })
    assert.equal((await client.call('POST', '/1')).status, 204)
  })

  it('never shows an import as READY, not in its creation, its list nor its events', async (test) => {
    const client = await start(test)
    client.provide('geojson/valid.geojson')
    const created = await client.call('POST', '', {
      import: {
        targetStore: { dataStore: { name: 'default' } },
        data: { type: 'file', file: 'valid.geojson' },
      },
    })
    assert.equal(String(created.json.import?.state), 'PENDING')
    assert.equal(String(created.json.import?.tasks?.[0]?.state), 'READY')
    assert.equal(String((await client.call('GET', '/0')).json.import?.state), 'PENDING')
    const url = await client.server.app.listen({ host: '127.0.0.1', port: 0 })
    for (const headers of [client.server.admin, { ...client.server.admin, 'last-event-id': '0' }]) {
      const reply = await fetch(`${url}/rest/imports/0/events`, { headers })
      const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
      const { value } = (await reader?.read()) ?? {}
      await reader?.cancel()
      assert.match(String(value), /event: import\ndata: \{"state":"PENDING"/)
    }
  })

  it('wraps the list of transformations as transformChain with its type', async (test) => {
    const client = await startWithTable(test)
    await client.call('POST', `${task}/transforms`, points)
    const { json } = await client.call('GET', `${task}/transforms`)
    assert.equal(String(json.transformChain?.type), 'vector')
    assert.equal(String(json.transformChain?.transforms?.[0]?.type), points.type)
    assert.equal(json.transforms, undefined)
  })

  it('counts transformations by their place in the chain, which later ones give up', async (test) => {
    const client = await startWithTable(test)
    for (const field of ['name', 'lat', 'lon']) {
      const added = await client.call('POST', `${task}/transforms`, remap(field))
      assert.equal(added.status, 201)
      assert.equal(added.headers.location, String(added.json.href))
    }
    assert.deepEqual(await hrefs(client), ['0', '1', '2'])
    await client.call('DELETE', `${task}/transforms/0`)
    assert.deepEqual(await hrefs(client), ['0', '1'])
    assert.equal(String((await client.call('GET', `${task}/transforms/0`)).json.field), 'lat')
    const changed = await client.call('PUT', `${task}/transforms/1`, { field: 'name' })
    assert.equal(String(changed.json.field), 'name')
    assert.equal((await client.call('GET', `${task}/transforms/2`)).status, 404)
    const shown = (await client.call('GET', '/0?expand=2')).json.import?.tasks?.[0]
    assert.deepEqual(endings(shown?.transformChain?.transforms), ['0', '1'])
  })

  it('shows the workspace of targets from level 3 on, as clients read it', async (test) => {
    const client = await start(test)
    const target = { targetStore: { dataStore: { name: 'default' } } }
    await client.call('POST', '', { import: target })
    await client.upload(0, [{ name: 'places.csv', content: table }])
    for (const expand of ['3', '4', 'all']) {
      const { json } = await client.call('GET', `/0?expand=${expand}`)
      const store = json.import?.tasks?.[0]?.target?.dataStore
      assert.equal(String(store?.workspace?.name), 'default', expand)
      assert.equal(String(json.import?.targetStore?.dataStore?.workspace?.name), 'default', expand)
      assert.deepEqual(store, (await client.call('GET', `${task}/target`)).json.dataStore)
    }
    const [listed] = listOf((await client.call('GET', '/0/tasks?expand=2')).json.tasks)
    const one = (await client.call('GET', `${task}?expand=2`)).json.task
    for (const shown of [listed, one])
      assert.equal(String(shown?.target?.dataStore?.workspace?.name), 'default')
    for (const [path, expected] of [
      ['/0?expand=2', ['href', 'dataStore']],
      ['/0?expand=3', ['href', 'dataStore']],
    ] as const) {
      const shown = (await client.call('GET', path)).json.import?.tasks?.[0]?.target
      assert.deepEqual(Object.keys(shown ?? {}), expected)
    }
    const plain = (await client.call('GET', '/0?expand=2')).json.import?.tasks?.[0]?.target?.dataStore
    assert.deepEqual(Object.keys(plain ?? {}), ['name', 'type'])
  })

  it('takes a target with a workspace alone as a change of part of it', async (test) => {
    const client = await startWithTable(test)
    const { app, admin: headers } = client.server
    await app.inject({
      method: 'POST',
      url: '/rest/workspaces',
      headers,
      payload: { workspace: { name: 'topp' } },
    })
    const put = (dataStore: object) => client.call('PUT', `${task}/target`, { dataStore })
    assert.equal((await put({ enabled: true })).status, 204)
    assert.equal((await put({ enabled: true, workspace: { name: 'default' } })).status, 204)
    assert.equal((await put({ workspace: { name: 'nowhere' } })).status, 400)
    assert.equal((await put({ name: 'missing', workspace: { name: 'topp' } })).status, 400)
    assert.equal(
      String((await client.call('GET', '/0')).json.import?.targetWorkspace?.workspace?.name),
      'default',
    )
    const moved = await put({ enabled: true, workspace: { name: 'topp' } })
    assert.deepEqual([moved.status, moved.text], [204, ''])
    const { json } = await client.call('GET', '/0?expand=3')
    assert.equal(String(json.import?.targetWorkspace?.workspace?.name), 'topp')
    assert.equal(String(json.import?.tasks?.[0]?.target?.dataStore?.workspace?.name), 'topp')
    await client.call('PUT', `${task}/layer`, { layer: { srs: 'EPSG:4326' } })
    await client.call('POST', '/0')
    assert.equal(String((await client.call('GET', task)).json.task?.state), 'COMPLETE')
    assert.equal((await put({ workspace: { name: 'default' } })).status, 409)
    assert.equal((await put({ workspace: { name: 'topp' } })).status, 204)
  })

  it('takes a table to a published layer all the same', async (test) => {
    const client = await startWithTable(test)
    await client.call('PUT', `${task}/layer`, { layer: { srs: 'EPSG:4326' } })
    await client.call('POST', `${task}/transforms`, points)
    assert.equal((await client.call('POST', '/0')).status, 204)
    const { json } = await client.call('GET', task)
    assert.equal(String(json.task?.state), 'COMPLETE')
    assert.equal(Number(json.task?.rowsLoaded), 2)
  })
})
