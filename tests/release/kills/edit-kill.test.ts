import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { endImport, seededRandom } from '../../support/kills/session.ts'
import { fileDatabase, storeParameters } from '../../support/postgis-store.ts'
import type { TestServer } from '../../support/server.ts'
import { startServer } from '../../support/server.ts'
import type { Cleanup } from '../../support/terrane-process.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import type { VersionResponse } from '../../support/version-client.ts'
import { pointsJson } from '../../support/versioned-layers.ts'

/** More by hand: `EDIT_KILLS=50 npm test -- tests/release/kills/edit-kill.test.ts`. */
const kills = Number(process.env['EDIT_KILLS'] ?? 2)
const rows = 20
const items = '/ogc/collections/default:places/items'
const versionsPath = '/rest/layers/default:places/versions'

/** Names of features by their ids. */
type Content = ReadonlyMap<number, string>

interface Change {
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  id?: number
  name: string
}

interface Round {
  server: TestServer
  random: () => number
  /** Content of the layer that the server has confirmed. */
  content: Content
  highestId: number
}

function nextChange({ random, content }: Round, number: number): Change {
  const ids = [...content.keys()]
  const id = ids[Math.floor(random() * ids.length)]
  const name = `e${number}`
  const kind = random()
  if (id === undefined || kind < 0.3) return { method: 'POST', name }
  if (kind < 0.6) return { method: 'PATCH', id, name }
  return kind < 0.8 ? { method: 'PUT', id, name } : { method: 'DELETE', id, name }
}

function send(server: TestServer, { method, id, name }: Change, at: number) {
  const geometry = { type: 'Point', coordinates: [at % 170, at % 80] }
  const body = method === 'DELETE' ? undefined : { type: 'Feature', properties: { name }, geometry }
  return server.call(method, id === undefined ? items : `${items}/${id}`, body)
}

function after(content: Content, { method, id = 0, name }: Change, madeId: number): Content {
  const next = new Map(content)
  if (method === 'DELETE') next.delete(id)
  else next.set(method === 'POST' ? madeId : id, name)
  return next
}

async function contentOf(server: TestServer, query = ''): Promise<Content> {
  for (;;) {
    const { status, json, text } = await server.call('GET', `${items}?limit=10000${query}`)
    if (status === 503) {
      await sleep(200)
      continue
    }
    assert.equal(status, 200, text)
    const { features } = json as unknown as { features: { id: number; properties: { name: string } }[] }
    return new Map(features.map(({ id, properties }) => [id, properties.name]))
  }
}

async function versionsOf(server: TestServer): Promise<VersionResponse[]> {
  const { status, json, text } = await server.call('GET', versionsPath)
  assert.equal(status, 200, text)
  return (json as unknown as { versions: VersionResponse[] }).versions
}

const asText = (content: Content): string => JSON.stringify([...content].sort(([a], [b]) => a - b))

/** Edits until the server is killed; the edit in progress at that time may or may not be done. */
async function editUntilKilled(round: Round, number: number): Promise<{ change: Change; count: number }> {
  let isKilled = false
  const killing = sleep(1000 + round.random() * 1500).then(() => {
    isKilled = true
    return round.server.kill()
  })
  for (let at = 0; ; at += 1) {
    const change = nextChange(round, number * 1000 + at)
    const answer = await send(round.server, change, at).catch(() => undefined)
    if (answer === undefined || answer.status >= 500) {
      await killing
      return { change, count: at }
    }
    assert.ok(answer.status < 300, answer.text)
    const madeId = Number(answer.location?.split('/').at(-1))
    if (change.method === 'POST') assert.ok(madeId > round.highestId, answer.location)
    round.content = after(round.content, change, madeId)
    round.highestId = Math.max(round.highestId, ...round.content.keys())
    if (isKilled) await killing
  }
}

/** Undoes all edits since the load, and redoes them. */
async function takeBackAndForth(
  { server }: Round,
  { first, now, version }: { first: string; now: string; version: number },
  number: number,
): Promise<void> {
  assert.equal(asText(await contentOf(server, '&version=1')), first, `round ${number}: version 1`)
  for (const [expected, content] of [
    [1, first],
    [version, now],
  ] as const) {
    const back = await server.call('POST', `${versionsPath}/${expected}/restore`, {})
    assert.equal(back.status, 200, back.text)
    assert.equal(asText(await contentOf(server)), content, `round ${number}: version ${expected} is back`)
  }
}

async function killRounds(t: Cleanup, store: 'file' | 'table', catalogue: string, seed: number) {
  const dataDir = temporaryData(t)
  mkdirSync(join(dataDir, 'incoming'), { recursive: true })
  const env: Record<string, string> =
    catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }
  const server = await startServer(t, dataDir, env)
  const definition =
    store === 'file'
      ? { type: 'GeoPackage' }
      : { type: 'PostGIS', connectionParameters: storeParameters(await fileDatabase(), 'public') }
  const dataStore = { name: store, ...definition }
  await server.call('POST', '/rest/workspaces/default/datastores', { dataStore })
  const points = Array.from({ length: rows }, (_, at): [string, number, number] => [`p${at}`, at, at])
  writeFileSync(join(dataDir, 'incoming', 'places.geojson'), pointsJson(points))
  const data = { type: 'file', file: 'places.geojson' }
  const made = await server.call('POST', '/rest/imports', {
    import: { targetStore: { dataStore: { name: store } }, data },
  })
  await server.call('POST', `/rest/imports/${made.json.import?.id}`)
  await endImport(server, Number(made.json.import?.id), 'the first load')
  const round: Round = {
    server,
    random: seededRandom(seed),
    content: await contentOf(server),
    highestId: rows,
  }
  const first = asText(round.content)
  for (let number = 1; number <= kills; number += 1) {
    const [before] = await versionsOf(round.server)
    const { change, count } = await editUntilKilled(round, number)
    round.server = await startServer(t, dataDir, env)
    const found = await contentOf(round.server)
    // A row that was taken back may have used up a number.
    const newId = Math.max(round.highestId + 1, ...found.keys())
    const meant = [round.content, after(round.content, change, newId)].map(asText)
    assert.ok(meant.includes(asText(found)), `round ${number}: neither of both`)
    round.content = found
    round.highestId = Math.max(round.highestId, ...found.keys())
    const versions = await versionsOf(round.server)
    const [latest] = versions
    // The version counts each completed edit, and possibly the last one, whose response was lost.
    const grown = Number(latest?.version) - Number(before?.version)
    const isDone = asText(found) !== meant[0]
    assert.ok(grown >= count + (isDone ? 1 : 0), `round ${number}: ${grown} versions after ${count} edits`)
    if (latest?.version === 1) continue
    // If the log of a file was not moved into the file yet, the file looks changed from outside: then no
    // version was stored.
    const isOutside = versions.some(({ cause }) => cause === 'outside')
    const isKept = versions.some(({ version, restorable }) => version === 1 && restorable)
    assert.ok(isKept || (store === 'file' && isOutside), `round ${number}: ${JSON.stringify(versions)}`)
    if (!isKept) return round.server.stop()
    await takeBackAndForth(round, { first, now: asText(found), version: Number(latest?.version) }, number)
  }
  await round.server.stop()
}

describe('a server that is killed while features are edited', { concurrency: 2 }, () => {
  it('has done each edit or has not, in a GeoPackage, catalogue in SQLite', (t) =>
    killRounds(t, 'file', 'SQLite', 11))
  it('has done each edit or has not, in PostGIS, catalogue in PostgreSQL', (t) =>
    killRounds(t, 'table', 'PostgreSQL', 12))
})
