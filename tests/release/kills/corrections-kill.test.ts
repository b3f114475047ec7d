import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import type { Json } from '../../support/importer-client.ts'
import { endImport, seededRandom } from '../../support/kills/session.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer, userAndPassword } from '../../support/server.ts'
import type { Cleanup } from '../../support/terrane-process.ts'
import { temporaryData } from '../../support/terrane-process.ts'

/**
 * More, with both catalogues for each store, by hand: `MENDED_KILLS=50 npm test --
 * tests/release/kills/corrections-kill.test.ts`.
 */
const expected = process.env['MENDED_KILLS']
const kills = Number(expected ?? 3)
const rows = 2000
/** Every tenth row is rejected. */
const wrong = Array.from({ length: rows / 10 }, (_, at) => at * 10 + 1)
const task = '/rest/imports/0/tasks/0'

interface Round {
  server: TestServer
  /** Rows that may have been sent, and those that are known to be loaded. */
  tried: Set<number>
  random: () => number
}

async function importRows(server: TestServer, dataDir: string, store: string): Promise<void> {
  const lines = Array.from(
    { length: rows },
    (_, at) => `n${at + 1},${at % 10 === 0 ? 'north' : at % 80},${at % 170}`,
  )
  writeFileSync(join(dataDir, 'incoming', 'places.csv'), `name,lat,lon\n${lines.join('\n')}\n`)
  const body = { targetStore: { dataStore: { name: store } }, data: { type: 'file', file: 'places.csv' } }
  await server.call('POST', '/rest/imports', { import: body })
  const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
  const chain = { type: 'vector', transforms: [points] }
  const change = { rejectLimit: '20%', layer: { srs: 'EPSG:4326' }, transformChain: chain }
  const put = await server.call('PUT', task, { task: change })
  assert.equal(put.status, 200, put.text)
  await server.call('POST', '/rest/imports/0')
}

function send(server: TestServer, chosen: readonly number[]): Promise<Response> {
  const body = `_row,name,lat,lon\n${chosen.map((row) => `${row},n${row},1,2`).join('\n')}\n`
  const authorization = `Basic ${Buffer.from(userAndPassword).toString('base64')}`
  return fetch(`${server.url}${task}/rejects`, {
    method: 'POST',
    body,
    headers: { authorization, 'content-type': 'text/csv' },
  })
}

/** Returns the rows of the layer by their names; each name occurs once. */
async function loadedRows(server: TestServer): Promise<Set<number>> {
  const { json, text } = await server.call('GET', '/ogc/collections/default:places/items?limit=10000')
  const features = json.features as unknown as Json[] | undefined
  assert.ok(features !== undefined, text)
  const numbers = features.map((one) => Number(String(one.properties?.name).slice(1)))
  assert.equal(new Set(numbers).size, numbers.length, 'a row was loaded twice')
  return new Set(numbers)
}

/**
 * Checks that every row read was loaded, rejected or corrected, and that the layer agrees with the list of
 * rejected rows.
 */
async function check({ server, tried }: Round, what: string): Promise<number[]> {
  const reported = (await server.call('GET', task)).json.task as Json
  const [loaded, rejected, corrected] = [
    reported.rowsLoaded,
    reported.rejected ?? 0,
    reported.mended ?? 0,
  ].map(Number)
  assert.equal(String(reported.state), 'COMPLETE', what)
  assert.equal(Number(reported.rowsRead), Number(loaded) + Number(rejected) + Number(corrected), what)
  const inLayer = await loadedRows(server)
  assert.equal(inLayer.size, Number(loaded) + Number(corrected), what)
  const listed = (await server.call('GET', `${task}/rejects`)).json.features as unknown as { id: number }[]
  assert.equal(listed.length, Number(rejected), what)
  for (const { id } of listed) assert.ok(!inLayer.has(id), `${what}: row ${id} is loaded and rejected`)
  for (const row of wrong)
    assert.ok(tried.has(row) || !inLayer.has(row), `${what}: row ${row} was never sent and is loaded`)
  return listed.map(({ id }) => id)
}

async function killRounds(
  t: Cleanup,
  store: 'file' | 'table',
  catalogue: string,
  seed: number,
): Promise<void> {
  const dataDir = temporaryData(t)
  mkdirSync(join(dataDir, 'incoming'), { recursive: true })
  const env: Record<string, string> =
    catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }
  const server = await startServer(t, dataDir, env)
  const definition =
    store === 'file'
      ? { type: 'GeoPackage' }
      : { type: 'PostGIS', connectionParameters: storeParameters(await fileDatabase(), 'public') }
  const made = { dataStore: { name: store, ...definition } }
  assert.equal((await server.call('POST', '/rest/workspaces/default/datastores', made)).status, 201)
  await importRows(server, dataDir, store)
  const round: Round = { server, tried: new Set(), random: seededRandom(seed) }
  let left = await check(round, 'the import')
  assert.deepEqual(left, wrong)
  for (let number = 1; number <= kills; number += 1) {
    const chosen = left.filter(() => round.random() < 0.2)
    for (const row of chosen) round.tried.add(row)
    const begun = send(round.server, chosen).catch(() => undefined)
    await sleep(round.random() * 500)
    await round.server.kill()
    await begun
    round.server = await startServer(t, dataDir, env)
    await endImport(round.server, 0, `kill ${number}`)
    left = await check(round, `kill ${number}`)
  }
  for (const row of wrong) round.tried.add(row)
  const sent = await send(round.server, wrong)
  assert.equal(sent.status, 200, await sent.text())
  assert.deepEqual(await check(round, 'the end'), [])
  assert.deepEqual(readdirSync(join(dataDir, 'uploads')), [], 'uploads are left')
  assert.equal(readdirSync(join(dataDir, 'rejects', '0')).length, 1, 'older lists are left')
  await round.server.stop()
}

describe('a server that is killed while mended rows are loaded', { concurrency: 2 }, () => {
  for (const [store, catalogue, seed] of [
    ['file', 'SQLite', 3],
    ['table', 'SQLite', 4],
    ['file', 'PostgreSQL', 5],
    ['table', 'PostgreSQL', 6],
  ] as const) {
    const isUsual = (store === 'file') === (catalogue === 'SQLite')
    if (!isUsual && expected === undefined) continue
    it(`loads each once, store ${store}, catalogue in ${catalogue}`, (t) =>
      killRounds(t, store, catalogue, seed))
  }
})
