import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { addEditedStores, editedStores } from '../../support/edited-layers.ts'
import { askFeature, pointFeature } from '../../support/feature-client.ts'
import { seededRandom } from '../../support/kills/session.ts'
import { ask, restore, versionsOf } from '../../support/version-client.ts'
import type { Points } from '../../support/versioned-layers.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const steps = 30
const quarterMs = 15 * 60_000

/** Name and place of features by their ids. */
type Content = ReadonlyMap<number, string>

interface ReportedVersion {
  version: number
  cause: string
  user: string
  content: Content
  began: number
}

/** Expected state of the layer and of each of its versions. */
interface Model {
  content: Content
  versions: ReportedVersion[]
  nowMs: number
}

interface Play {
  server: TestApp
  layer: string
  name: string
  store: string
  model: Model
  random: () => number
}

const editors = ['anna', 'berta']
const headersOf = (user: string) => basicAuth(user, `${user}-password`)
const shown = (name: string, x: number, y: number): string => `${name} ${x} ${y}`
const asText = (content: Content): string => JSON.stringify([...content].sort(([a], [b]) => a - b))

async function contentOf({ server, layer }: Play, query = ''): Promise<Content> {
  for (;;) {
    const answer = await askFeature(server, { method: 'GET', layer, query: `?limit=1000${query}` })
    if (answer.status === 503) {
      await sleep(100)
      continue
    }
    assert.equal(answer.status, 200, answer.text)
    const { features } = answer.json as unknown as {
      features: { id: number; properties: { name: string }; geometry: { coordinates: [number, number] } }[]
    }
    return new Map(
      features.map(({ id, properties, geometry }) => [id, shown(properties.name, ...geometry.coordinates)]),
    )
  }
}

/** Edits of the same user join the version that began last, for a quarter of an hour. */
function noteEdit({ model }: Play, user: string, content: Content): void {
  const last = model.versions.at(-1)
  const version = (last?.version ?? 0) + 1
  const isJoined = last?.cause === 'edit' && last.user === user && model.nowMs - last.began < quarterMs
  if (isJoined) model.versions.pop()
  const began = isJoined ? last.began : model.nowMs
  model.versions.push({ version, cause: 'edit', user, content, began })
  model.content = content
}

function note({ model }: Play, cause: string, content: Content): void {
  const version = (model.versions.at(-1)?.version ?? 0) + 1
  model.versions.push({ version, cause, user: 'admin', content, began: model.nowMs })
  model.content = content
}

async function editOne(play: Play, number: number): Promise<void> {
  const { server, layer, model, random } = play
  const user = editors[random() < 0.75 ? 0 : 1] ?? ''
  const headers = headersOf(user)
  const ids = [...model.content.keys()]
  const id = ids[Math.floor(random() * ids.length)]
  const [name, x, y] = [`e${number}`, Math.floor(random() * 170), Math.floor(random() * 80)]
  const kind = random()
  const next = new Map(model.content)
  if (id === undefined || kind < 0.35) {
    const body = pointFeature({ name }, [x, y])
    const made = await askFeature(server, { method: 'POST', layer, body, headers })
    assert.equal(made.status, 201, made.text)
    next.set(Number(made.json['id']), shown(name, x, y))
  } else if (kind < 0.6) {
    const body = { properties: { name } }
    assert.equal((await askFeature(server, { method: 'PATCH', layer, id, body, headers })).status, 204)
    next.set(id, String(model.content.get(id)).replace(/^\S+/, name))
  } else if (kind < 0.8) {
    const body = pointFeature({ name }, [x, y])
    assert.equal((await askFeature(server, { method: 'PUT', layer, id, body, headers })).status, 204)
    next.set(id, shown(name, x, y))
  } else {
    assert.equal((await askFeature(server, { method: 'DELETE', layer, id, headers })).status, 204)
    next.delete(id)
  }
  noteEdit(play, user, next)
}

async function load(play: Play, number: number): Promise<void> {
  const { server, name, store, model, random } = play
  const mode = random() < 0.5 ? 'REPLACE' : 'APPEND'
  const points: Points = Array.from({ length: 3 }, (_, at) => [`l${number}_${at}`, at, number % 80])
  await importPoints(server, { name, store, mode, points })
  const content = await contentOf(play)
  const names = [...content.values()].sort()
  const own = points.map((point) => shown(...point))
  const meant = mode === 'REPLACE' ? own : [...model.content.values(), ...own]
  assert.deepEqual(names, meant.sort(), `load ${number}`)
  note(play, 'import', content)
}

async function goBack(play: Play): Promise<void> {
  const { server, layer, model, random } = play
  const versions = (await versionsOf(server, layer)).filter(({ restorable }) => restorable)
  const chosen = versions[Math.floor(random() * versions.length)]
  const reportedVersion = model.versions.find(({ version }) => version === chosen?.version)
  if (chosen === undefined || reportedVersion === undefined) return
  const answer = await restore(server, layer, chosen.version)
  assert.equal(answer.status, 200, answer.text)
  note(play, 'restore', reportedVersion.content)
}

async function changeTitle(play: Play, number: number): Promise<void> {
  const { server, layer, model } = play
  await ask(server, 'PUT', `/rest/layers/${layer}`, { layer: { title: `Title ${number}` } })
  note(play, 'title', model.content)
}

async function compare(play: Play): Promise<void> {
  const { server, layer, model } = play
  const responses = await versionsOf(server, layer)
  assert.deepEqual(
    responses.map(({ version, cause }) => [version, cause]),
    model.versions.map(({ version, cause }) => [version, cause === 'title' ? 'edit' : cause]).reverse(),
  )
  for (const { version, restorable, cause, mode, user, rows } of responses.slice(1)) {
    const meant = model.versions.find((one) => one.version === version)
    assert.equal(restorable, true, `version ${version}`)
    if (mode === 'EDIT') assert.deepEqual([cause, user], ['edit', meant?.user], `version ${version}`)
    if (rows !== null) assert.equal(rows, meant?.content.size, `rows of version ${version}`)
    const found = await contentOf(play, `&version=${version}`)
    assert.equal(asText(found), asText(meant?.content ?? new Map()), `version ${version}`)
  }
}

async function playAll(store: string, catalogue: Record<string, string>, seed: number): Promise<void> {
  const model: Model = { content: new Map(), versions: [], nowMs: Date.parse('2026-03-01T12:00:00Z') }
  const server = await createTestApp({ env: catalogue, clock: { now: () => new Date(model.nowMs) } })
  try {
    await addEditedStores(server)
    for (const name of editors) {
      const user = { name, password: `${name}-password`, email: `${name}@example.org`, role: 'staff' }
      assert.equal((await ask(server, 'POST', '/rest/security/users', { user })).status, 201)
    }
    const name = `model_${store}_${seed}`
    const play: Play = { server, layer: `default:${name}`, name, store, model, random: seededRandom(seed) }
    await importPoints(server, { name, store })
    note(play, 'import', await contentOf(play))
    for (let number = 1; number <= steps; number += 1) {
      model.nowMs += Math.floor(play.random() ** 4 * 2 * quarterMs)
      const kind = play.random()
      if (kind < 0.8) await editOne(play, number)
      else if (kind < 0.87) await load(play, number)
      else if (kind < 0.95) await goBack(play)
      else await changeTitle(play, number)
      assert.equal(asText(await contentOf(play)), asText(model.content), `step ${number}`)
    }
    await compare(play)
  } finally {
    await server.close()
  }
}

describe('random edits, loads and restores', () => {
  for (const [at, store] of editedStores.entries()) {
    it(`are what a model says, catalogue in SQLite, store ${store}`, () => playAll(store, {}, 21 + at))
    it(`are what a model says, catalogue in PostgreSQL, store ${store}`, async () =>
      playAll(store, { TERRANE_DATABASE_URL: await createCatalogDatabase() }, 31 + at))
  }
})
