import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, listOf, readItems, startImporter } from '../../support/importer-client.ts'
import { addPostgisStore } from '../../support/postgis-store.ts'

const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
const chain = { transformChain: { type: 'vector', transforms: [points] } }

interface Location {
  client: ImporterClient
  /** Target of the import request. */
  body: object
  /** Schema of the table. */
  schema?: string
}

async function start(test: TestContext, store: 'GeoPackage' | 'PostGIS'): Promise<Location> {
  const client = await startImporter(test)
  if (store === 'GeoPackage') return { client, body: {} }
  const { schema } = await addPostgisStore(client, 'wide')
  return { client, body: { targetStore: { dataStore: { name: 'wide' } } }, schema }
}

/** A READY task of points of a CSV. */
async function prepare({ client, body }: Location, content: string, task: object = {}): Promise<number> {
  const id = Number((await client.call('POST', '', { import: body })).json.import?.id)
  await client.upload(id, [{ name: 'places.csv', content }])
  const put = await client.call('PUT', `/${id}/tasks/0`, {
    task: { layer: { srs: 'EPSG:4326' }, ...chain, ...task },
  })
  assert.equal(put.status, 200, put.text)
  assert.equal(put.json.task?.state, 'READY', put.text)
  return id
}

async function run({ client }: Location, id: number): Promise<Json> {
  const reply = await client.call('POST', `/${id}`)
  assert.equal(reply.status, 204, reply.text)
  return (await client.call('GET', `/${id}/tasks/0?expand=2`)).json.task ?? assert.fail()
}

async function load(place: Location, content: string, task: object = {}): Promise<Json> {
  const done = await run(place, await prepare(place, content, task))
  assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
  return done
}

/** Returns the result of a dry run of the only task. */
async function performDryRun({ client }: Location, id: number): Promise<Json> {
  const reply = await client.call('POST', `/${id}/dry-run`)
  assert.equal(reply.status, 200, reply.text)
  const found = reply.json.dryRun ?? assert.fail()
  assert.equal(found.state, 'COMPLETE', reply.text)
  const [task = assert.fail()] = listOf(found.tasks)
  return task
}

const messageCodes = (task: Json): string[] =>
  listOf(task.messages)
    .map(({ code }) => String(code))
    .filter((code) => code.startsWith('rehearsal'))

/** The changes of a path, without their order. */
async function changesAt(client: ImporterClient, href: unknown): Promise<string[]> {
  const url = new URL(String(href)).pathname
  const reply = await client.server.app.inject({ url: `${url}?format=geojson`, headers: client.server.admin })
  assert.equal(reply.statusCode, 200, reply.body)
  return listOf<{ properties: Json }>(JSON.parse(reply.body).features)
    .map(({ properties: { change, before, after } }) =>
      [change, (before as Json | null)?.name, (after as Json | null)?.pop].join(' '),
    )
    .sort()
}

async function featuresOf(client: ImporterClient): Promise<Json[]> {
  return listOf((await readItems(client, 'default:places')).features)
}

const first = 'id,name,pop,lat,lon\n1,a,10,1,1\n2,b,20,2,2\n3,c,30,3,3\n'
const second = 'id,name,pop,lat,lon\n1,a,10,1,1\n2,b,21,2,2\n4,d,40,4,4\n'

for (const store of ['GeoPackage', 'PostGIS'] as const) {
  describe(`a dry run into ${store}`, () => {
    it('of a CREATE tells what a run would do and leaves no layer; the run takes what was staged', async (test) => {
      const place = await start(test, store)
      const { client } = place
      const id = await prepare(place, 'name,lat,lon\na,1,2\nb,3,4\nc,north,5\n')
      const task = await performDryRun(place, id)
      assert.deepEqual(task.rows, { read: 3, load: 2, rejected: 1 })
      assert.deepEqual(task.target, { layer: 'default:places', version: null })
      assert.deepEqual(task.changes, { added: 2, changed: null, removed: 0, same: 0, matchedBy: [] })
      assert.deepEqual(task.bounds, [2, 1, 4, 3])
      assert.deepEqual(task.geometry, { empty: 0, invalid: 0, repaired: 0 })
      assert.equal(task.crs?.srs, 'EPSG:4326')
      const row = { row: 3, value: 'north', properties: { name: 'c', lat: 'north', lon: 5 } }
      const reason = 'The value is not a number'
      assert.deepEqual(task.rejects, [
        { code: 'row-not-transformed', field: 'lat', reason, count: 1, rows: [row] },
      ])
      assert.equal((await client.call('GET', `/${id}`)).json.import?.state, 'PENDING')
      assert.equal((await client.call('GET', `/${id}/tasks/0`)).json.task?.state, 'READY')
      const layers = await client.server.app.inject({ url: '/rest/layers', headers: client.server.admin })
      assert.doesNotMatch(layers.body, /places/)
      const done = await run(place, id)
      assert.deepEqual([done.rowsRead, done.rowsLoaded, done.rejected], [3, 2, 1])
      assert.deepEqual(messageCodes(done), ['rehearsal-taken'])
      assert.equal(await countFeatures(client, 'default:places'), 2)
      assert.match((await client.call('GET', `/${id}/tasks/0/rejects`)).text, /"lat":"north"/)
      assert.equal((await client.call('GET', `/${id}/dry-run`)).status, 404)
    })

    it('of a REPLACE by keys tells every change, and the run comes to the same', async (test) => {
      const place = await start(test, store)
      const { client } = place
      await load(place, first)
      const before = await featuresOf(client)
      const id = await prepare(place, second, { updateMode: 'REPLACE', keys: ['id'] })
      const task = await performDryRun(place, id)
      assert.deepEqual(task.changes, { added: 1, changed: 1, removed: 1, same: 1, matchedBy: ['id'] })
      assert.deepEqual(task.columns, [])
      assert.deepEqual(await changesAt(client, task.changesHref), ['added  40', 'changed b 21', 'removed c '])
      const tile = String(task.tilesHref).replace('{z}/{x}/{y}', '0/0/0')
      const drawn = await client.server.app.inject({
        url: new URL(tile).pathname,
        headers: client.server.admin,
      })
      assert.equal(drawn.statusCode, 200, drawn.body)
      assert.match(drawn.rawPayload.toString('latin1'), /removed/)
      assert.deepEqual(await featuresOf(client), before)
      const done = await run(place, id)
      assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
      assert.deepEqual(messageCodes(done), ['rehearsal-taken'])
      const names = listOf<{ properties: Json }>((await readItems(client, 'default:places')).features)
      assert.deepEqual(names.map(({ properties }) => [properties.name, properties.pop]).sort(), [
        ['a', 10],
        ['b', 21],
        ['d', 40],
      ])
    })

    it('is not taken by a run when source, layer or task have changed since', async (test) => {
      const place = await start(test, store)
      await load(place, first)
      const id = await prepare(place, second, { updateMode: 'REPLACE' })
      assert.deepEqual((await performDryRun(place, id)).changes, {
        added: 2,
        changed: null,
        removed: 2,
        same: 1,
        matchedBy: [],
      })
      await load(place, first, { updateMode: 'REPLACE' })
      assert.deepEqual(messageCodes(await run(place, id)), ['rehearsal-not-taken'])
    })

    it('can be dropped, and a second one takes its place', async (test) => {
      const place = await start(test, store)
      const { client } = place
      const id = await prepare(place, first)
      await performDryRun(place, id)
      await performDryRun(place, id)
      assert.equal((await client.call('DELETE', `/${id}/dry-run`)).status, 204)
      assert.equal((await client.call('GET', `/${id}/dry-run`)).status, 404)
      assert.deepEqual(messageCodes(await run(place, id)), [])
    })

    it('stops a load by its limits, and a person lets that load through', async (test) => {
      const place = await start(test, store)
      const { client } = place
      await load(place, first)
      const before = await featuresOf(client)
      const stopIf = { removed: { percent: 10 }, fewer: 100, empty: { name: { rows: 0 } } }
      const id = await prepare(place, second, { updateMode: 'REPLACE', keys: ['id'], stopIf })
      const task = await run(place, id)
      assert.deepEqual([task.state, task.errorCode], ['ERROR', 'stopped'], JSON.stringify(task))
      assert.deepEqual(task.stopped, [
        { rule: 'removed', limit: { percent: 10 }, measured: { rows: 1, percent: 33.3333 } },
        { rule: 'fewer', limit: 100, measured: 3 },
      ])
      assert.deepEqual(await featuresOf(client), before)
      const accept = (stopped: string[]) => client.call('POST', `/${id}/tasks/0/accept`, { stopped })
      assert.equal((await accept(['columns'])).status, 400)
      assert.equal((await accept(['removed'])).json.task?.state, 'ERROR')
      const through = await accept(['fewer'])
      assert.equal(through.status, 200, through.text)
      assert.equal(through.json.task?.state, 'COMPLETE', through.text)
      assert.deepEqual(through.json.task?.accepted?.stopped, ['removed', 'fewer'])
      assert.equal(through.json.task?.accepted?.by, 'admin')
      assert.equal(await countFeatures(client, 'default:places'), 3)
      assert.equal((await accept(['fewer'])).status, 409)
      const again = await prepare(place, first, { updateMode: 'REPLACE', keys: ['id'], stopIf })
      assert.equal((await run(place, again)).state, 'ERROR')
    })
  })
}

describe('limits of a load', () => {
  it('that measure nothing say so, and without keys as many rows as could be count as changed', async (test) => {
    const place = await start(test, 'GeoPackage')
    await load(place, first)
    const idle = { values: { naem: { in: ['a'] }, pop: { min: -1 } } }
    const reported = await load(place, first, { updateMode: 'REPLACE', stopIf: idle })
    const [message] = listOf(reported.messages).filter(({ code }) => String(code) === 'limit-without-column')
    assert.match(String(message?.message), /^stopIf.values limits "naem": /)
    const id = await prepare(place, second, { updateMode: 'REPLACE', stopIf: { changed: { rows: 0 } } })
    const { state, errorCode, stopped } = await run(place, id)
    assert.deepEqual([state, errorCode], ['ERROR', 'stopped'])
    assert.deepEqual(stopped, [
      { rule: 'changed', limit: { rows: 0 }, measured: { rows: 2, percent: 66.6667 } },
    ])
  })

  it('that are misspelt are refused', async (test) => {
    const place = await start(test, 'GeoPackage')
    const id = await prepare(place, first)
    const put = await place.client.call('PUT', `/${id}/tasks/0`, {
      task: { stopIf: { remvoed: { rows: 1 } } },
    })
    assert.equal(put.status, 400, put.text)
    assert.match(put.text, /"task.stopIf.remvoed\\" is not known here/)
  })
})
