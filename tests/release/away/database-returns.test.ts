import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { feature, newImport } from '../../support/bad-input.ts'
import { createDatabaseImport, databaseParameters } from '../../support/database-import.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { countFeatures, startImporter } from '../../support/importer-client.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import type { OwnCluster } from '../../support/postgres.ts'
import { runSql, startPostgres } from '../../support/postgres.ts'
import { patience } from '../../support/until.ts'

const oldRows = 2_000
const newRows = 40_000
const driverWords = /terminat|ECONN|EPIPE|Connection|57P|connect E|unexpectedly/

let cluster: OwnCluster
before(async () => {
  // Durable: the server is ended at once, and must keep what was committed.
  cluster = await startPostgres({ isDurable: true })
})
after(() => cluster.stop())

function rows(count: number, origin: string): string {
  return Array.from({ length: count }, (_, i) => JSON.stringify(feature({ origin, number: i }))).join('\n')
}

/** A server with the layer `places` in a PostGIS store of the cluster. */
async function startWithPlaces(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<{ client: ImporterClient; url: string }> {
  const url = await cluster.createDatabase()
  const client = await startImporter(t, { env })
  const store = await client.server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: client.server.admin,
    payload: { dataStore: { name: 'target', type: 'PostGIS', connectionParameters: storeParameters(url) } },
  })
  assert.equal(store.statusCode, 201, store.body)
  const id = await prepare(client, 'CREATE', oldRows, 'old')
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  assert.equal(await countFeatures(client, 'default:places'), oldRows)
  return { client, url }
}

async function prepare(client: ImporterClient, mode: string, count: number, origin = 'new'): Promise<number> {
  const id = await newImport(client)
  const uploaded = await client.upload(id, [{ name: 'places.ndjson', content: rows(count, origin) }])
  assert.equal(uploaded.status, 201, uploaded.text)
  const put = await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode: mode } })
  assert.equal(put.status, 200, put.text)
  return id
}

/** Waits until the progress of a task matches. */
async function whenProgress(
  client: ImporterClient,
  id: number,
  is: (progress: Json) => boolean,
): Promise<Json> {
  let last = ''
  for (const hasTime = patience(); hasTime(); ) {
    const { json, text } = await client.call('GET', `/${id}/tasks/0/progress`)
    if (is(json)) return json
    last = text
    await sleep(2)
  }
  return assert.fail(`the progress did not come: ${last}`)
}

const isLoading = ({ progress }: Json): boolean => Number(progress) > 0
const isWaiting = ({ phase }: Json): boolean => String(phase) === 'waiting'

async function stateOf(client: ImporterClient, id: number): Promise<Json> {
  return (await client.call('GET', `/${id}?expand=3`)).json.import as Json
}

async function assertComplete(client: ImporterClient, id: number): Promise<void> {
  const made = await stateOf(client, id)
  assert.equal(String(made.state), 'COMPLETE', JSON.stringify(made))
  assert.equal(Number(made.tasks?.[0]?.rowsLoaded), newRows)
}

const relationsSql = `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  and relname <> 'spatial_ref_sys' order by relname`

describe('a database that comes back', () => {
  for (const mode of ['CREATE', 'REPLACE', 'APPEND']) {
    it(`is waited for by a load in ${mode}, which is then run again by itself and loads once`, async (t) => {
      const { client, url } = await startWithPlaces(t)
      const id = await prepare(client, mode, newRows)
      const run = client.call('POST', `/${id}`)
      await whenProgress(client, id, isLoading)
      await cluster.halt()
      const waiting = await whenProgress(client, id, isWaiting)
      assert.equal(String(waiting.state), 'RUNNING')
      assert.match(String(waiting.message), /^Waiting for a database: /)
      assert.doesNotMatch(String(waiting.message), driverWords)
      await cluster.resume()
      assert.equal((await run).status, 204)
      await assertComplete(client, id)
      const layer = mode === 'CREATE' ? 'default:places0' : 'default:places'
      assert.equal(await countFeatures(client, layer), newRows + (mode === 'APPEND' ? oldRows : 0))
      const tables = mode === 'CREATE' ? ['places', 'places0'] : ['places']
      const left = (await runSql(url, relationsSql)).map(({ relname }) => String(relname))
      assert.deepEqual(
        left.filter((name) => /load|stage/.test(name)),
        [],
      )
      for (const table of tables) assert.ok(left.includes(table), left.join())
    })
  }

  it('lets a load that waits be cancelled at once, and leaves the target as it was', async (t) => {
    const { client } = await startWithPlaces(t)
    const id = await prepare(client, 'REPLACE', newRows)
    const run = client.call('POST', `/${id}`)
    await whenProgress(client, id, isLoading)
    await cluster.halt()
    await whenProgress(client, id, isWaiting)
    assert.equal((await client.call('DELETE', `/${id}/tasks/0/run`)).status, 204)
    assert.equal((await run).status, 204)
    assert.equal(String((await stateOf(client, id)).tasks?.[0]?.state), 'CANCELED')
    await cluster.resume()
    assert.equal(await countFeatures(client, 'default:places'), oldRows)
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    await assertComplete(client, id)
    assert.equal(await countFeatures(client, 'default:places'), newRows)
  })

  it('ends a load in ERROR with the reason where it stays away, and in plain words', async (t) => {
    const { client } = await startWithPlaces(t, { TERRANE_DATABASE_WAIT: '2' })
    const id = await prepare(client, 'REPLACE', newRows)
    const run = client.call('POST', `/${id}`)
    await whenProgress(client, id, isLoading)
    await cluster.halt()
    t.after(() => cluster.resume())
    assert.equal((await run).status, 204)
    const task = (await stateOf(client, id)).tasks?.[0]
    assert.equal(String(task?.state), 'ERROR')
    assert.match(String(task?.errorMessage), /was unavailable for 2 s \(TERRANE_DATABASE_WAIT\)/)
    assert.doesNotMatch(String(task?.errorMessage), driverWords)
  })

  it('is given up after three attempts where it goes away in each', async (t) => {
    const { client, url } = await startWithPlaces(t)
    const id = await prepare(client, 'REPLACE', newRows)
    let ended = 0
    const isOver = new AbortController()
    const ending = (async () => {
      while (!isOver.signal.aborted) {
        const cut = await runSql(
          url,
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name like 'terrane_load%'`,
        )
        ended += cut.length
        await sleep(5)
      }
    })()
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    isOver.abort()
    await ending
    const task = (await stateOf(client, id)).tasks?.[0]
    assert.equal(String(task?.state), 'ERROR', JSON.stringify(task))
    assert.match(String(task?.errorMessage), /The load was started 3 times/)
    assert.doesNotMatch(String(task?.errorMessage), driverWords)
    assert.ok(ended >= 3, String(ended))
    assert.equal(await countFeatures(client, 'default:places'), oldRows)
  })

  it('is waited for where it is the source of an import', async (t) => {
    const url = await cluster.createDatabase()
    await runSql(
      url,
      `create table big as select i as id, repeat('x', 100) as text,
       ST_SetSRID(ST_MakePoint(i % 180, i % 90), 4326)::geometry(Point, 4326) as geom
       from generate_series(1, ${newRows}) i`,
    )
    const client = await startImporter(t)
    const { json } = await createDatabaseImport(client, databaseParameters(url), { tables: ['big'] })
    const id = Number(json.import?.id)
    const run = client.call('POST', `/${id}`)
    await whenProgress(client, id, isLoading)
    await cluster.halt()
    await whenProgress(client, id, isWaiting)
    await cluster.resume()
    assert.equal((await run).status, 204)
    await assertComplete(client, id)
    assert.equal(await countFeatures(client, 'default:big'), newRows)
  })

  it('is waited for where the catalogue lies in it too', async (t) => {
    const env = { TERRANE_DATABASE_URL: await cluster.createDatabase() }
    const { client } = await startWithPlaces(t, env)
    const id = await prepare(client, 'REPLACE', newRows)
    assert.equal((await client.call('POST', `/${id}?async=true`)).status, 204)
    await whenProgress(client, id, isLoading)
    await cluster.halt()
    await cluster.resume()
    for (const hasTime = patience(); hasTime(); ) {
      const { json } = await client.call('GET', `/${id}`)
      if (/^COMPLETE/.test(String(json.import?.state))) break
      await sleep(20)
    }
    await assertComplete(client, id)
    assert.equal(await countFeatures(client, 'default:places'), newRows)
  })
})
