import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { makeSharedPlace } from '../../support/cluster.ts'
import type { Json } from '../../support/importer-client.ts'
import { listOf, multipart, multipartType } from '../../support/importer-client.ts'
import { makeGranule } from '../../support/mosaics.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer, userAndPassword } from '../../support/server.ts'
import type { SlowSource } from '../../support/slow-sources.ts'
import { hangingProgram, pointsText, provideFile, slowSource } from '../../support/slow-sources.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const many = 500_000
const hugeBytes = 16 * 2 ** 30
const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`
const countries = readFileSync('tests/fixtures/flatgeobuf/countries.fgb')

interface Location {
  dataDir: string
  env: Record<string, string>
}

async function makePlace(t: TestContext, catalogue: 'SQLite' | 'PostgreSQL'): Promise<Location> {
  const place =
    catalogue === 'PostgreSQL'
      ? await makeSharedPlace(t)
      : { dataDir: temporaryData(t), env: { TERRANE_REMOTE_ALLOW: '127.0.0.1' } }
  const env = { ...place.env, TERRANE_LOADS: '4' }
  const incoming = join(place.dataDir, 'incoming')
  mkdirSync(join(incoming, 'tiles'), { recursive: true })
  provideFile(place.dataDir, 'many.geojson', pointsText(many))
  for (const name of ['done', 'ready']) provideFile(place.dataDir, `${name}.geojson`, pointsText(10))
  for (const name of ['warped', 'gone'])
    copyFileSync('tests/fixtures/raster/RGB.byte.tif', join(incoming, `${name}.tif`))
  for (const ext of ['shp', 'shx', 'dbf'])
    copyFileSync(`tests/fixtures/shapefile/blockgroups.${ext}`, join(incoming, `blockgroups.${ext}`))
  for (const day of [1, 2]) makeGranule(join(incoming, 'tiles', `a_2020010${day}.tif`))
  return { dataDir: place.dataDir, env }
}

async function create(server: TestServer, data: object, more: object = {}, query = ''): Promise<number> {
  const { status, json, text } = await server.call('POST', `/rest/imports${query}`, {
    import: { data, ...more },
  })
  assert.equal(status, 201, text)
  return Number(json.import?.id)
}

async function run(server: TestServer, id: number): Promise<void> {
  const { status, text } = await server.call('POST', `/rest/imports/${id}`)
  assert.equal(status, 204, text)
}

async function read(server: TestServer, id: number): Promise<Json> {
  return (await server.call('GET', `/rest/imports/${id}?expand=3`)).json.import as Json
}

/** Uploads a file which is then made so long that its copy does not end. */
async function createEndlessCopy(server: TestServer, dataDir: string): Promise<{ id: number; path: string }> {
  const id = await create(server, { type: 'directory' })
  const reply = await fetch(`${server.url}/rest/imports/${id}/tasks`, {
    method: 'POST',
    headers: { authorization, 'content-type': multipartType },
    body: new Uint8Array(multipart([{ name: 'copied.fgb', content: countries }])),
  })
  assert.equal(reply.status, 201, await reply.text())
  const path = join(dataDir, 'uploads', String(id), '0', 'copied.fgb')
  truncateSync(path, hugeBytes)
  return { id, path }
}

interface Imports {
  fetching: number
  failed: number
  withoutCrs: number
  ready: number
  tools: number
  copy: number
  load: number
  mosaic: number
  complete: number
  inError: number
}

const intoDefault = { targetStore: { dataStore: { name: 'default' } } }

/**
 * Brings the imports of a server into every stable state, and those with running work to the start of that
 * work.
 */
async function makeStates(
  server: TestServer,
  dataDir: string,
  source: SlowSource,
  begun: () => Promise<number>,
) {
  const complete = await create(server, { type: 'file', file: 'done.geojson' }, intoDefault)
  await run(server, complete)
  const inError = await create(server, { type: 'file', file: 'gone.tif' })
  renameSync(join(dataDir, 'incoming', 'gone.tif'), join(dataDir, 'gone.tif'))
  await run(server, inError)
  const failed = await create(server, { type: 'file', file: 'late.geojson' })
  const withoutCrs = await create(server, { type: 'file', file: 'blockgroups.shp' }, intoDefault)
  const ready = await create(server, { type: 'file', file: 'ready.geojson' }, intoDefault)
  const remote = {
    type: 'remote',
    location: `${source.url}/fetched.geojson`,
    username: 'u',
    password: 'pass',
  }
  const fetching = await create(server, remote, intoDefault, '?async=true')
  const transforms = [{ type: 'RasterWarpTransform', options: ['-t_srs', 'EPSG:3857'] }]
  const tools = await create(server, { type: 'file', file: 'warped.tif' }, { transforms })
  const mosaic = await create(server, { type: 'mosaic', location: 'tiles', time: { mode: 'auto' } })
  const load = await create(server, { type: 'file', file: 'many.geojson' }, intoDefault)
  const { id: copy, path } = await createEndlessCopy(server, dataDir)
  for (const id of [tools, copy, load]) await server.call('POST', `/rest/imports/${id}?async=true`)
  await begun()
  await until(() => source.requests() !== 0)
  await until(async () => (await read(server, load)).tasks?.[0]?.state === ('RUNNING' as unknown as Json))
  await server.call('POST', `/rest/imports/${mosaic}?async=true`)
  const imports = { fetching, failed, withoutCrs, ready, tools, copy, load, mosaic, complete, inError }
  return { imports, endless: path }
}

async function statesOf(server: TestServer, imports: Imports): Promise<Record<string, string>> {
  const entries = Object.entries(imports).map(async ([name, id]) => [
    name,
    String((await read(server, id)).state),
  ])
  return Object.fromEntries(await Promise.all(entries))
}

const settled = {
  failed: 'INIT_ERROR',
  withoutCrs: 'PENDING',
  ready: 'READY',
  complete: 'COMPLETE',
  inError: 'COMPLETE_ERROR',
}

/** Performs the action that each import's state requires, until the import is complete. */
async function drive(server: TestServer, dataDir: string, imports: Imports): Promise<void> {
  const { fetching, failed, withoutCrs, ready, tools, copy, load, mosaic, inError } = imports
  for (const id of [tools, copy, load, mosaic]) {
    const done = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR', 'PENDING', 'READY'])
    assert.equal(done.state, 'COMPLETE', JSON.stringify(done))
  }
  await server.importIn(fetching, ['PENDING'])
  provideFile(dataDir, 'late.geojson', pointsText(10))
  await run(server, failed)
  await server.importIn(failed, ['PENDING'])
  const layer = { layer: { srs: 'EPSG:4326' } }
  assert.equal((await server.call('PUT', `/rest/imports/${withoutCrs}/tasks/0/layer`, layer)).status, 200)
  renameSync(join(dataDir, 'gone.tif'), join(dataDir, 'incoming', 'gone.tif'))
  for (const id of [fetching, failed, withoutCrs, ready, inError]) await run(server, id)
  for (const [name, state] of Object.entries(await statesOf(server, imports)))
    assert.equal(state, 'COMPLETE', name)
}

/** Features or granules of each layer. */
async function countsOf(server: TestServer): Promise<Record<string, number>> {
  const { json } = await server.call('GET', '/rest/layers')
  const names = listOf(json.layers?.layer).map(({ name }) => String(name))
  const counts: Record<string, number> = {}
  for (const name of names) {
    const collection = await server.call('GET', `/ogc/collections/${name}`)
    const items = await server.call('GET', `/ogc/collections/${name}/items?limit=1`)
    counts[name] = Number(collection.json.granuleCount ?? items.json.numberMatched ?? -1)
  }
  return counts
}

const expected = {
  'default:blockgroups': 663,
  'default:copied': 179,
  'default:done': 10,
  'default:fetched': 20,
  'default:gone': -1,
  'default:late': 10,
  'default:many': many,
  'default:ready': 10,
  'default:tiles': 2,
  'default:warped': -1,
}

describe('a server that is ended', { concurrency: 2 }, () => {
  for (const [catalogue, signal] of [
    ['SQLite', 'SIGTERM'],
    ['PostgreSQL', 'SIGKILL'],
  ] as const) {
    it(`has every import in its state at the next start after ${signal}, and each can be driven to COMPLETE, catalogue in ${catalogue}`, async (t) => {
      const { dataDir, env } = await makePlace(t, catalogue)
      const tool = hangingProgram(t, 'gdalwarp')
      const source = await slowSource(t, pointsText(20))
      const first = await startServer(t, dataDir, { ...env, PATH: tool.path })
      const { imports, endless } = await makeStates(first, dataDir, source, tool.begun)
      const before = await statesOf(first, imports)
      const { fetching, tools, copy, load } = before
      assert.deepEqual([fetching, tools, copy, load], ['INIT', 'RUNNING', 'RUNNING', 'RUNNING'])
      assert.deepEqual({ ...before, ...settled }, before)
      const { message } = await read(first, imports.failed)
      const { tasks: errors } = await read(first, imports.inError)
      await (signal === 'SIGTERM' ? first.stop() : first.kill())
      truncateSync(endless, countries.length)

      const second = await startServer(t, dataDir, env)
      const after = await statesOf(second, imports)
      assert.deepEqual({ ...after, ...settled }, after)
      assert.equal(after.fetching, 'INIT')
      for (const name of ['tools', 'copy', 'load', 'mosaic'])
        assert.ok(['RUNNING', 'COMPLETE'].includes(after[name] ?? ''), `${name} is ${after[name]}`)
      assert.deepEqual((await read(second, imports.failed)).message, message)
      assert.deepEqual(
        listOf(errors)[0]?.errorMessage,
        (await read(second, imports.inError)).tasks?.[0]?.errorMessage,
      )
      source.hurry()
      await drive(second, dataDir, imports)
      assert.deepEqual(await countsOf(second), expected)
      const left = readdirSync(join(dataDir, 'stores', 'default')).filter((name) => name.endsWith('.part'))
      assert.deepEqual(left, [])
      assert.ok(!existsSync(join(dataDir, 'uploads')) || readdirSync(join(dataDir, 'uploads')).length === 0)
      await second.stop()
    })
  }
})
