import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImporterClient } from '../../support/importer-client.ts'
import { listOf, readItems, shareImporter, startImporter } from '../../support/importer-client.ts'
import { manyLayers } from '../../support/many-layers.ts'
import { patience, until } from '../../support/until.ts'

const fixture = (name: string): Buffer => readFileSync(join('tests/fixtures', name))
const point = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [1, 2] } }],
})

const shared = shareImporter()

async function newImport(client: ImporterClient): Promise<number> {
  return Number((await client.call('POST', '')).json.import?.id)
}

describe('uploads that are served as they are', () => {
  it('keep apart files of one name and different formats', async () => {
    const client = shared()
    const id = await newImport(client)
    const shapefile = ['dbf', 'prj', 'shp', 'shx'].map((extension) => ({
      name: `same.${extension}`,
      content: fixture(`shapefile/ne_110m_admin_0_boundary_lines_land.${extension}`),
    }))
    const uploaded = await client.upload(id, [
      ...shapefile,
      { name: 'same.fgb', content: fixture('flatgeobuf/countries.fgb') },
      { name: 'same.gpkg', content: fixture('geopackage/stations.gpkg') },
    ])
    assert.equal(listOf(uploaded.json.tasks).length, 3)
    await client.call('POST', `/${id}`)
    const tasks = listOf((await client.call('GET', `/${id}?expand=3`)).json.import?.tasks)
    for (const task of tasks) {
      assert.equal(String(task.state), 'COMPLETE', JSON.stringify(task))
      const items = await readItems(client, `default:${task.layer?.name}`, 'limit=2')
      assert.equal(listOf(items.features).length, 2, JSON.stringify(items))
    }
  })

  it('put all layers of one GeoPackage into one store', async () => {
    const client = shared()
    const id = await newImport(client)
    await client.upload(id, [{ name: 'many.gpkg', content: manyLayers(7) }])
    await client.call('POST', `/${id}`)
    const shown = await client.call('GET', `/${id}?expand=3`)
    assert.equal(shown.json.import?.state, 'COMPLETE', String(shown.json.import?.message))
    const tasks = listOf(shown.json.import?.tasks)
    assert.equal(tasks.length, 8)
    assert.deepEqual(new Set(tasks.map((task) => String(task.target?.dataStore?.name))).size, 1)
  })
})

describe('tasks and files of uploads', () => {
  it('stand in the order of their uploads', async () => {
    const client = shared()
    const id = await newImport(client)
    for (let count = 0; count < 12; count += 1)
      await client.call('PUT', `/${id}/tasks/p${count}.geojson`, point, { 'content-type': 'text/plain' })
    const { tasks } = (await client.call('GET', `/${id}/tasks`)).json
    assert.deepEqual(
      listOf(tasks).map((task) => Number(task.id)),
      Array.from({ length: 12 }, (_, index) => index),
    )
  })

  it('are found by the name that was sent, where only one has it', async () => {
    const client = shared()
    const created = await client.call('POST', '', { import: { data: { type: 'directory' } } })
    const id = Number(created.json.import?.id)
    for (const name of ['p.geojson', 'q.geojson', 'q.geojson'])
      await client.upload(id, [{ name, content: point }])
    assert.equal((await client.call('GET', `/${id}/data/files/p.geojson`)).json.file, 'p.geojson')
    assert.equal((await client.call('GET', `/${id}/data/files/q.geojson`)).status, 404)
    assert.equal((await client.call('GET', `/${id}/tasks/1/data/files/q.geojson`)).status, 200)
    assert.equal((await client.call('DELETE', `/${id}/task/0/data/files/p.geojson`)).status, 200)
    const task = await client.call('GET', `/${id}/tasks/0`)
    assert.equal(task.json.task?.state, 'NO_FORMAT')
  })

  it('are named as they were sent, in messages and errors', async () => {
    const client = shared()
    const id = await newImport(client)
    const unknown = await client.upload(id, [{ name: 'notes.txt', content: 'hello' }])
    assert.match(unknown.text, /No known format can read notes\.txt \(text that is not a table/)
    const broken = await client.upload(id, [{ name: 'broken.zip', content: 'PK\u0003\u0004 and no more' }])
    assert.equal(broken.status, 400)
    assert.deepEqual(listOf<string>(broken.json.errors), [String(broken.json.detail)])
    assert.match(String(broken.json.detail), /^"broken\.zip"/)
  })
})

describe('answers', () => {
  it('name unknown parameters of transformations in Terrane-Ignored', async () => {
    const client = shared()
    const id = await newImport(client)
    await client.upload(id, [{ name: 'p.geojson', content: point }])
    const path = `/${id}/tasks/0/transforms`
    const spec = { type: 'AttributeRemapTransform', field: 'a', target: 'java.lang.String' }
    const posted = await client.call('POST', path, { ...spec, 'odd one': 1, href: 'x' })
    assert.equal(posted.status, 201)
    assert.equal(posted.headers['terrane-ignored'], 'odd%20one')
    const put = await client.call('PUT', `${path}/0`, { target: 'java.lang.Double', extra: true })
    assert.equal(put.headers['terrane-ignored'], 'extra')
    const chain = { task: { transformChain: { transforms: [{ ...spec, more: 1 }] } } }
    const replaced = await client.call('PUT', `/${id}/tasks/0`, chain)
    assert.equal(replaced.headers['terrane-ignored'], 'task.transformChain.transforms.more')
    assert.equal((await client.call('POST', path, spec)).headers['terrane-ignored'], undefined)
  })

  it('show the progress of a task whose file is served as it is as done', async () => {
    const client = shared()
    client.provide('flatgeobuf/countries.fgb')
    const created = await client.call('POST', '?exec=true', {
      import: { data: { type: 'file', file: 'countries.fgb' } },
    })
    const { json } = await client.call('GET', `/${created.json.import?.id}/tasks/0/progress`)
    assert.equal(String(json.state), 'COMPLETE')
    assert.ok(Number(json.total) > 0)
    assert.equal(Number(json.progress), Number(json.total))
  })

  it('to a missing login are a 401 with the realm', async () => {
    const client = shared()
    const reply = await client.call('GET', '', undefined, { authorization: '' })
    assert.equal(reply.status, 401)
    assert.equal(reply.headers['www-authenticate'], 'Basic realm="terrane"')
  })
})

describe('the data of an import', () => {
  it('are still its file when the task of it has been deleted', async () => {
    const client = shared()
    client.provide('geojson/valid.geojson')
    const created = await client.call('POST', '', {
      import: { data: { type: 'file', file: 'valid.geojson' } },
    })
    const path = `/${created.json.import?.id}`
    assert.equal((await client.call('DELETE', `${path}/tasks/0`)).status, 200)
    const { data } = (await client.call('GET', path)).json.import ?? {}
    assert.deepEqual([data?.type, data?.file], ['file', 'valid.geojson'])
  })
})

describe('the list of imports', () => {
  it('finds READY imports as PENDING in the dialect of older systems, as they are shown', async (test) => {
    // The dialect is a setting of the server.
    const client = await startImporter(test, { env: { TERRANE_DIALECT: 'geoserver' } })
    client.provide('geojson/valid.geojson')
    await client.call('POST', '', {
      import: {
        targetStore: { dataStore: { name: 'default' } },
        data: { type: 'file', file: 'valid.geojson' },
      },
    })
    const { imports } = (await client.call('GET', '?state=PENDING')).json
    assert.deepEqual(
      listOf(imports).map((one) => String(one.state)),
      ['PENDING'],
    )
  })
})

describe('a request with an idempotency key', () => {
  it('is carried out once though the client goes away and asks again', async (test) => {
    // Counts all imports of the server.
    const client = await startImporter(test)
    client.provide('geojson/countries.geojson')
    const url = await client.server.app.listen({ host: '127.0.0.1', port: 0 })
    const options = {
      method: 'POST',
      headers: { ...client.server.admin, 'content-type': 'application/json', 'idempotency-key': 'once' },
    }
    const body = JSON.stringify({ import: { data: { type: 'file', file: 'countries.geojson' } } })
    const lost = httpRequest(`${url}/rest/imports?exec=true`, options)
    lost.on('error', () => undefined)
    lost.end(body)
    await until(async () => listOf((await client.call('GET', '')).json.imports).length !== 0)
    lost.destroy()
    const again = async () => fetch(`${url}/rest/imports?exec=true`, { ...options, body })
    let reply = await again()
    for (const hasTime = patience(); reply.status === 409 && hasTime(); ) {
      await sleep(25)
      reply = await again()
    }
    assert.equal(reply.status, 201)
    assert.equal(reply.headers.get('idempotency-replayed'), 'true')
    assert.equal(listOf((await client.call('GET', '')).json.imports).length, 1)
  })
})

describe('a transformation of a field that does not exist', () => {
  const spec = { type: 'AttributeRemapTransform', field: 'nowhere', target: 'java.lang.Integer' }

  it('is refused', async () => {
    const client = shared()
    const id = await newImport(client)
    await client.upload(id, [{ name: 'p.geojson', content: point }])
    const reply = await client.call('POST', `/${id}/tasks/0/transforms`, spec)
    assert.equal(reply.status, 400)
    assert.equal(reply.json.code, 'unknown-field')
  })

  it('is accepted with a message in the dialect of older systems, and fails the task at run', async (test) => {
    // The dialect is a setting of the server.
    const client = await startImporter(test, { env: { TERRANE_DIALECT: 'geoserver' } })
    const id = await newImport(client)
    await client.upload(id, [{ name: 'p.geojson', content: point }])
    assert.equal((await client.call('POST', `/${id}/tasks/0/transforms`, spec)).status, 201)
    const { task } = (await client.call('GET', `/${id}/tasks/0`)).json
    assert.equal(String(task?.state), 'READY')
    assert.match(JSON.stringify(task?.messages), /nowhere/)
    await client.call('POST', `/${id}`)
    const failed = await client.call('GET', `/${id}/tasks/0`)
    assert.equal(failed.json.task?.state, 'ERROR')
    assert.match(String(failed.json.task?.errorMessage), /nowhere/)
    assert.equal((await client.call('DELETE', `/${id}/tasks/0/transforms/0`)).status, 200)
    const corrected = (await client.call('GET', `/${id}/tasks/0`)).json.task
    assert.equal(String(corrected?.state), 'READY')
    assert.equal(corrected?.messages, undefined)
  })
})
