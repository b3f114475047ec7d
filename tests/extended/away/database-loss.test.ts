import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { feature, newImport, publishedLayers } from '../../support/bad-input.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, startImporter } from '../../support/importer-client.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import type { PostgresCluster } from '../../support/postgres.ts'
import { runSql, startPostgres } from '../../support/postgres.ts'
import { patience } from '../../support/until.ts'

const oldRows = 5_000
const newRows = 100_000

function rows(count: number, origin: string): string {
  return Array.from({ length: count }, (_, i) => JSON.stringify(feature({ origin, number: i }))).join('\n')
}

/** Starts a server with the layer `places` in a new database. */
async function startWithPlaces(
  t: TestContext,
  cluster: PostgresCluster,
): Promise<{ client: ImporterClient; url: string }> {
  const url = await cluster.createDatabase()
  // The behaviour without a wait for the database.
  const client = await startImporter(t, { env: { TERRANE_DATABASE_WAIT: '0' } })
  const store = await client.server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: client.server.admin,
    payload: { dataStore: { name: 'target', type: 'PostGIS', connectionParameters: storeParameters(url) } },
  })
  assert.equal(store.statusCode, 201, store.body)
  const id = await prepare(client, 'CREATE', rows(oldRows, 'old'))
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  assert.equal(await countFeatures(client, 'default:places'), oldRows)
  return { client, url }
}

async function prepare(client: ImporterClient, updateMode: string, content: string): Promise<number> {
  const id = await newImport(client)
  const uploaded = await client.upload(id, [{ name: 'places.ndjson', content }])
  assert.equal(uploaded.status, 201, uploaded.text)
  const put = await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode } })
  assert.equal(put.status, 200, put.text)
  return id
}

/** Waits until rows of a load have been sent to the database. */
async function whenLoading(client: ImporterClient, id: number): Promise<void> {
  for (const hasTime = patience(); hasTime(); ) {
    const { json } = await client.call('GET', `/${id}/tasks/0/progress`)
    if (Number(json.progress) > 0) return
    await sleep(2)
  }
  assert.fail('the load did not begin')
}

async function ended(client: ImporterClient, id: number): Promise<Json> {
  for (const hasTime = patience(); hasTime(); ) {
    const { json } = await client.call('GET', `/${id}?expand=3`)
    if (/^COMPLETE/.test(String(json.import?.state))) return json.import as Json
    await sleep(10)
  }
  return assert.fail('the import did not end')
}

const contentSql = 'select origin, count(*)::int as rows from places group by origin order by origin'
const relationsSql = `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  and relname <> 'spatial_ref_sys'`

describe('a database that goes away during a load', () => {
  let cluster: PostgresCluster
  before(async () => {
    cluster = await startPostgres()
  })
  after(() => cluster.stop())

  for (const updateMode of ['CREATE', 'REPLACE', 'APPEND']) {
    it(`leaves the old content when the connection is ended in ${updateMode}; a retry loads once`, async (t) => {
      const { client, url } = await startWithPlaces(t, cluster)
      const id = await prepare(client, updateMode, rows(newRows, 'new'))
      const run = client.call('POST', `/${id}`)
      await whenLoading(client, id)
      const killed = await runSql(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'terrane_load%'`,
      )
      assert.ok(killed.length > 0, 'no connection of the load was found')
      assert.equal((await run).status, 204)
      const failed = await ended(client, id)
      assert.equal(failed.state, 'COMPLETE_ERROR', JSON.stringify(failed))
      assert.match(String(failed.tasks?.[0]?.errorMessage), /The database went away while/)
      assert.doesNotMatch(String(failed.tasks?.[0]?.errorMessage), /terminat|ECONN/)
      assert.deepEqual(await runSql(url, contentSql), [{ origin: 'old', rows: oldRows }])
      assert.deepEqual(await runSql(url, relationsSql), [{ relname: 'places' }])
      assert.deepEqual(await publishedLayers(client), ['default:places'])

      assert.equal((await client.call('POST', `/${id}`)).status, 204)
      const done = await ended(client, id)
      assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
      assert.equal(done.tasks?.[0]?.rowsLoaded, newRows)
      const layer = updateMode === 'CREATE' ? 'default:places0' : 'default:places'
      assert.equal(await countFeatures(client, layer), newRows + (updateMode === 'APPEND' ? oldRows : 0))
    })
  }
})

describe('a database server that is stopped during a load', () => {
  it('makes the task ERROR with the reason; the server responds, and says 503 for what needs the database', async (t) => {
    const cluster = await startPostgres()
    t.after(() => cluster.stop())
    const { client } = await startWithPlaces(t, cluster)
    const id = await prepare(client, 'REPLACE', rows(newRows, 'new'))
    const run = client.call('POST', `/${id}`)
    await whenLoading(client, id)
    await cluster.stop()
    assert.equal((await run).status, 204)
    const failed = await ended(client, id)
    assert.equal(failed.state, 'COMPLETE_ERROR', JSON.stringify(failed))
    assert.match(String(failed.tasks?.[0]?.errorMessage), /connection|database|cannot be reached|terminat/i)
    assert.deepEqual(await publishedLayers(client), ['default:places'])
    const items = await client.server.app.inject({
      url: '/ogc/collections/default:places/items',
      headers: client.server.admin,
    })
    assert.equal(items.statusCode, 503, items.body)
    assert.equal((await client.server.app.inject({ url: '/health' })).statusCode, 200)
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    const again = await ended(client, id)
    assert.match(String(again.tasks?.[0]?.errorMessage), /^Nothing listens on 127\.0\.0\.1 port \d+$/)
  })
})
