import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoreRecord } from '../../../src/catalog/records.ts'
import type { TaskLoad } from '../../../src/importer/model/task-load.ts'
import { getImport, saveImport } from '../../../src/importer/records/import-repository.ts'
import { getTask, saveTask } from '../../../src/importer/records/task-repository.ts'
import { runJob } from '../../../src/importer/run/start-run.ts'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { clientOf, listOf } from '../../support/importer-client.ts'
import type { IndexStore, MosaicServer } from '../../support/mosaics.ts'
import {
  createMosaic,
  indexStores,
  makeGranule,
  mosaicServerOf,
  runMosaic,
  startMosaics,
} from '../../support/mosaics.ts'
import { patience, until } from '../../support/until.ts'

const at = '2026-01-01T00:00:00.000Z'

interface Restarts {
  start(): Promise<MosaicServer>
  dataDir: string
}

async function prepareRestarts(test: TestContext, store: IndexStore): Promise<Restarts> {
  const dataDir = mkdtempSync(join(tmpdir(), 'terrane-mosaic-'))
  test.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const env: Record<string, string> =
    store === 'GeoPackage' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }
  return { dataDir, start: async () => mosaicServerOf(clientOf(await createTestApp({ dataDir, env }))) }
}

/** Two granules uploaded to a mosaic that is ready to run. */
async function uploadTwo(client: MosaicServer): Promise<number> {
  const id = await createMosaic(client, undefined)
  for (const [column, name] of ['a', 'b'].entries()) {
    const path = join(client.server.dataDir, `${name}.tif`)
    makeGranule(path, { column })
    await client.upload(id, [{ name: `${name}.tif`, content: readFileSync(path) }])
  }
  return id
}

/** Leaves the import as a process would that was killed in the middle of its run. */
async function pretendKilled({ server }: MosaicServer, load: TaskLoad): Promise<void> {
  const { kysely } = server.database
  const job = { kind: runJob, key: 'import 0', payload: { importId: 0 } }
  const jobId = await server.importer.jobs.enqueue(kysely, job)
  await kysely
    .updateTable('jobs')
    .set({ state: 'running', attempts: 1, lease_owner: 'dead', lease_until: at })
    .where('id', '=', jobId)
    .execute()
  const run = { jobId, attempt: 1, load }
  await saveTask(kysely, { ...(await getTask(kysely, 0, 0)), state: 'RUNNING', run }, at)
  await saveImport(kysely, { ...(await getImport(kysely, 0)), state: 'RUNNING', jobId }, at)
}

function loadInto(store: StoreRecord, dataDir: string): TaskLoad & { granuleFolder: string } {
  return {
    loadId: 'first',
    storeId: store.id,
    table: 'mosaic_granules',
    layerName: 'mosaic',
    isNewLayer: true,
    granuleFolder: join(dataDir, 'stores/default/mosaic_0123456789ab'),
  }
}

async function finish(client: MosaicServer): Promise<void> {
  for (const hasTime = patience(); hasTime(); ) {
    const { json, text } = await client.call('GET', '/0?expand=2')
    const state = String(json.import?.state)
    if (state === 'COMPLETE') return
    assert.equal(state, 'RUNNING', text)
    await delay(25)
  }
  assert.fail('the import does not come to an end')
}

function ownFiles(dataDir: string): string[] {
  const folder = join(dataDir, 'stores/default')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tif'))
}

async function assertWhole(client: MosaicServer, store: StoreRecord): Promise<void> {
  const { json } = await client.read('mosaic', '/granules')
  const names = listOf<{ properties: { file: string } }>(json.features).map(
    ({ properties }) => properties.file,
  )
  assert.deepEqual(names.toSorted(), ['a.tif', 'b.tif'])
  assert.equal((await client.read('mosaic')).json.granuleCount, 2)
  const opened = await client.server.catalog.stores.open(store)
  assert.deepEqual(await opened.listTables(), ['mosaic_granules'])
}

for (const storeType of indexStores) {
  describe(`a mosaic after a restart, its index in ${storeType}`, () => {
    it('is loaded again where its load did not commit, and what that had placed is gone', async (test) => {
      const { dataDir, start } = await prepareRestarts(test, storeType)
      const before = await start()
      await uploadTwo(before)
      const store = await before.server.catalog.stores.getDefault('default')
      const load = loadInto(store, dataDir)
      const placed = join(load.granuleFolder, 'first', '0')
      mkdirSync(placed, { recursive: true })
      writeFileSync(join(placed, 'a.tif'), 'half a load')
      await pretendKilled(before, load)
      await before.server.close()
      const after = await start()
      test.after(() => after.server.close())
      await finish(after)
      assert.ok(!existsSync(load.granuleFolder))
      assert.equal(ownFiles(dataDir).length, 2)
      await assertWhole(after, store)
    })

    it('is published where its load committed, and nothing is loaded twice', async (test) => {
      const { dataDir, start } = await prepareRestarts(test, storeType)
      const before = await start()
      await uploadTwo(before)
      const { pool } = before.server.importer
      const store = await before.server.catalog.stores.getDefault('default')
      const load = loadInto(store, dataDir)
      const corner = [0, 0] as const
      const rows = ['a.tif', 'b.tif'].map((file) => ({
        file,
        location: join(load.granuleFolder, 'first/0', file),
        width: 8,
        height: 8,
        sizeBytes: 64,
        footprint: [corner, [0, 8], [8, 8], [8, 0]] as const,
      }))
      let token = ''
      await pool.load(
        {
          loadId: load.loadId,
          source: { kind: 'granules', rows },
          srs: 'EPSG:32618',
          transforms: [],
          connection: await before.server.catalog.stores.connection(store),
          mode: 'CREATE',
          table: load.table,
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
      const counts = { rowsRead: 2, rowsLoaded: 2, rejected: 0 }
      await pretendKilled(before, { ...load, token, counts })
      await before.server.close()
      const after = await start()
      test.after(() => after.server.close())
      await finish(after)
      await assertWhole(after, store)
    })

    it('has no granules left that were replaced when the process died', async (test) => {
      const { dataDir, start } = await prepareRestarts(test, storeType)
      const before = await start()
      await runMosaic(before, await uploadTwo(before))
      const id = await uploadTwo(before)
      const task = { updateMode: 'REPLACE', layer: { name: 'mosaic' } }
      assert.equal((await before.call('PUT', `/${id}/tasks/0`, { task })).status, 200)
      const [folder, asItDied] = [join(dataDir, 'stores/default'), join(dataDir, 'as-it-died')]
      before.server.importer.progress.listen(id, ({ news }) => {
        const isPublished = news.type === 'task' && news.state === 'COMPLETE'
        if (isPublished) cpSync(folder, asItDied, { recursive: true })
      })
      await runMosaic(before, id)
      assert.equal(ownFiles(dataDir).length, 2)
      const store = await before.server.catalog.stores.getDefault('default')
      await before.server.close()
      const mosaic = readdirSync(asItDied).find((name) => name.startsWith('mosaic_')) ?? assert.fail()
      cpSync(join(asItDied, mosaic), join(folder, mosaic), { recursive: true })
      mkdirSync(join(folder, mosaic, 'later'))
      writeFileSync(join(folder, mosaic, 'later', 'of-a-later-load.tif'), '')
      assert.equal(ownFiles(dataDir).length, 5)
      const after = await start()
      test.after(() => after.server.close())
      await until(() => ownFiles(dataDir).length === 3)
      await assertWhole(after, store)
      assert.ok(existsSync(join(folder, mosaic, 'later')))
    })
  })
}

describe('a mosaic that is cancelled', () => {
  it('leaves no layer, table or file, and can be run again', async (test) => {
    const client = await startMosaics(test)
    await uploadTwo(client)
    const { locks } = client.server.importer
    const store = await client.server.catalog.stores.getDefault('default')
    const gate = Promise.withResolvers<void>()
    const held = locks.hold(`store ${store.id}`, () => gate.promise)
    await client.call('POST', '/0?async=true')
    for (const hasTime = patience(); hasTime(); ) {
      if ((await getTask(client.server.database.kysely, 0, 0)).run?.load !== undefined) break
      await delay(10)
    }
    assert.equal((await client.call('DELETE', '/0/run')).status, 204)
    gate.resolve()
    await held
    assert.equal((await client.call('GET', '/0/tasks/0')).json.task?.state, 'CANCELED')
    assert.equal((await client.read('mosaic')).status, 404)
    assert.deepEqual(ownFiles(client.server.dataDir), [])
    assert.equal((await client.call('POST', '/0')).status, 204)
    await assertWhole(client, store)
  })
})
