import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'
import { collection, feature } from '../support/bad-input.ts'
import type { ImporterClient, Json } from '../support/importer-client.ts'
import { clientOf, countFeatures } from '../support/importer-client.ts'
import { storeParameters } from '../support/postgis-store.ts'
import { runSql, testCluster } from '../support/postgres.ts'
import { temporaryData } from '../support/terrane-process.ts'
import { patience } from '../support/until.ts'

/**
 * Saves the rows of the catalogue database when the token of a load has been written, just before the store
 * commits.
 */
const keepSql = `
create table kept_tasks as select * from tasks where false;
create table kept_imports as select * from imports where false;
create table kept_jobs as select * from jobs where false;
create trigger keep after update on tasks when new.document like '%"token"%' begin
  insert into kept_tasks select * from tasks where import_id = new.import_id;
  insert into kept_imports select * from imports where id = new.import_id;
  insert into kept_jobs select * from jobs;
end`

/** Restores the saved rows: the state of a server that died after the store's commit. */
const restoreSql = `
drop trigger keep;
delete from tasks where import_id in (select import_id from kept_tasks);
insert into tasks select * from kept_tasks;
update imports set (state, document, revision) =
  (select state, document, revision from kept_imports k where k.id = imports.id)
  where id in (select id from kept_imports);
delete from jobs;
insert into jobs select * from kept_jobs`

function inOwnDatabase(dataDir: string, sql: string): void {
  const db = new DatabaseSync(join(dataDir, 'terrane.sqlite'))
  db.exec(sql)
  db.close()
}

async function start(t: TestContext, dataDir: string): Promise<{ server: TestApp; client: ImporterClient }> {
  const server = await createTestApp({ dataDir })
  t.after(() => server.close())
  return { server, client: clientOf(server) }
}

async function load(client: ImporterClient, updateMode: string, count: number): Promise<void> {
  const features = Array.from({ length: count }, (_, number) => feature({ number }))
  writeFileSync(join(client.server.dataDir, 'incoming', 'places.geojson'), collection(...features))
  const created = await client.call('POST', '', {
    import: {
      targetStore: { dataStore: { name: 'target' } },
      data: { type: 'file', file: 'places.geojson' },
    },
  })
  const id = Number(created.json.import?.id)
  const put = await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode } })
  assert.equal(put.status, 200, put.text)
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  const { json, text } = await client.call('GET', `/${id}?expand=3`)
  assert.equal(json.import?.state, 'COMPLETE', text)
}

/** A data directory of a server that died after an APPEND of 3 to 5 rows had committed, before it was published. */
async function dieAfterCommit(t: TestContext, store: object): Promise<string> {
  const dataDir = temporaryData(t)
  const { server, client } = await start(t, dataDir)
  const made = await server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: server.admin,
    payload: { dataStore: { name: 'target', ...store } },
  })
  assert.equal(made.statusCode, 201, made.body)
  await load(client, 'CREATE', 5)
  inOwnDatabase(dataDir, keepSql)
  await load(client, 'APPEND', 3)
  await server.close()
  inOwnDatabase(dataDir, restoreSql)
  return dataDir
}

async function ended(client: ImporterClient, id: number): Promise<Json> {
  for (const hasTime = patience(); hasTime(); ) {
    const { json } = await client.call('GET', `/${id}?expand=3`)
    if (/^COMPLETE/.test(String(json.import?.state))) return json.import as Json
    await sleep(10)
  }
  return assert.fail('the import did not end')
}

describe('a load that committed as the server died', () => {
  it('is published once in a GeoPackage, before any job is taken up', async (t) => {
    const dataDir = await dieAfterCommit(t, { type: 'GeoPackage' })
    inOwnDatabase(dataDir, 'delete from jobs')
    const { client } = await start(t, dataDir)
    const { json } = await client.call('GET', '/1/tasks/0')
    assert.equal(json.task?.state, 'COMPLETE')
    assert.equal(json.task?.rowsLoaded, 3)
    assert.equal(await countFeatures(client, 'default:places'), 8)
  })

  it('ends its import in COMPLETE, with the rows added once', async (t) => {
    const dataDir = await dieAfterCommit(t, { type: 'GeoPackage' })
    const { client } = await start(t, dataDir)
    assert.equal((await ended(client, 1)).state, 'COMPLETE')
    assert.equal(await countFeatures(client, 'default:places'), 8)
  })

  it('is not loaded twice when the database is away at the next start and the task is run again later', async (t) => {
    const cluster = await testCluster()
    const url = await cluster.createDatabase()
    const store = { type: 'PostGIS', connectionParameters: { dbtype: 'postgis', ...storeParameters(url) } }
    const dataDir = await dieAfterCommit(t, store)
    const allow = (isAllowed: boolean) =>
      runSql(
        cluster.url('postgres'),
        `alter database ${new URL(url).pathname.slice(1)} with allow_connections ${isAllowed}`,
      )
    await allow(false)
    const { client } = await start(t, dataDir)
    const failed = await ended(client, 1)
    assert.equal(failed.state, 'COMPLETE_ERROR', JSON.stringify(failed))
    assert.match(String(failed.tasks?.[0]?.errorMessage), /not currently accepting connections/)
    assert.equal((await client.call('POST', '/1')).status, 204)
    assert.equal((await ended(client, 1)).state, 'COMPLETE_ERROR')
    await allow(true)
    assert.equal((await client.call('POST', '/1')).status, 204)
    const done = await ended(client, 1)
    assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
    assert.equal(done.tasks?.[0]?.rowsLoaded, 3)
    assert.equal(await countFeatures(client, 'default:places'), 8)
  })
})
