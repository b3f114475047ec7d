import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '../importer-client.ts'
import type { TestServer } from '../server.ts'
import { startServer } from '../server.ts'
import type { Cleanup } from '../terrane-process.ts'
import { patience } from '../until.ts'
import type { VersionResponse } from '../version-client.ts'
import { keptTables, knownStates, startWithStore } from './loads.ts'
import type { Change, Mode, Model } from './point-rows.ts'
import { countsBetween, expectedRows, firstModel, modelAfter, nextSource, writeModel } from './point-rows.ts'
import type { KillReport, KillSession, Moment } from './session.ts'
import { endImport, killAt, momentOf, nameOf, seededRandom, shownCount } from './session.ts'
import { shownPoints } from './shown-points.ts'
import type { KillTarget, PointRow } from './targets.ts'

const rows = 4000
const layer = 'places'

/** Operation of the server at the time of the kill. */
const works = ['run', 'dryRun', 'taking up', 'stopped run', 'accept'] as const
type Work = (typeof works)[number]

interface Round extends Change {
  number: number
  work: Work
  before: Model
  after: Model
}

/** Combines every kind of operation with every load mode, one after the other. */
function planRound(number: number, before: Model, random: () => number): Round {
  const work = works[number % works.length] ?? 'run'
  const isLimited = work === 'stopped run' || work === 'accept'
  const modes: Mode[] = isLimited
    ? ['UPSERT', 'UPSERT', 'REPLACE']
    : ['UPSERT', 'UPSERT', 'REPLACE', 'APPEND']
  const turn = (number + Math.floor(number / works.length)) % modes.length
  const mode = modes[turn] ?? 'UPSERT'
  const deleteMissing = mode === 'UPSERT' && turn === 1
  const source = nextSource(before, number + 1, mode, random)
  const change = { mode, deleteMissing, source }
  return { ...change, number, work, before, after: modelAfter(before, change) }
}

/** One layer across all restarts of its server, and the expected content of its versions. */
class KilledLayer {
  readonly target: KillTarget
  readonly #dataDir: string
  readonly #versions = new Map<number, Model>()
  #server: TestServer
  readonly #restart: () => Promise<TestServer>
  readonly #random: () => number
  #tookMs = 0
  readonly report: KillReport = { before: 0, after: 0 }

  constructor(
    t: Cleanup,
    started: { dataDir: string; server: TestServer; target: KillTarget },
    random: () => number,
  ) {
    this.target = started.target
    this.#dataDir = started.dataDir
    this.#server = started.server
    this.#restart = () => startServer(t, started.dataDir)
    this.#random = random
    mkdirSync(join(this.#dataDir, 'incoming'), { recursive: true })
  }

  async create(model: Model): Promise<void> {
    const id = await this.#prepare('first', model, { updateMode: 'CREATE' })
    const began = performance.now()
    await this.#server.call('POST', `/rest/imports/${id}`)
    this.#tookMs = performance.now() - began
    this.#versions.set(1, model)
    await this.#assertRows(model, 'after the first load')
  }

  async round(round: Round, session: KillSession): Promise<void> {
    const { number, work, mode, deleteMissing, source, before, after } = round
    const where = `kill ${number}, ${work} of ${mode}${deleteMissing ? ' that deletes' : ''}`
    const isLimited = work === 'stopped run' || work === 'accept'
    const fids = await this.#fids()
    const id = await this.#prepare(`g${number}`, source, {
      updateMode: mode,
      ...(mode === 'APPEND' ? {} : { keys: ['gid'] }),
      ...(mode === 'UPSERT' ? { deleteMissing } : {}),
      ...(isLimited ? { stopIf: { changed: { rows: 1 } } } : {}),
    })
    if (work === 'taking up') await this.#performDryRun(id, round, where)
    if (work === 'accept') await this.#stop(id, before, where)
    const moment = this.#moment(number, session, work)
    const reported = `${where}, ${nameOf(moment)}`
    await this.#kill(id, moment, work, round, reported)
    // One server in three is killed once more while it recovers from the first kill.
    if (this.#random() < 0.33) await this.#killAgain(round, `${reported}, and again`)
    await this.#finish(id, work, round, reported)
    await this.#assertRows(after, reported)
    if (mode === 'UPSERT') await this.#assertSameIds(fids, reported)
    await this.#assertVersion(id, round, reported)
    await this.#assertClean(id, reported)
  }

  /**
   * Checks that every version that can be restored has its original content, before and after one more start.
   */
  async end(): Promise<void> {
    const versions = await this.#listVersions()
    for (const { version, restorable, reason } of versions) {
      const isPresent = version === versions[0]?.version
      assert.ok(restorable || isPresent, `version ${version} cannot come back: ${reason}`)
      const shown = await this.#shownAt(version)
      const meant = expectedRows(this.#versions.get(version) ?? new Map())
      assert.deepEqual(
        shown,
        meant.map(({ gid, name }) => `${gid} ${name}`),
        `version ${version} is not what it was`,
      )
    }
    await this.#server.stop()
    this.#server = await this.#restart()
    await this.target.assertKept(knownStates(this.#dataDir))
    await this.#server.stop()
  }

  async #prepare(file: string, model: Model, task: object): Promise<number> {
    writeModel(join(this.#dataDir, 'incoming', `${file}.shp`), model)
    const { name } = this.target
    const created = await this.#server.call('POST', '/rest/imports', {
      import: {
        targetWorkspace: { workspace: { name } },
        targetStore: { dataStore: { name } },
        data: { type: 'file', file: `${file}.shp` },
      },
    })
    assert.equal(created.status, 201, created.text)
    const id = Number(created.json.import?.id)
    const put = await this.#server.call('PUT', `/rest/imports/${id}/tasks/0`, {
      task: { ...task, layer: { name: layer, nativeName: layer } },
    })
    assert.equal(put.status, 200, put.text)
    return id
  }

  #moment(number: number, session: KillSession, work: Work): Moment {
    if (work === 'run' || work === 'taking up' || work === 'accept') {
      const moment = momentOf(Math.floor(this.#random() * session.kills), session, this.#random, this.#tookMs)
      return number === 0 ? { isAboutCommit: true, ms: moment.ms } : moment
    }
    return { isAboutCommit: false, ms: this.#random() * this.#tookMs * 1.2 }
  }

  async #kill(id: number, moment: Moment, work: Work, round: Round, where: string): Promise<void> {
    const body = { stopped: ['changed'] }
    if (work === 'accept') await killAt(this.#server, id, moment, { path: '/tasks/0/accept', body })
    else if (work === 'dryRun') await killAt(this.#server, id, moment, { path: '/dry-run' })
    else await killAt(this.#server, id, moment)
    const found = await this.#assertEither(round, where)
    this.report[found] += 1
    const touchesNothing = work === 'dryRun' || work === 'stopped run'
    if (touchesNothing) assert.equal(found, 'before', `${where}: the layer was changed`)
    this.#server = await this.#restart()
    const shown = await shownCount(this.#server, `${this.target.name}:${layer}`)
    assert.ok([round.before.size, round.after.size].includes(shown), `${where}: ${shown} features are shown`)
  }

  async #killAgain(round: Round, where: string): Promise<void> {
    await sleep(this.#random() * this.#tookMs)
    await this.#server.kill()
    await this.#assertEither(round, where)
    this.#server = await this.#restart()
  }

  async #assertEither({ before, after }: Round, where: string): Promise<'before' | 'after'> {
    const found = await this.#rows()
    if (isSame(found, expectedRows(before))) return 'before'
    assert.ok(
      isSame(found, expectedRows(after)),
      `${where}: ${found.length} rows are neither the old nor the new`,
    )
    return 'after'
  }

  /** Completes an interrupted operation, as a client that repeats a request which was not recorded. */
  async #finish(id: number, work: Work, round: Round, where: string): Promise<void> {
    if (work === 'dryRun') await this.#performDryRun(id, round, where)
    if (work === 'stopped run') await this.#stop(id, round.before, where)
    if (work === 'stopped run' || work === 'accept') {
      const { accepted, state } = await this.#endedTask(id)
      // The word for a load is lost with it where its layer seems to be another since.
      const isLost = String(state) === 'ERROR'
      if (accepted === undefined || isLost) {
        const path = `/rest/imports/${id}/tasks/0/accept`
        const { status, text } = await this.#server.call('POST', path, { stopped: ['changed'] })
        assert.equal(status, 200, `${where}: ${text}`)
      }
      const { state: ended, tasks } = await this.#server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'])
      assert.equal(ended, 'COMPLETE', `${where}: ${JSON.stringify(tasks)}`)
    } else await endImport(this.#server, id, where)
  }

  async #endedTask(id: number): Promise<Json> {
    const { tasks } = await this.#server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'])
    return (tasks?.[0] ?? {}) as Json
  }

  /** Waits for the dry run of an import, and requests it if the server has none. */
  async #performDryRun(id: number, { before, after, mode }: Round, where: string): Promise<void> {
    const path = `/rest/imports/${id}/dry-run`
    if ((await this.#server.call('GET', path)).status === 404) await this.#server.call('POST', path)
    const found = await this.#server.importIn(id, ['PENDING', 'READY', 'COMPLETE', 'COMPLETE_ERROR'])
    assert.ok(['PENDING', 'READY'].includes(String(found.state)), `${where}: ${JSON.stringify(found)}`)
    const { json, text } = await this.#server.call('GET', path)
    assert.equal(String(json.dryRun?.state), 'COMPLETE', `${where}: ${text}`)
    const { added, changed, removed } = (json.dryRun?.tasks?.[0]?.changes ?? {}) as Json
    const { same: _, ...counts } = countsBetween(before, after)
    if (mode !== 'APPEND') assert.deepEqual({ added, changed, removed }, counts, `${where}: ${text}`)
    await this.#assertRows(before, `${where}, after the dry run`)
  }

  /** Waits until limits have stopped a run, and requests the run if the server has none. */
  async #stop(id: number, before: Model, where: string): Promise<void> {
    const state = String((await this.#server.call('GET', `/rest/imports/${id}`)).json.import?.state)
    if (state === 'PENDING' || state === 'READY') await this.#server.call('POST', `/rest/imports/${id}`)
    const task = await this.#endedTask(id)
    assert.equal(String(task.errorCode), 'stopped', `${where}: ${JSON.stringify(task)}`)
    await this.#assertRows(before, `${where}, after it was stopped`)
  }

  async #rows(): Promise<Omit<PointRow, 'fid'>[]> {
    return (await this.target.points(layer)).map(({ gid, name, point }) => ({ gid, name, point }))
  }

  async #fids(): Promise<Map<number, number>> {
    return new Map((await this.target.points(layer)).map(({ gid, fid }) => [gid, fid]))
  }

  async #assertRows(model: Model, where: string): Promise<void> {
    assert.ok(
      isSame(await this.#rows(), expectedRows(model)),
      `${where}: the layer is not what it is meant to be`,
    )
  }

  /** Rows that stay keep their ids; no id is given twice. */
  async #assertSameIds(before: Map<number, number>, where: string): Promise<void> {
    for (const [gid, fid] of await this.#fids()) {
      const was = before.get(gid)
      assert.ok(was === undefined || was === fid, `${where}: place ${gid} was ${was} and is ${fid}`)
    }
  }

  async #listVersions(): Promise<VersionResponse[]> {
    const path = `/rest/layers/${this.target.name}:${layer}/versions`
    const { status, json, text } = await this.#server.call('GET', path)
    assert.equal(status, 200, text)
    return (json as unknown as { versions: VersionResponse[] }).versions
  }

  /** Asserts that the load created one version, with the changes to the layer. */
  async #assertVersion(id: number, { mode, before, after }: Round, where: string): Promise<void> {
    const all = await this.#listVersions()
    const come = all.filter(({ version }) => !this.#versions.has(version))
    const reported = `${where}: ${JSON.stringify(come)}`
    assert.deepEqual(
      come.map((one) => [one.cause, one.import, one.mode]),
      [['import', id, mode]],
      reported,
    )
    const [{ version = 0, rows: count = null, changes = null } = {}] = come
    assert.ok(count === null || count === after.size, reported)
    this.#versions.set(version, after)
    if (mode !== 'UPSERT') return
    const { same: _, ...counts } = countsBetween(before, after)
    const { added, changed, removed } = changes ?? {}
    assert.deepEqual({ added, changed, removed }, counts, reported)
    const { text } = await this.#server.call('GET', `/rest/imports/${id}/tasks/0/changes?format=csv`)
    const listed = text.trim().split(/\r?\n/).length - 1
    assert.equal(
      listed,
      counts.added + (counts.changed ?? 0) + counts.removed,
      `${where}: ${text.slice(0, 300)}`,
    )
  }

  /** Asserts that no staged rows are left in the store, and no list of a dry run that was used. */
  async #assertClean(id: number, where: string): Promise<void> {
    await this.target.assertClean([layer], keptTables(this.#dataDir))
    // A start removes unknown states in the background.
    for (const hasTime = patience(); ; ) {
      try {
        await this.target.assertKept(knownStates(this.#dataDir))
        break
      } catch (error) {
        if (!hasTime()) throw error
        await sleep(100)
      }
    }
    for (const folder of [`sides/changes-${id}`, `rejects/${id}`]) {
      const path = join(this.#dataDir, folder)
      const left = existsSync(path) ? readdirSync(path).filter((name) => name.includes('trial')) : []
      assert.deepEqual(left, [], `${where}: left in ${folder}`)
    }
  }

  async #shownAt(version: number): Promise<string[]> {
    const shown = await shownPoints(this.#server, `${this.target.name}:${layer}`, version)
    return shown.map(({ properties: { gid, name } }) => `${gid} ${name}`)
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Kills servers while they run loads, run dry runs, reuse the rows of a dry run, are stopped by limits, or
 * accept a stopped load. All loads go to one layer, which is compared with a model in memory, as are its
 * versions.
 */
export async function killChanges(t: Cleanup, type: string, session: KillSession): Promise<KillReport> {
  const random = seededRandom(session.seed)
  const killed = new KilledLayer(t, await startWithStore(t, type), random)
  let model = firstModel(rows)
  await killed.create(model)
  // Short sessions begin at different kinds of work.
  const first = session.seed % works.length
  for (let number = first; number < first + session.kills; number += 1) {
    const round = planRound(number, model, random)
    await killed.round(round, session)
    model = round.after
  }
  await killed.end()
  return killed.report
}
