import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCatalogDatabase } from '../catalog-database.ts'
import type { TestServer } from '../server.ts'
import type { Cleanup } from '../terrane-process.ts'
import { temporaryData } from '../terrane-process.ts'
import { patienceMs } from '../until.ts'
import type { VersionResponse } from '../version-client.ts'
import { killTargets, knownStates } from './loads.ts'
import { MortalServer } from './mortal-server.ts'
import type { Model } from './point-rows.ts'
import {
  expectedFeatures,
  expectedRows,
  featureOf,
  firstModel,
  modelAfter,
  nextSource,
  writeModel,
} from './point-rows.ts'
import type { KillReport, KillSession } from './session.ts'
import { endImport, seededRandom } from './session.ts'
import { shownPoints } from './shown-points.ts'
import type { KillTarget } from './targets.ts'
import type { Deed, Round } from './version-rounds.ts'
import { allRounds, inOrder, nameOf } from './version-rounds.ts'

const rows = 120
const layer = 'places'
/**
 * If the catalogue is in PostgreSQL, another server takes over the work of a killed one after some 15
 * seconds.
 */
/** Expected state of a layer at a version. */
interface State {
  model: Model
  /** Number of the style document that draws it. */
  style: number
}

/** Server to kill, and its stores. */
export interface VersionSetting {
  type: string
  hasView: boolean
  catalogue: 'SQLite' | 'PostgreSQL'
}

const styleOf = (number: number): object => ({
  version: 8,
  name: `style ${number}`,
  sources: {},
  layers: [{ id: 'all', type: 'circle', source: 's', paint: { 'circle-radius': 1 + number } }],
})

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** One layer across all restarts of its server, and a model of each of its versions in memory. */
class VersionedLayer {
  readonly server: MortalServer
  readonly #target: KillTarget
  readonly #dataDir: string
  readonly #random: () => number
  readonly #states = new Map<number, State>()
  readonly #hasView: boolean
  #number = 0
  #last = 0

  constructor(parts: {
    server: MortalServer
    target: KillTarget
    dataDir: string
    hasView: boolean
    random: () => number
  }) {
    this.server = parts.server
    this.#target = parts.target
    this.#dataDir = parts.dataDir
    this.#hasView = parts.hasView
    this.#random = parts.random
  }

  get #now(): State {
    const state = this.#states.get(this.#last)
    if (state === undefined) throw new Error(`Nothing is known of version ${this.#last}`)
    return state
  }

  get #path(): string {
    return `/rest/layers/${this.#target.name}:${layer}`
  }

  /** Creates the layer with its style, a second version, and the view that depends on the layer. */
  async begin(): Promise<void> {
    const { name, definition } = this.#target
    mkdirSync(join(this.#dataDir, 'incoming'), { recursive: true })
    await this.server.start()
    await this.#expect(201, 'POST', '/rest/workspaces', { workspace: { name } })
    await this.#expect(201, 'POST', `/rest/workspaces/${name}/datastores`, { dataStore: definition })
    const id = await this.#prepare(firstModel(rows), { updateMode: 'CREATE' })
    await endImport(this.#server, id, 'the first load')
    const style = { name: 'own', format: 'maplibre', document: styleOf(0) }
    await this.#expect(201, 'POST', `/rest/workspaces/${name}/styles`, { style })
    await this.#expect(200, 'PUT', this.#path, { layer: { defaultStyle: { name: 'own' } } })
    if (this.#hasView) {
      await this.server.stop()
      await this.#target.addView(layer)
      await this.server.start()
      await this.#expect(200, 'POST', `${this.#path}/refresh`)
    }
    const versions = await this.#versions()
    this.#last = versions[0]?.version ?? 0
    for (const { version } of versions) this.#states.set(version, { model: firstModel(rows), style: 0 })
    for (const { version, style, restorable } of versions)
      if (style !== 'own' || (!restorable && version !== this.#last)) this.#states.delete(version)
    await this.#loadUnharmed('the second load')
  }

  /** Creates another version by a load without a kill. */
  #loadUnharmed(where: string): Promise<void> {
    return this.#load({ kind: 'load', mode: 'REPLACE', deleteMissing: false }, () => Promise.resolve(), where)
  }

  /** Does the deed of a round with its kills; gives whether the server died. */
  async round(round: Round): Promise<boolean> {
    const where = `${this.#number}: ${nameOf(round)}`
    let isDead = false
    const kill = async (work: () => Promise<unknown>): Promise<void> => {
      isDead = await this.server.dieAt(round.step, work)
      if (isDead) await this.server.start(round.again)
    }
    const { deed } = round
    if (deed.kind === 'load') await this.#load(deed, kill, where)
    else if (deed.kind === 'restore') await this.#restore(deed, kill, where)
    else if (deed.kind === 'style') await this.#style(kill, where)
    else if (deed.kind === 'edit') await this.#edit(kill, where)
    else if (deed.kind === 'remove') await this.#remove(kill, where)
    else await this.#prune(kill, where)
    await this.compare(where)
    return isDead
  }

  /** Asserts that the layer, its store and every stored version match the model. */
  async compare(where: string): Promise<void> {
    const { model } = this.#now
    const found = (await this.#target.points(layer)).map(({ gid, name, point }) => ({ gid, name, point }))
    assert.ok(isSame(found, expectedRows(model)), `${where}: the table is another than the model`)
    if (this.#hasView) assert.equal(await this.#target.viewCount(layer), model.size, `${where}: the view`)
    const versions = await this.#versions()
    assert.equal(versions[0]?.version, this.#last, `${where}: ${JSON.stringify(versions[0])}`)
    for (const { version, restorable, reason } of versions) {
      const state = this.#states.get(version)
      if (state === undefined) continue
      if (version !== this.#last) assert.ok(restorable, `${where}: version ${version} is lost: ${reason}`)
      const shown = await this.#shownAt(version)
      assert.ok(
        isSame(shown, expectedFeatures(state.model)),
        `${where}: version ${version} is another than the model`,
      )
    }
    for (const known of this.#states.keys())
      assert.ok(
        versions.some(({ version }) => version === known),
        `${where}: version ${known} is not told`,
      )
    assert.equal(await this.#presentStyle(), this.#now.style, `${where}: the style`)
  }

  /** Asserts that the store contains no states that the catalogue does not know. */
  async end(isKnown: boolean): Promise<void> {
    await this.server.stop()
    if (isKnown) await this.#target.assertKept(knownStates(this.#dataDir))
  }

  get #server(): TestServer {
    return this.server.now
  }

  async #expect(status: number, method: string, path: string, body?: unknown) {
    const answer = await this.#server.call(method, path, body)
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`)
    return answer
  }

  async #prepare(model: Model, task: object): Promise<number> {
    this.#number += 1
    const file = `g${this.#number}.shp`
    writeModel(join(this.#dataDir, 'incoming', file), model)
    const { name } = this.#target
    const created = await this.#expect(201, 'POST', '/rest/imports', {
      import: {
        targetWorkspace: { workspace: { name } },
        targetStore: { dataStore: { name } },
        data: { type: 'file', file },
      },
    })
    const id = Number(created.json.import?.id)
    const expected = { ...task, layer: { name: layer, nativeName: layer } }
    await this.#expect(200, 'PUT', `/rest/imports/${id}/tasks/0`, { task: expected })
    return id
  }

  async #load(
    deed: Extract<Deed, { kind: 'load' }>,
    kill: (work: () => Promise<unknown>) => Promise<void>,
    where: string,
  ): Promise<void> {
    const { mode, deleteMissing } = deed
    const before = this.#now
    const source = nextSource(before.model, this.#number + 1, mode, this.#random)
    const id = await this.#prepare(source, {
      updateMode: mode,
      ...(mode === 'UPSERT' ? { keys: ['gid'], deleteMissing } : {}),
    })
    await kill(() => this.#server.call('POST', `/rest/imports/${id}`))
    await endImport(this.#server, id, where)
    await this.#take(
      ['import'],
      { ...before, model: modelAfter(before.model, { mode, deleteMissing, source }) },
      where,
    )
  }

  async #restore(
    { what }: Extract<Deed, { kind: 'restore' }>,
    kill: (work: () => Promise<unknown>) => Promise<void>,
    where: string,
  ): Promise<void> {
    // Nothing is left to go back to where everything has just been pruned.
    if (this.#states.size === 1) await this.#loadUnharmed(`${where}, the load before it`)
    const choices = [...this.#states.keys()].filter((version) => version !== this.#last)
    const chosen = choices[Math.floor(this.#random() * choices.length)] ?? 0
    const state = this.#states.get(chosen)
    assert.ok(state !== undefined)
    const url = `${this.#path}/versions/${chosen}/restore`
    await kill(() => this.#server.call('POST', url, { what }))
    await this.#waitForVersion(`${where}, to ${chosen}`)
    const { model, style } = { ...this.#now, ...(what.includes('data') ? { model: state.model } : {}) }
    await this.#take(
      ['restore'],
      { model, style: what.includes('style') ? state.style : style },
      `${where}, to ${chosen}`,
    )
  }

  async #style(kill: (work: () => Promise<unknown>) => Promise<void>, where: string): Promise<void> {
    const number = this.#now.style + 1 + this.#states.size
    const name = await this.#styleName()
    const put = () =>
      this.#server.call('PUT', `/rest/workspaces/${this.#target.name}/styles/${name}`, {
        style: { format: 'maplibre', document: styleOf(number) },
      })
    await kill(put)
    assert.equal(await this.#presentStyle(), this.#now.style, `${where}: half of a change is there`)
    await put()
    await this.#take(['style'], { ...this.#now, style: number }, where)
  }

  /** Consecutive edits form one version. */
  async #edit(kill: (work: () => Promise<unknown>) => Promise<void>, where: string): Promise<void> {
    const before = this.#now
    const last = this.#last
    const gids = [...before.model.keys()]
    const gid = gids[Math.floor(this.#random() * gids.length)] ?? 0
    this.#number += 1
    const model = new Map(before.model).set(gid, this.#number)
    const items = `/ogc/collections/${this.#target.name}:${layer}/items`
    const { json } = await this.#expect(200, 'GET', `${items}?limit=1&filter=gid%3D${gid}`)
    const [feature] = (json as unknown as { features: { id: number }[] }).features
    const patch = () => this.#server.call('PATCH', `${items}/${feature?.id}`, featureOf(gid, this.#number))
    await kill(patch)
    const shown = await this.#shownAt()
    if (isSame(shown, expectedFeatures(before.model))) {
      const answer = await patch()
      assert.ok(answer.status < 300, `${where}: ${answer.text}`)
    } else assert.ok(isSame(shown, expectedFeatures(model)), `${where}: half of an edit is there`)
    await this.#take(['edit'], { ...before, model }, where)
    if ((await this.#versions()).every(({ version }) => version !== last)) this.#states.delete(last)
  }

  async #remove(kill: (work: () => Promise<unknown>) => Promise<void>, where: string): Promise<void> {
    const state = this.#now
    await kill(() => this.#server.call('DELETE', `${this.#path}?recurse=true`))
    const [deleted] = await this.#versions()
    assert.equal(deleted?.cause, 'delete', `${where}: ${JSON.stringify(deleted)}`)
    assert.equal(
      await this.#target.content?.(layer).catch(() => undefined),
      undefined,
      `${where}: the table is there`,
    )
    const back = await this.#server.call('POST', `${this.#path}/versions/${deleted.version}/restore`, {})
    assert.equal(back.status, 200, `${where}: ${back.text}`)
    await this.#take(['delete', 'restore'], state, where)
  }

  async #prune(kill: (work: () => Promise<unknown>) => Promise<void>, where: string): Promise<void> {
    const [oldest] = [...this.#states.keys()].filter((version) => version !== this.#last)
    if (oldest === undefined) return
    await kill(() => this.#server.call('DELETE', `${this.#path}/versions/${oldest}`))
    this.#states.delete(oldest)
    const versions = await this.#versions()
    assert.ok(
      !versions.some(({ version }) => version === oldest),
      `${where}: version ${oldest} is still told`,
    )
  }

  /** The versions that have come are these, and hold a state. */
  async #take(causes: string[], state: State, where: string): Promise<void> {
    const come = (await this.#versions()).filter(({ version }) => version > this.#last).reverse()
    assert.deepEqual(
      come.map(({ cause }) => cause),
      causes,
      `${where}: ${JSON.stringify(come)}`,
    )
    for (const { version } of come) this.#states.set(version, state)
    this.#last = come.at(-1)?.version ?? 0
  }

  /** A restore that was requested continues after a restart. */
  async #waitForVersion(where: string): Promise<void> {
    const deadline = performance.now() + patienceMs
    while (((await this.#versions())[0]?.version ?? 0) <= this.#last) {
      assert.ok(performance.now() < deadline, `${where}: it has not come back`)
      await sleep(50)
    }
  }

  async #versions(): Promise<VersionResponse[]> {
    const { json } = await this.#expect(200, 'GET', `${this.#path}/versions`)
    return (json as unknown as { versions: VersionResponse[] }).versions
  }

  async #styleName(): Promise<string> {
    const { json } = await this.#expect(200, 'GET', this.#path)
    const shown = json as unknown as { layer: { defaultStyle: { name: string } } }
    return shown.layer.defaultStyle.name
  }

  async #presentStyle(): Promise<number> {
    const path = `/rest/workspaces/${this.#target.name}/styles/${await this.#styleName()}.mbstyle`
    const { json } = await this.#expect(200, 'GET', path)
    return Number(/\d+/.exec(String((json as unknown as { name: string }).name))?.[0])
  }

  async #shownAt(version?: number): Promise<string[]> {
    const shown = await shownPoints(this.#server, `${this.#target.name}:${layer}`, version)
    return shown.map(({ properties: { gid, name }, geometry }) =>
      [gid, name, ...geometry.coordinates].join(' '),
    )
  }
}

/**
 * Kills servers at named steps of what they do to a layer: loads, restores, changes of its style, deletions, prunings. After
 * each kill every version is compared with a model in memory.
 */
export async function killVersions(
  t: Cleanup,
  { type, hasView, catalogue }: VersionSetting,
  { seed, kills }: KillSession,
): Promise<KillReport> {
  const dataDir = temporaryData(t)
  const random = seededRandom(seed)
  const env: Record<string, string> =
    catalogue === 'SQLite' ? {} : { TERRANE_DATABASE_URL: await createCatalogDatabase() }
  const target = await killTargets[type]?.(dataDir)
  assert.ok(target !== undefined)
  const locks = type === 'PostGIS'
  const rounds = inOrder(allRounds({ locks, canRemove: !(locks && hasView) }), random).slice(0, kills)
  const server = new MortalServer(t, dataDir, env)
  const killed = new VersionedLayer({ server, target, dataDir, hasView, random })
  await killed.begin()
  const report: KillReport = { before: 0, after: 0 }
  for (const round of rounds) report[(await killed.round(round)) ? 'after' : 'before'] += 1
  await killed.end(catalogue === 'SQLite')
  return report
}
