import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { endImport, seededRandom } from '../support/kills/session.ts'
import { fileDatabase, storeParameters } from '../support/postgis-store.ts'
import { testCluster } from '../support/postgres.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'
import type { Cleanup } from '../support/terrane-process.ts'
import { temporaryData } from '../support/terrane-process.ts'
import type { WireVersion } from '../support/version-client.ts'
import { pointsJson } from '../support/versioned-layers.ts'

/** More, with both catalogues for each store, by hand: `VERSION_KILLS=50 npm test -- tests/e2e/version-kill.test.ts`. */
const wanted = process.env['VERSION_KILLS']
const kills = Number(wanted ?? 3)
const rows = 150
const path = '/rest/layers/default:places'

/** What the layer holds, by the names of its features in order; a version that broke off may be either of two. */
type Content = readonly string[]
type Model = Map<number, readonly Content[]>

interface Round {
  server: TestServer
  dataDir: string
  store: string
  model: Model
  number: number
  random: () => number
}

function generation(number: number): Content {
  return Array.from({ length: rows + (number % 7) }, (_, at) => `g${number}_${at}`).sort()
}

async function prepareImport({ server, dataDir, store, number }: Round, mode: string): Promise<number> {
  const file = `g${number}.geojson`
  const points = generation(number).map((name, at) => [name, at % 90, at % 45] as [string, number, number])
  writeFileSync(join(dataDir, 'incoming', file), pointsJson(points))
  const created = await server.call('POST', '/rest/imports', {
    import: { targetStore: { dataStore: { name: store } }, data: { type: 'file', file } },
  })
  assert.equal(created.status, 201, created.text)
  const id = Number(created.json.import?.id)
  const task = { updateMode: mode, layer: { name: 'places', nativeName: 'places' } }
  const put = await server.call('PUT', `/rest/imports/${id}/tasks/0`, { task })
  assert.equal(put.status, 200, put.text)
  return id
}

async function versionsOf(server: TestServer): Promise<WireVersion[]> {
  const { status, json, text } = await server.call('GET', `${path}/versions`)
  assert.equal(status, 200, text)
  return (json as unknown as { versions: WireVersion[] }).versions
}

async function contentAt(server: TestServer, query: string): Promise<Content> {
  for (;;) {
    const url = `/ogc/collections/default:places/items?limit=10000${query}`
    const { status, json, text } = await server.call('GET', url)
    if (status === 503) {
      await sleep(200)
      continue
    }
    assert.equal(status, 200, text)
    const { features } = json as unknown as { features: { properties: { name: string } }[] }
    return features.map(({ properties }) => properties.name).sort()
  }
}

/** Every version that is kept holds what the model says, and the layer what its last version does. */
async function compare({ server, model, number }: Round, what: string): Promise<void> {
  const versions = await versionsOf(server)
  for (const { version, restorable } of versions) {
    const isPresent = version === versions[0]?.version
    if (!restorable && !isPresent) continue
    const found = JSON.stringify(await contentAt(server, isPresent ? '' : `&version=${version}`))
    const meant = model.get(version)?.map((one) => JSON.stringify(one))
    assert.ok(
      meant?.includes(found),
      `round ${number}, ${what}: version ${version} is another than the model`,
    )
  }
}

/** What a change may have made of the versions after `last`: the latest is as it is meant to be. */
function note(model: Model, versions: readonly WireVersion[], last: number, after: Content): void {
  const before = model.get(last) ?? []
  const [latest] = versions
  for (const { version, cause } of versions.filter((one) => one.version > last))
    model.set(version, version === latest?.version || cause === 'restore' ? [after] : [...before, after])
}

/** Begins something, kills the server in the middle of it, and starts it again. */
async function killIn(t: Cleanup, round: Round, env: Record<string, string>, begin: () => Promise<unknown>) {
  const begun = begin().catch(() => undefined)
  await sleep(round.random() * 400)
  await round.server.kill()
  await begun
  round.server = await startServer(t, round.dataDir, env)
}

async function load(t: Cleanup, round: Round, env: Record<string, string>, mode: 'REPLACE' | 'APPEND') {
  const [latest] = await versionsOf(round.server)
  const last = latest?.version ?? 0
  const own = generation(round.number)
  const [before = []] = round.model.get(last) ?? []
  const id = await prepareImport(round, mode)
  await killIn(t, round, env, () => round.server.call('POST', `/rest/imports/${id}`))
  await endImport(round.server, id, `round ${round.number}`)
  note(
    round.model,
    await versionsOf(round.server),
    last,
    mode === 'REPLACE' ? own : [...before, ...own].sort(),
  )
}

async function restore(t: Cleanup, round: Round, env: Record<string, string>): Promise<void> {
  const versions = await versionsOf(round.server)
  const last = versions[0]?.version ?? 0
  const choices = versions.filter(({ restorable }) => restorable)
  const chosen = choices[Math.floor(round.random() * choices.length)]
  if (chosen === undefined) return
  const url = `${path}/versions/${chosen.version}/restore`
  const [content = []] = round.model.get(chosen.version) ?? []
  await killIn(t, round, env, () => round.server.call('POST', url, {}))
  // What was begun goes on by itself, and one restore follows the other.
  const again = await round.server.call('POST', url, {})
  assert.ok([200, 409].includes(again.status), again.text)
  note(round.model, await versionsOf(round.server), last, content)
}

async function remove(t: Cleanup, round: Round, env: Record<string, string>): Promise<void> {
  const [latest] = await versionsOf(round.server)
  const last = latest?.version ?? 0
  const [content = []] = round.model.get(last) ?? []
  await killIn(t, round, env, () => round.server.call('DELETE', `${path}?recurse=true`))
  const [now] = await versionsOf(round.server)
  if (now?.cause === 'delete') {
    const back = await round.server.call('POST', `${path}/versions/${now.version}/restore`, {})
    assert.equal(back.status, 200, back.text)
  }
  note(round.model, await versionsOf(round.server), last, content)
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
    catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await (await testCluster()).createDatabase() }
  const server = await startServer(t, dataDir, env)
  const definition =
    store === 'file'
      ? { type: 'GeoPackage' }
      : { type: 'PostGIS', connectionParameters: storeParameters(await fileDatabase(), 'public') }
  const made = await server.call('POST', '/rest/workspaces/default/datastores', {
    dataStore: { name: store, ...definition },
  })
  assert.equal(made.status, 201, made.text)
  const round: Round = { server, dataDir, store, model: new Map(), number: 0, random: seededRandom(seed) }
  const first = await prepareImport(round, 'CREATE')
  await server.call('POST', `/rest/imports/${first}`)
  round.model.set(1, [generation(0)])
  const changes = [load, load, restore, restore, remove]
  for (round.number = 1; round.number <= kills; round.number += 1) {
    const change = changes[Math.floor(round.random() * changes.length)] ?? load
    const mode = round.random() < 0.6 ? 'REPLACE' : 'APPEND'
    await change(t, round, env, mode)
    await compare(round, change.name)
  }
  await round.server.stop()
}

describe('a server that is killed while layers change, come back and go', { concurrency: 2 }, () => {
  for (const [store, catalogue, seed] of [
    ['file', 'SQLite', 7],
    ['table', 'SQLite', 8],
    ['file', 'PostgreSQL', 9],
    ['table', 'PostgreSQL', 10],
  ] as const) {
    const isUsual = (store === 'file') === (catalogue === 'SQLite')
    if (!isUsual && wanted === undefined) continue
    it(`keeps versions as the model has them, store ${store}, catalogue in ${catalogue}`, (t) =>
      killRounds(t, store, catalogue, seed))
  }
})
