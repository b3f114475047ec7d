import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ImporterClient, Json } from '../support/importer-client.ts'
import { countFeatures, listOf, startImporter } from '../support/importer-client.ts'

const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
const chain = { transformChain: { type: 'vector', transforms: [points] } }

/** A READY task of points of a CSV. */
async function prepare(client: ImporterClient, content: string, task: object = {}): Promise<number> {
  const id = Number((await client.call('POST', '', { import: {} })).json.import?.id)
  await client.upload(id, [{ name: 'places.csv', content }])
  const put = await client.call('PUT', `/${id}/tasks/0`, {
    task: { layer: { srs: 'EPSG:4326' }, ...chain, ...task },
  })
  assert.equal(put.status, 200, put.text)
  assert.equal(put.json.task?.state, 'READY', put.text)
  return id
}

async function rehearse(client: ImporterClient, id: number): Promise<Json> {
  const reply = await client.call('POST', `/${id}/rehearsal`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json.rehearsal ?? assert.fail()
}

describe('a rehearsal', () => {
  it('of a CREATE tells what a run would do, and leaves no layer', async (test) => {
    const client = await startImporter(test)
    const id = await prepare(client, 'name,lat,lon\na,1,2\nb,3,4\nc,north,5\n')
    const found = await rehearse(client, id)
    assert.equal(found.state, 'COMPLETE')
    const [task = assert.fail()] = listOf(found.tasks)
    assert.deepEqual(task.rows, { read: 3, load: 2, rejected: 1 })
    assert.deepEqual(task.target, { layer: 'default:places', version: null })
    assert.deepEqual(task.changes, { added: 2, changed: null, removed: 0, same: 0, matchedBy: [] })
    assert.deepEqual(task.bounds, [2, 1, 4, 3])
    assert.deepEqual(task.rejects, [
      {
        code: 'row-not-transformed',
        field: 'lat',
        reason: 'The value is not a number',
        count: 1,
        rows: [{ row: 3, value: 'north', properties: { name: 'c', lat: 'north', lon: 5 } }],
      },
    ])
    assert.equal((await client.call('GET', `/${id}`)).json.import?.state, 'PENDING')
    assert.equal((await client.call('GET', `/${id}/tasks/0`)).json.task?.state, 'READY')
    const layers = await client.server.app.inject({ url: '/rest/layers', headers: client.server.admin })
    assert.doesNotMatch(layers.body, /places/)
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    assert.equal(await countFeatures(client, 'default:places'), 2)
  })
})
