import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findDefaultStore } from '../../../src/catalog/rows/store-rows.ts'
import { defined } from '../../../src/core/values/defined.ts'
import type { TaskLoad } from '../../../src/importer/model/task-load.ts'
import { getImport, saveImport } from '../../../src/importer/records/import-repository.ts'
import { getTask, saveTask } from '../../../src/importer/records/task-repository.ts'
import { prepareJob, runJob } from '../../../src/importer/run/start-run.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { clientOf, countFeatures, startImporter } from '../../support/importer-client.ts'
import { takesProcessorSeconds } from '../../support/processor-time.ts'
import { slowSource } from '../../support/slow-sources.ts'
import { patience } from '../../support/until.ts'

const at = '2026-01-01T00:00:00.000Z'

function dataDirectory(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-recovery-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const points = (count: number): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: Array.from({ length: count }, (_, row) => ({
      type: 'Feature',
      properties: { row },
      geometry: { type: 'Point', coordinates: [row % 180, row % 90] },
    })),
  })

async function start(dataDir: string): Promise<{ server: TestApp; client: ImporterClient }> {
  const server = await createTestApp({ dataDir, env: { TERRANE_LOADS: '1' } })
  return { server, client: clientOf(server) }
}

async function until(
  client: ImporterClient,
  path: string,
  isDone: (state: string) => boolean,
): Promise<string> {
  for (const hasTime = patience(); hasTime(); ) {
    const { json } = await client.call('GET', path)
    const state = String(json.import?.state ?? json.task?.state)
    if (isDone(state)) return state
    await delay(25)
  }
  return assert.fail(`${path} does not come to an end`)
}

/** Leaves the import as a process would that was killed in the middle of its run. */
async function pretendKilled(server: TestApp, load: TaskLoad | undefined, attempt: number): Promise<void> {
  const { kysely } = server.database
  const job = { kind: runJob, key: 'import 0', payload: { importId: 0 } }
  const jobId = await server.importer.jobs.enqueue(kysely, job)
  await kysely
    .updateTable('jobs')
    .set({ state: 'running', attempts: 1, lease_owner: 'dead', lease_until: at })
    .where('id', '=', jobId)
    .execute()
  const run = { jobId, attempt, ...defined({ load }) }
  await saveTask(kysely, { ...(await getTask(kysely, 0, 0)), state: 'RUNNING', run }, at)
  await saveImport(kysely, { ...(await getImport(kysely, 0)), state: 'RUNNING', jobId }, at)
}

async function createOne(server: TestApp, client: ImporterClient): Promise<number> {
  writeFileSync(join(server.dataDir, 'incoming', 'p.geojson'), points(10))
  await client.call('POST', '', { import: { data: { type: 'file', file: 'p.geojson' } } })
  const store = await findDefaultStore(server.database.kysely, 'default')
  return store?.id ?? 0
}

describe('after a restart', () => {
  it('a task that was RUNNING is run again from its start', async (test) => {
    const dataDir = dataDirectory(test)
    const before = await start(dataDir)
    const storeId = await createOne(before.server, before.client)
    await pretendKilled(
      before.server,
      { loadId: 'lost', storeId, table: 'p', layerName: 'p', isNewLayer: true },
      1,
    )
    await before.server.close()
    const after = await start(dataDir)
    test.after(() => after.server.close())
    assert.equal(await until(after.client, '/0', (state) => state !== 'RUNNING'), 'COMPLETE')
    assert.equal(await countFeatures(after.client, 'default:p'), 10)
  })

  it('a load that was committed is published, not loaded twice', async (test) => {
    const dataDir = dataDirectory(test)
    const before = await start(dataDir)
    const { server, client } = before
    const storeId = await createOne(server, client)
    const { kysely } = server.database
    const { pool } = server.importer
    let token = ''
    const record = await getTask(kysely, 0, 0)
    const store = await findDefaultStore(kysely, 'default')
    assert.ok(store !== undefined && record.source !== undefined && record.files[0] !== undefined)
    await pool.load(
      {
        loadId: 'committed',
        source: { kind: 'file', file: record.files[0], format: 'GeoJSON', layer: record.source },
        transforms: [],
        connection: await server.catalog.stores.connection(store),
        mode: 'CREATE',
        table: 'p',
        rejectsPath: join(dataDir, 'rejects.ndjson'),
        rejectLimit: { rows: 0 },
      },
      {
        signal: new AbortController().signal,
        onProgress: () => undefined,
        onMessage: () => undefined,
        beforeCommit: async (given) => {
          token = given
        },
      },
    )
    const counts = { rowsRead: 10, rowsLoaded: 10, rejected: 0 }
    const load = { loadId: 'committed', storeId, table: 'p', layerName: 'p', isNewLayer: true, token, counts }
    await pretendKilled(server, load, 1)
    await server.close()
    const after = await start(dataDir)
    test.after(() => after.server.close())
    assert.equal(await until(after.client, '/0', (state) => state !== 'RUNNING'), 'COMPLETE')
    const task = await after.client.call('GET', '/0/tasks/0')
    assert.equal(task.json.task?.rowsLoaded, 10)
    assert.equal(await countFeatures(after.client, 'default:p'), 10)
    const opened = await after.server.catalog.stores.open(store)
    assert.deepEqual(await opened.listTables(), ['p'])
  })

  it('a task that was begun three times becomes ERROR with the reason, and can be retried', async (test) => {
    const dataDir = dataDirectory(test)
    const before = await start(dataDir)
    await createOne(before.server, before.client)
    await pretendKilled(before.server, undefined, 3)
    await before.server.close()
    const after = await start(dataDir)
    test.after(() => after.server.close())
    assert.equal(await until(after.client, '/0', (state) => state !== 'RUNNING'), 'COMPLETE_ERROR')
    const task = await after.client.call('GET', '/0/tasks/0')
    assert.match(String(task.json.task?.errorMessage), /started 3 times/)
    assert.equal((await after.client.call('POST', '/0')).status, 204)
    assert.equal((await after.client.call('GET', '/0')).json.import?.state, 'COMPLETE')
  })

  it('an import in INIT is prepared', async (test) => {
    const dataDir = dataDirectory(test)
    const before = await start(dataDir)
    await createOne(before.server, before.client)
    const { kysely } = before.server.database
    const job = { kind: prepareJob, key: 'import 0', payload: { importId: 0, isAsync: true } }
    const jobId = await before.server.importer.jobs.enqueue(kysely, job)
    await saveImport(kysely, { ...(await getImport(kysely, 0)), state: 'INIT', jobId, nextTaskId: 0 }, at)
    await before.server.close()
    const after = await start(dataDir)
    test.after(() => after.server.close())
    assert.equal(await until(after.client, '/0', (state) => state !== 'INIT'), 'PENDING')
  })
})

describe('cancelling', () => {
  async function runningImport(test: TestContext): Promise<ImporterClient> {
    const client = await startImporter(test)
    writeFileSync(join(client.server.dataDir, 'incoming', 'many.geojson'), points(400_000))
    await client.call('POST', '', { import: { data: { type: 'file', file: 'many.geojson' } } })
    await client.call('POST', '/0?async=true')
    await until(client, '/0/tasks/0', (state) => state === 'RUNNING')
    return client
  }

  it('stops a running task within two seconds of work and leaves the target untouched', async (test) => {
    const client = await runningImport(test)
    await takesProcessorSeconds(2, async () =>
      assert.equal((await client.call('DELETE', '/0/tasks/0/run')).status, 204),
    )
    assert.equal((await client.call('GET', '/0/tasks/0')).json.task?.state, 'CANCELED')
    assert.equal(await until(client, '/0', (state) => state !== 'RUNNING'), 'PENDING')
    const layers = await client.server.app.inject({
      method: 'GET',
      url: '/ogc/collections/default%3Amany',
      headers: client.server.admin,
    })
    assert.equal(layers.statusCode, 404)
    assert.equal((await client.call('DELETE', '/0/run')).status, 204)
    assert.equal((await client.call('POST', '/0')).status, 204)
    assert.equal(await countFeatures(client, 'default:many'), 400_000)
  })

  it('refuses a second run, edits and uploads meanwhile, and lets the import be deleted', async (test) => {
    const client = await runningImport(test)
    assert.equal((await client.call('POST', '/0')).status, 409)
    assert.equal((await client.call('PUT', '/0/tasks/0', { task: { updateMode: 'APPEND' } })).status, 409)
    assert.equal((await client.call('DELETE', '/0/tasks/0')).status, 409)
    assert.equal((await client.upload(0, [{ name: 'a.csv', content: 'x\n1\n' }])).status, 409)
    assert.equal((await client.call('DELETE', '/0')).status, 200)
    assert.equal((await client.call('GET', '/0')).status, 404)
  })

  it('ends at once what waits for its turn behind others', async (test) => {
    const client = await startImporter(test, { env: { TERRANE_REMOTE_ALLOW: '127.0.0.1' } })
    const source = await slowSource(test, '{}')
    const data = { type: 'remote', location: `${source.url}/a.geojson` }
    for (let id = 0; id < 4; id += 1) await client.call('POST', '?async=true', { import: { data } })
    while (source.requests() < 2) await delay(10)
    assert.equal((await client.call('DELETE', '/2/run')).status, 204)
    const canceled = (await client.call('GET', '/2')).json.import
    assert.equal(canceled?.state, 'INIT_ERROR')
    assert.match(String(canceled?.message), /cancelled/)
    assert.equal((await client.call('DELETE', '/3')).status, 200)
    assert.equal((await client.call('GET', '/3')).status, 404)
    source.hurry()
    for (const path of ['/0', '/1']) await until(client, path, (state) => state !== 'INIT')
    assert.equal(source.requests(), 2)
    assert.equal((await client.call('POST', '/2?async=true')).status, 204)
    await until(client, '/2', (state) => state !== 'INIT')
    assert.equal(source.requests(), 3)
  })
})
