import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { startPair } from '../../support/cluster.ts'
import type { Json } from '../../support/importer-client.ts'
import { listOf } from '../../support/importer-client.ts'
import { makeGranule } from '../../support/mosaics.ts'
import { runSql } from '../../support/postgres.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer } from '../../support/server.ts'
import { hangingProgram, isRunning, pointsText, provideFile, slowSource } from '../../support/slow-sources.ts'
import { processorSeconds } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const warp = { type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] }
const many = 400_000
/** Leaves all jobs to the other server. */
const servesOnly = { TERRANE_ROLES: 'serve' }

async function create(server: TestServer, data: object, more: object = {}, query = ''): Promise<number> {
  const { status, json, text } = await server.call('POST', `/rest/imports${query}`, {
    import: { data, ...more },
  })
  assert.equal(status, 201, text)
  return Number(json.import?.id)
}

async function stateOf(server: TestServer, id: number): Promise<string> {
  return String((await server.call('GET', `/rest/imports/${id}`)).json.import?.state)
}

async function countOf(server: TestServer, layer: string): Promise<number> {
  const { json } = await server.call('GET', `/ogc/collections/default:${layer}/items?limit=1`)
  return Number(json.numberMatched)
}

async function layersOf(server: TestServer): Promise<string[]> {
  const { json } = await server.call('GET', '/rest/layers')
  return listOf(json.layers?.layer).map(({ name }) => String(name))
}

async function taskOf(server: TestServer, id: number): Promise<Json> {
  const { json, text } = await server.call('GET', `/rest/imports/${id}/tasks/0`)
  return json.task ?? assert.fail(text)
}

async function isTaskIn(server: TestServer, id: number, state: string): Promise<void> {
  await until(async () => String((await taskOf(server, id)).state) === state)
}

/**
 * Requests the end of an operation and asserts that both servers work for less than two seconds until it has
 * ended.
 */
async function endsSoon(
  servers: TestServer[],
  ask: () => Promise<{ status: number; text: string }>,
  status: number,
): Promise<void> {
  const worked = () => servers.reduce((sum, server) => sum + processorSeconds(server.process.pid), 0)
  const before = worked()
  const answer = await ask()
  assert.equal(answer.status, status, answer.text)
  assert.ok(worked() - before < 2, `${worked() - before} s of processor time`)
}

describe('two servers of one PostgreSQL catalogue', () => {
  it('share everything: one creates, both run at once and only one does, both show what came of it', async (t) => {
    const { first, second, dataDir } = await startPair(t)
    provideFile(dataDir, 'points.geojson', pointsText(2000))
    provideFile(dataDir, 'many.geojson', pointsText(many))
    const data = { type: 'file', file: 'points.geojson' }
    const id = await create(first, { type: 'file', file: 'many.geojson' })
    const ran = await Promise.all(
      [first, second].map((one) => one.call('POST', `/rest/imports/${id}?async=true`)),
    )
    assert.deepEqual(ran.map(({ status }) => status).sort(), [204, 409], ran.map(({ text }) => text).join())
    await second.importIn(id, ['COMPLETE'])
    for (const server of [first, second]) assert.equal(await countOf(server, 'many'), many)

    const ids = await Promise.all([create(first, data), create(second, data)])
    await Promise.all([first, second].map((one, index) => one.call('POST', `/rest/imports/${ids[index]}`)))
    for (const one of ids) assert.equal(await stateOf(first, one), 'COMPLETE')
    assert.deepEqual(await layersOf(second), ['default:many', 'default:points', 'default:points0'])
    for (const layer of ['points', 'points0']) assert.equal(await countOf(first, layer), 2000)

    const appends = await Promise.all([first, second].map((one) => create(one, data)))
    const task = { updateMode: 'APPEND', layer: { name: 'points', nativeName: 'points' } }
    for (const one of appends)
      assert.equal((await first.call('PUT', `/rest/imports/${one}/tasks/0`, { task })).status, 200)
    const appended = [first, second].map((one, index) => one.call('POST', `/rest/imports/${appends[index]}`))
    assert.deepEqual(
      (await Promise.all(appended)).map(({ status }) => status),
      [204, 204],
    )
    assert.equal(await countOf(second, 'points'), 6000)

    const dataStore = { name: 'file', type: 'GeoPackage', connectionParameters: {} }
    const made = await first.call('POST', '/rest/workspaces/default/datastores', { dataStore })
    assert.equal(made.status, 201, made.text)
    const servers = [first, second, first, second, first, second]
    const intoFile = { targetStore: { dataStore: { name: 'file' } } }
    const files = await Promise.all(servers.map((one) => create(one, data, intoFile)))
    await Promise.all(servers.map((one, index) => one.call('POST', `/rest/imports/${files[index]}`)))
    for (const one of files) assert.equal((await taskOf(second, one)).errorMessage, undefined)
    const inFile = (await layersOf(first)).filter((name) => /points[1-9]/.test(name))
    assert.equal(inFile.length, files.length)
    for (const name of inFile) assert.equal(await countOf(second, name.split(':')[1] ?? ''), 2000)
    await Promise.all([first.stop(), second.stop()])
  })

  it('show the progress of a load that the other runs, and cancel and delete it', async (t) => {
    const { first, second, dataDir } = await startPair(t)
    provideFile(dataDir, 'many.geojson', pointsText(many))
    const id = await create(first, { type: 'file', file: 'many.geojson' })
    const until = await second.watch(id)
    await first.call('POST', `/rest/imports/${id}?async=true`)
    assert.ok(await until(/"phase":"loading","progress":[1-9]/))
    const { json: progress } = await second.call('GET', `/rest/imports/${id}/tasks/0/progress`)
    assert.equal(progress.state, 'RUNNING')
    assert.ok(Number(progress.progress) > 0, JSON.stringify(progress))

    const cancel = () => second.call('DELETE', `/rest/imports/${id}/tasks/0/run`)
    await endsSoon([first, second], cancel, 204)
    assert.equal(String((await taskOf(second, id)).state), 'CANCELED')
    await first.importIn(id, ['PENDING'])
    assert.deepEqual(await layersOf(first), [])

    await first.call('POST', `/rest/imports/${id}?async=true`)
    await isTaskIn(second, id, 'RUNNING')
    const remove = () => second.call('DELETE', `/rest/imports/${id}`)
    await endsSoon([first, second], remove, 200)
    assert.equal((await first.call('GET', `/rest/imports/${id}`)).status, 404)
    assert.deepEqual(await layersOf(first), [])
    await Promise.all([first.stop(), second.stop()])
  })

  it('cancel raster tools, a fetch, a fetch for an upload and the load of a mosaic of each other', async (t) => {
    const tool = hangingProgram(t, 'gdalwarp')
    const source = await slowSource(t, '{}')
    const { first, second, dataDir, databaseUrl } = await startPair(t, { PATH: tool.path }, servesOnly)
    mkdirSync(join(dataDir, 'incoming', 'tiles'), { recursive: true })
    copyFileSync('tests/fixtures/raster/RGB.byte.tif', join(dataDir, 'incoming', 'rgb.tif'))
    const within = (ask: () => Promise<{ status: number; text: string }>, status: number) =>
      endsSoon([first, second], ask, status)

    const transforms = [warp]
    const raster = await create(first, { type: 'file', file: 'rgb.tif' }, { transforms })
    await first.call('POST', `/rest/imports/${raster}?async=true`)
    const pid = await tool.begun()
    await within(() => second.call('DELETE', `/rest/imports/${raster}/run`), 204)
    assert.equal(String((await taskOf(second, raster)).state), 'CANCELED')
    await until(() => !isRunning(pid))

    const location = `${source.url}/a.geojson`
    const remote = await create(first, { type: 'remote', location }, {}, '?async=true')
    assert.ok(await second.eventOf(remote, /"phase":"fetch"/))
    await within(() => second.call('DELETE', `/rest/imports/${remote}/run`), 204)
    assert.equal(await stateOf(second, remote), 'INIT_ERROR')

    const empty = await create(first, { type: 'directory' })
    const upload = fetchUpload(first, empty, location)
    await until(() => source.requests() >= 2)
    await within(() => second.call('DELETE', `/rest/imports/${empty}`), 200)
    assert.ok([404, 409].includes(await upload))

    for (const day of [1, 2]) makeGranule(join(dataDir, 'incoming', 'tiles', `a_2020010${day}.tif`))
    const mosaic = await create(first, { type: 'mosaic', location: 'tiles', time: { mode: 'auto' } })
    assert.equal((await first.call('POST', `/rest/imports/${mosaic}`)).status, 204)
    makeGranule(join(dataDir, 'incoming', 'more', 'a_20200103.tif'))
    const more = await create(first, { type: 'mosaic', location: 'more', time: { mode: 'auto' } })
    const task = { updateMode: 'APPEND', layer: { name: 'tiles' } }
    assert.equal((await first.call('PUT', `/rest/imports/${more}/tasks/0`, { task })).status, 200)
    const unlock = await lockTable(databaseUrl, 'ws_default.tiles_granules')
    await first.call('POST', `/rest/imports/${more}?async=true`)
    await isTaskIn(second, more, 'RUNNING')
    await within(() => second.call('DELETE', `/rest/imports/${more}/run`), 204)
    assert.equal(String((await taskOf(second, more)).state), 'CANCELED')
    await unlock()
    await second.importIn(more, ['PENDING'])
    assert.equal((await second.call('POST', `/rest/imports/${more}`)).status, 204)
    const { json } = await second.call('GET', '/ogc/collections/default:tiles')
    assert.equal(json.granuleCount, 3)
    await Promise.all([first.stop(), second.stop()])
  })

  it('take over what the other did when it was killed: a load, a fetch, raster tools, and what is cancelled', async (t) => {
    const tool = hangingProgram(t, 'gdalwarp')
    const source = await slowSource(t, pointsText(20))
    const { first, second, dataDir, env } = await startPair(t, { PATH: tool.path }, servesOnly)
    provideFile(dataDir, 'many.geojson', pointsText(many))
    provideFile(dataDir, 'unwanted.geojson', pointsText(many))
    copyFileSync('tests/fixtures/raster/RGB.byte.tif', join(dataDir, 'incoming', 'rgb.tif'))
    const load = await create(first, { type: 'file', file: 'many.geojson' })
    const unwanted = await create(first, { type: 'file', file: 'unwanted.geojson' })
    const raster = await create(first, { type: 'file', file: 'rgb.tif' }, { transforms: [warp] })
    const data = { type: 'remote', location: `${source.url}/a.geojson` }
    const remote = await create(first, data, {}, '?async=true')
    const fetching = second.eventOf(remote, /"phase":"fetch"/)
    await first.call('POST', `/rest/imports/${raster}?async=true`)
    await Promise.all([fetching, tool.begun()])
    const until = await second.watch(load)
    await first.call('POST', `/rest/imports/${load}?async=true`)
    await first.call('POST', `/rest/imports/${unwanted}?async=true`)
    assert.ok(await until(/"phase":"loading","progress":[1-9]/))
    await isTaskIn(second, unwanted, 'RUNNING')
    await first.kill()
    source.hurry()
    const third = await startServer(t, dataDir, env)

    const canceled = await second.call('DELETE', `/rest/imports/${unwanted}/run`)
    assert.equal(canceled.status, 204, canceled.text)
    assert.equal(String((await taskOf(second, unwanted)).state), 'CANCELED')
    await second.importIn(remote, ['PENDING'])
    for (const id of [load, raster]) {
      const done = await second.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'])
      assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
    }
    assert.equal((await second.call('POST', `/rest/imports/${remote}`)).status, 204)
    assert.deepEqual(await layersOf(second), ['default:a', 'default:many', 'default:rgb'])
    assert.equal(await countOf(second, 'many'), many)
    assert.equal(await countOf(second, 'a'), 20)
    const stores = readdirSync(join(dataDir, 'stores', 'default'))
    assert.equal(stores.length, 1, stores.join())
    assert.ok(!existsSync(join(dataDir, 'uploads', String(remote))))
    await Promise.all([second.stop(), third.stop()])
  })

  it('outlive the loss of every connection to the catalogue, and hear each other again', async (t) => {
    const tool = hangingProgram(t, 'gdalwarp')
    const { first, second, dataDir, databaseUrl } = await startPair(t, { PATH: tool.path }, servesOnly)
    provideFile(dataDir, 'points.geojson', pointsText(10))
    copyFileSync('tests/fixtures/raster/RGB.byte.tif', join(dataDir, 'incoming', 'rgb.tif'))
    const raster = await create(first, { type: 'file', file: 'rgb.tif' }, { transforms: [warp] })
    await first.call('POST', `/rest/imports/${raster}?async=true`)
    await tool.begun()
    await runSql(
      databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await until(async () => (await first.call('GET', '/rest/imports')).status === 200)
    const canceled = await second.call('DELETE', `/rest/imports/${raster}/run`)
    assert.equal(canceled.status, 204, canceled.text)
    assert.equal(String((await taskOf(second, raster)).state), 'CANCELED')
    const id = await create(first, { type: 'file', file: 'points.geojson' })
    assert.equal((await second.call('POST', `/rest/imports/${id}`)).status, 204)
    assert.equal(await countOf(first, 'points'), 10)
    await Promise.all([first.stop(), second.stop()])
  })
})

/** Uploads the content of a URL. Returns the status of the response. */
async function fetchUpload(server: TestServer, id: number, url: string): Promise<number> {
  const { status } = await server.form(`/rest/imports/${id}/tasks`, { url })
  return status
}

/** Locks a table against writes. Returns a function that releases the lock. */
async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: url })
  await holder.connect()
  await holder.query(`begin; lock table ${table} in share row exclusive mode`)
  return () => holder.end()
}
