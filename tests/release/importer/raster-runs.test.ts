import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { listLayers } from '../../../src/catalog/rows/layer-rows.ts'
import { listStores } from '../../../src/catalog/rows/store-rows.ts'
import { without } from '../../../src/core/values/defined.ts'
import { copyFolder } from '../../../src/importer/publish/file-store.ts'
import { getImport, saveImport } from '../../../src/importer/records/import-repository.ts'
import { getTask, saveTask } from '../../../src/importer/records/task-repository.ts'
import { runJob } from '../../../src/importer/run/start-run.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf, startImporter } from '../../support/importer-client.ts'
import { gdal, importRaster, rasterBytes, rasterFixtures, taskOf } from '../../support/rasters.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'
import { until } from '../../support/until.ts'

const at = '2026-01-01T00:00:00.000Z'
const hugeBytes = 16 * 2 ** 30

/** Uploads a raster into a new import, and gives its id. */
async function upload(client: ImporterClient, name: string, content: Uint8Array): Promise<number> {
  const id = Number((await client.call('POST', '', {})).json.import?.id)
  const sent = await client.upload(id, [{ name, content }])
  assert.equal(sent.status, 201, sent.text)
  return id
}

async function uploadAndRun(
  client: ImporterClient,
  content: Uint8Array,
  change: object = {},
  name = 'photo.tif',
): Promise<Json> {
  const id = await upload(client, name, content)
  const changed = await client.call('PUT', `/${id}/tasks/0`, change)
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  return taskOf(client, id)
}

/** Omits the state of the files that was seen last, which every check of the files updates. */
async function layersOf({ server }: ImporterClient) {
  const layers = await listLayers(server.database.kysely, { workspace: 'default' })
  return layers.map((layer) => without(layer, 'seenState'))
}

async function coverageStoresOf({ server }: ImporterClient) {
  return listStores(server.database.kysely, 'default', 'coverageStore')
}

/** Everything below the folder of stores. */
function storedEntries({ server }: ImporterClient): string[] {
  const folder = join(server.dataDir, 'stores', 'default')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Path of the uploaded file of a new import's only task. */
async function uploadedPath({ server }: ImporterClient, importId: number): Promise<string> {
  const task = await getTask(server.database.kysely, importId, 0)
  return task.files[0]?.path ?? assert.fail('the task has no file')
}

describe('REPLACE of a coverage', () => {
  it('keeps the old file of ours for its version, which can be brought back and let go', async (test) => {
    const client = await startImporter(test)
    const first = await uploadAndRun(client, rasterBytes('world.byte.tif'), {})
    assert.equal(first.state, 'COMPLETE', JSON.stringify(first))
    const [oldStore] = await coverageStoresOf(client)
    const oldFile = oldStore?.parameters.path ?? ''
    await uploadAndRun(client, rasterBytes('RGB.byte.tif'), { updateMode: 'REPLACE' })
    const newFile = (await coverageStoresOf(client))[0]?.parameters.path ?? ''
    assert.notEqual(newFile, oldFile)
    assert.ok(existsSync(oldFile) && existsSync(newFile))
    const versions = async (method: 'GET' | 'POST' | 'DELETE', path = '', payload?: object) => {
      const reply = await client.server.app.inject({
        method,
        url: `/rest/layers/default:photo/versions${path}`,
        headers: client.server.admin,
        ...(payload === undefined ? {} : { payload }),
      })
      assert.ok(reply.statusCode < 300, reply.body)
      const reported =
        reply.body === '' ? {} : reply.json<{ versions?: { version: number; restorable: boolean }[] }>()
      return reported.versions ?? []
    }
    const kept = (await versions('GET')).filter(({ restorable }) => restorable)
    const [earlier] = kept.toSorted((a, b) => a.version - b.version)
    await versions('POST', `/${earlier?.version}/restore`, { what: ['data'] })
    assert.equal((await coverageStoresOf(client))[0]?.parameters.path, oldFile)
    assert.equal((await layersOf(client))[0]?.details.srs, 'EPSG:4326')
    assert.ok(existsSync(newFile))
  })

  it('keeps layer, title, style and store, and takes the old file of ours away where no versions are kept', async (test) => {
    const client = await startImporter(test, { env: { TERRANE_KEEP_VERSIONS: '0' } })
    const first = await uploadAndRun(client, rasterBytes('world.byte.tif'), { layer: { title: 'The world' } })
    assert.equal(first.state, 'COMPLETE', JSON.stringify(first))
    const [before] = await layersOf(client)
    const [oldStore] = await coverageStoresOf(client)
    const task = await uploadAndRun(client, rasterBytes('RGB.byte.tif'), { updateMode: 'REPLACE' })
    assert.equal(task.state, 'COMPLETE', JSON.stringify(task))
    assert.equal(task.messages?.[0]?.code, 'crs-changed')
    const layers = await layersOf(client)
    const stores = await coverageStoresOf(client)
    assert.equal(layers.length, 1)
    assert.equal(layers[0]?.id, before?.id)
    assert.equal(layers[0]?.details.title, 'The world')
    assert.equal(layers[0]?.details.srs, 'EPSG:32618')
    assert.equal(layers[0]?.details.raster?.width, 791)
    assert.deepEqual(
      stores.map(({ id, name }) => [id, name]),
      [[oldStore?.id, 'photo']],
    )
    assert.ok(!existsSync(oldStore?.parameters.path ?? ''))
    assert.equal(storedEntries(client).length, 1)
  })

  it('leaves the file of a user, whichever way it is replaced', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/world.byte.tif', 'a/photo.tif')
    client.provide('raster/RGB.byte.tif', 'b/photo.tif')
    await importRaster(client, 'a/photo.tif')
    const replaced = await client.call('POST', '', {
      import: { data: { type: 'file', file: 'b/photo.tif' } },
    })
    const id = Number(replaced.json.import?.id)
    await client.call('PUT', `/${id}/tasks/0`, { updateMode: 'REPLACE' })
    await client.call('POST', `/${id}`)
    const incoming = join(client.server.dataDir, 'incoming')
    assert.equal((await coverageStoresOf(client))[0]?.parameters.path, join(incoming, 'b', 'photo.tif'))
    const again = await uploadAndRun(client, rasterBytes('world.byte.tif'), { updateMode: 'REPLACE' })
    assert.equal(again.state, 'COMPLETE', JSON.stringify(again))
    assert.equal((await layersOf(client)).length, 1)
    for (const name of ['a', 'b']) assert.ok(existsSync(join(incoming, name, 'photo.tif')))
  })

  it('changes the format of the store with the file', async (test) => {
    const client = await startImporter(test)
    await uploadAndRun(client, rasterBytes('world.byte.tif'))
    const folder = temporaryFolder(test)
    const path = join(folder, 'photo.asc')
    gdal(
      'gdal_translate',
      '-q',
      '-of',
      'AAIGrid',
      '-outsize',
      '20',
      '10',
      join(rasterFixtures, 'world.byte.tif'),
      path,
    )
    const task = await uploadAndRun(
      client,
      readFileSync(path),
      { updateMode: 'REPLACE', layer: { srs: 'EPSG:4326' } },
      'photo.asc',
    )
    assert.equal(task.state, 'COMPLETE', JSON.stringify(task))
    const [store] = await coverageStoresOf(client)
    assert.equal(store?.type, 'Arc/Info ASCII Grid')
    assert.equal((await layersOf(client))[0]?.details.raster?.width, 20)
  })

  it('makes the layer where there is none, and is BAD_FORMAT for a layer of features', async (test) => {
    const client = await startImporter(test)
    const task = await uploadAndRun(client, rasterBytes('world.byte.tif'), { updateMode: 'REPLACE' })
    assert.equal(task.state, 'COMPLETE')
    assert.equal((await layersOf(client)).length, 1)
    client.provide('geojson/valid.geojson')
    const vector = await client.call('POST', '?exec=true', {
      import: { data: { type: 'file', file: 'valid.geojson' } },
    })
    assert.equal(vector.status, 201)
    const id = await upload(client, 'valid.tif', rasterBytes('world.byte.tif'))
    await client.call('PUT', `/${id}/tasks/0`, { updateMode: 'REPLACE' })
    assert.equal((await taskOf(client, id)).state, 'BAD_FORMAT')
  })

  it('that fails leaves the layer as it was', async (test) => {
    const client = await startImporter(test)
    await uploadAndRun(client, rasterBytes('world.byte.tif'))
    const before = await layersOf(client)
    const id = await upload(client, 'photo.tif', rasterBytes('RGB.byte.tif'))
    await client.call('PUT', `/${id}/tasks/0`, { updateMode: 'REPLACE' })
    rmSync(await uploadedPath(client, id))
    await client.call('POST', `/${id}`)
    const task = await taskOf(client, id)
    assert.equal(task.state, 'ERROR')
    assert.match(String(task.errorMessage), /"photo\.tif" no longer exists/)
    assert.deepEqual(await layersOf(client), before)
    assert.equal(storedEntries(client).length, 1)
  })

  it('does not break an answer that is under way', async (test) => {
    const client = await startImporter(test)
    const folder = temporaryFolder(test)
    const path = join(folder, 'photo.tif')
    gdal('gdal_translate', '-q', '-outsize', '3000', '3000', join(rasterFixtures, 'RGB.byte.tif'), path)
    const content = readFileSync(path)
    await uploadAndRun(client, content)
    const address = await client.server.app.listen({ host: '127.0.0.1', port: 0 })
    const url = `${address}/ogc/collections/default:photo/file/photo.tif`
    const whole = await new Promise<Buffer>((resolve, reject) => {
      get(url, { headers: { ...client.server.admin, range: 'bytes=0-' } }, (reply) => {
        assert.equal(reply.statusCode, 206)
        reply.once('readable', () => {
          uploadAndRun(client, rasterBytes('world.byte.tif'), { updateMode: 'REPLACE' })
            .then(async () => Buffer.concat(await Array.fromAsync(reply as AsyncIterable<Buffer>)))
            .then(resolve, reject)
        })
      }).on('error', reject)
    })
    assert.ok(whole.equals(content))
    assert.equal((await layersOf(client))[0]?.details.raster?.width, 2880)
  })
})

describe('a raster run', () => {
  it('is cancelled while it copies, leaves nothing, and can be run again', async (test) => {
    const client = await startImporter(test)
    const content = rasterBytes('world.byte.tif')
    const id = await upload(client, 'photo.tif', content)
    const path = await uploadedPath(client, id)
    truncateSync(path, hugeBytes)
    await client.call('POST', `/${id}?async=true`)
    const { progress } = client.server.importer
    await until(async () => (progress.progressOf(id, 0)?.progress ?? 0) > 0)
    assert.equal((await client.call('DELETE', `/${id}/tasks/0/run`)).status, 204)
    assert.equal((await taskOf(client, id)).state, 'CANCELED')
    assert.deepEqual(storedEntries(client), [])
    assert.deepEqual(await coverageStoresOf(client), [])
    assert.deepEqual(await layersOf(client), [])
    truncateSync(path, content.length)
    assert.equal((await client.call('POST', `/${id}`)).status, 204)
    assert.equal((await taskOf(client, id)).state, 'COMPLETE')
    assert.equal((await layersOf(client)).length, 1)
  })

  it('of a name that is taken makes another layer with a store of its own', async (test) => {
    const client = await startImporter(test)
    client.provide('raster/world.byte.tif', 'photo.tif')
    await importRaster(client, 'photo.tif')
    await importRaster(client, 'photo.tif')
    assert.deepEqual(
      (await layersOf(client)).map(({ name }) => name),
      ['photo', 'photo0'],
    )
    assert.deepEqual(
      (await coverageStoresOf(client)).map(({ name }) => name),
      ['photo', 'photo0'],
    )
  })
})

/** Leaves the import as a process would that was killed in the middle of its run. */
async function pretendKilled({ database, importer }: TestApp): Promise<void> {
  const { kysely } = database
  const job = { kind: runJob, key: 'import 0', payload: { importId: 0 } }
  const jobId = await importer.jobs.enqueue(kysely, job)
  await kysely
    .updateTable('jobs')
    .set({ state: 'running', attempts: 1, lease_owner: 'dead', lease_until: at })
    .where('id', '=', jobId)
    .execute()
  const task = await getTask(kysely, 0, 0)
  await saveTask(kysely, { ...task, state: 'RUNNING', run: { jobId, attempt: 1 } }, at)
  await saveImport(kysely, { ...(await getImport(kysely, 0)), state: 'RUNNING', jobId }, at)
}

const foldersOf = (dataDir: string) => ({
  stores: join(dataDir, 'stores'),
  uploads: join(dataDir, 'uploads'),
})

/** Continues an import in another process after the first one died in the middle of a copy. */
async function takeUp(test: TestContext, leave: (folder: string) => void): Promise<ImporterClient> {
  const dataDir = temporaryFolder(test)
  const env = { TERRANE_LOADS: '1' }
  const before = await createTestApp({ dataDir, env })
  await upload(clientOf(before), 'photo.tif', rasterBytes('world.byte.tif'))
  await pretendKilled(before)
  const { kysely } = before.database
  const [file] = (await getTask(kysely, 0, 0)).files
  assert.ok(file)
  leave(copyFolder(foldersOf(dataDir), await getImport(kysely, 0), file))
  await before.close()
  const server = await createTestApp({ dataDir, env })
  test.after(() => server.close())
  const client = clientOf(server)
  await until(async () => String((await taskOf(client, 0)).state) !== 'RUNNING')
  return client
}

function writeHalf(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'photo.tif'), 'half')
}

describe('after a restart', () => {
  for (const [what, leave] of [
    ['before its copy', () => undefined],
    ['in the middle of its copy', (folder: string) => writeHalf(`${folder}.part`)],
    ['behind its copy', (folder: string) => writeHalf(folder)],
  ] as const) {
    it(`a raster task that broke off ${what} is run again from its start`, async (test) => {
      const client = await takeUp(test, leave)
      assert.equal((await taskOf(client, 0)).state, 'COMPLETE')
      assert.equal((await layersOf(client)).length, 1)
      const [store, ...others] = await coverageStoresOf(client)
      assert.deepEqual(others, [])
      assert.deepEqual(readFileSync(store?.parameters.path ?? ''), rasterBytes('world.byte.tif'))
      assert.equal(storedEntries(client).length, 1)
    })
  }

  it('folders that no store reads go a day later, others stay', async (test) => {
    const clock = fixedClock(new Date().toISOString())
    const client = await startImporter(test, { clock })
    await uploadAndRun(client, rasterBytes('world.byte.tif'))
    const [used = ''] = storedEntries(client)
    const stores = join(client.server.dataDir, 'stores', 'default')
    const loading = 'photo_ba9876543210'
    const left = ['photo_0123456789ab', 'photo_0123456789ab.part', 'by_hand', loading]
    for (const name of left) mkdirSync(join(stores, name), { recursive: true })
    writeFileSync(join(stores, 'photo_0123456789ab', 'photo.tif'), 'left')
    const id = await upload(client, 'photo.tif', rasterBytes('world.byte.tif'))
    const { kysely } = client.server.database
    const unsettled = { loadId: 'a', storeId: 1, table: 'a', layerName: 'a', isNewLayer: false }
    const movedTo = join(stores, loading, 'photo.gpkg')
    await saveTask(kysely, { ...(await getTask(kysely, id, 0)), unsettled: { ...unsettled, movedTo } }, at)
    await client.server.importer.clean()
    assert.deepEqual(storedEntries(client).sort(), [...left, used].sort())
    clock.advance(25 * 3_600_000)
    await client.server.importer.clean()
    assert.deepEqual(storedEntries(client).sort(), ['by_hand', loading, used].sort())
  })
})
