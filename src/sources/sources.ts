import type { Accounts } from '../access/index.ts'
import type { Catalog } from '../catalog/index.ts'
import type { Database } from '../core/db/connection.ts'
import { conflict, invalid } from '../core/errors/errors.ts'
import type { EventBus } from '../core/events/events.ts'
import type { Logger } from '../core/log/logger.ts'
import type { Vault } from '../core/secrets/vault.ts'
import { type Clock, now } from '../core/time/clock.ts'
import type { Importer } from '../importer/index.ts'
import type { ObtainDeps } from './changes/obtain.ts'
import type { RunDetails, RunRecord, RunTrigger } from './model/run.ts'
import { addressOf, checkName, loadsLayer, type SourceRecord, type SourceSettings } from './model/source.ts'
import { findProblem, type RecentRuns, type SourceProblem, type SourceState, stateOf } from './model/state.ts'
import {
  countOpenRuns,
  findRecentRuns,
  getRun,
  insertRun,
  listRuns,
  setOutcome,
} from './records/run-repository.ts'
import {
  deleteSource,
  findSource,
  getSource,
  insertSource,
  listSources,
  setCheck,
  setMemory,
  updateSource,
} from './records/source-repository.ts'
import { checkOwner } from './run/check-owner.ts'
import { endOf } from './run/drive-import.ts'
import { memoryAfter } from './run/execute-run.ts'
import { Runner } from './run/runner.ts'
import { correctNextRun, startScheduled, startWatched } from './run/start-due.ts'
import { nextWatched } from './run/watched.ts'
import { checkSchedule, isCron, isWatch, nextTime } from './schedule/schedule.ts'
import { readWatchedFiles } from './watch-files.ts'

const tickMs = 1000
/** Interval at which folders of other servers are listed. */
const remoteWatchMs = 60_000
const maxOpen = 2

/** Tells receivers about problems of a source: one alert for each source. */
export interface SourceAlerts {
  /** Creates or changes the alert of a source; returns its id. Throws `Failure` for invalid receivers. */
  save(checkId: number | undefined, source: { name: string; receivers: readonly string[] }): Promise<number>
  remove(checkId: number): Promise<void>
}

export interface SourcesDeps {
  database: Database
  catalog: Catalog
  importer: Importer
  users: Accounts['users']
  clock: Clock
  events: EventBus
  log: Logger
  vault: Vault
  obtaining: Omit<ObtainDeps, 'vault'>
  /** Folder for fetched files. */
  folder: string
  alerts: SourceAlerts
}

/** A source with its state. */
export interface SourceView {
  source: SourceRecord
  state: SourceState
  runs: RecentRuns
  problem?: SourceProblem
}

/** Settings of a source in a request; the password is in clear text. */
export interface SourceInput {
  settings: SourceSettings
  owner: string
  /** Absent: the stored password stays, if the address of the data is the same. */
  password?: string
}

/** A problem with its source. */
export interface NamedProblem extends SourceProblem {
  source: SourceRecord
}

/** Options of a run that a person or a program starts. */
export interface RunRequest extends Pick<RunDetails, 'recreates' | 'isComplete'> {
  trigger: RunTrigger
}

/** Imports that repeat: sources with schedules, and their runs. Entry point of `src/sources`. */
export class Sources {
  readonly #deps: SourcesDeps
  readonly #runner: Runner
  readonly #stopping = new AbortController()
  readonly #watching = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> | undefined
  #problems: NamedProblem[] = []
  #states: Partial<Record<SourceState, number>> = {}

  constructor(deps: SourcesDeps) {
    this.#deps = deps
    const { database, clock, events, log, importer, catalog, users, folder } = deps
    const obtaining = this.#obtaining()
    const executing = { importer, catalog, users, obtaining, folder }
    this.#runner = new Runner({ database, clock, events, log, executing })
  }

  /** Continues the runs of an earlier process, and begins to check for due runs. */
  start(): void {
    this.#runner.start()
    this.#timer = setInterval(() => void this.tick(), tickMs).unref()
    void this.tick()
  }

  /** Interrupts running runs; the next start continues them. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort(new Error('the server stops'))
    await this.#ticking
    await this.#runner.stop()
  }

  /** Starts what is due at the clock's time. Never throws. */
  async tick(): Promise<void> {
    this.#ticking ??= this.#tick()
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'sources could not be read'))
      .finally(() => {
        this.#ticking = undefined
      })
    await this.#ticking
  }

  /** Resolves when the runs of this server have ended. */
  settled(): Promise<void> {
    return this.#runner.settled()
  }

  /** Lists sources by name; with `layer` (`workspace:layer`) those that load it. */
  async list({ layer }: { layer?: string } = {}): Promise<SourceView[]> {
    const { database, catalog } = this.#deps
    const db = database.kysely
    const recent = await findRecentRuns(db)
    const workspace = layer === undefined ? '' : await catalog.workspaces.getDefaultName()
    return (await listSources(db))
      .filter((source) => layer === undefined || loadsLayer(source, layer, workspace))
      .map((source) => this.#view(source, recent.get(source.id) ?? {}))
  }

  /** Throws `Failure` (`notFound`). */
  async get(name: string): Promise<SourceView> {
    const db = this.#deps.database.kysely
    const source = await getSource(db, name)
    return this.#view(source, (await findRecentRuns(db)).get(source.id) ?? {})
  }

  /** Throws `Failure` for invalid settings, and `conflict` for a name that is in use. */
  async create(name: string, { settings, owner, password }: SourceInput): Promise<void> {
    const { database, vault } = this.#deps
    checkName(name)
    await this.#check(settings)
    if ((await findSource(database.kysely, name)) !== undefined)
      throw conflict('source-exists', `Source "${name}" already exists`)
    const sealedPassword = password === undefined ? '' : vault.seal(password)
    const nextRun = this.#nextRun(settings)
    const record = { name, owner, settings, sealedPassword, nextRun }
    const id = await insertSource(database.kysely, record, now(this.#deps))
    try {
      await this.#saveAlert({ id, name, settings, checkId: undefined })
    } catch (error) {
      await deleteSource(database.kysely, id)
      throw error
    }
  }

  /** Replaces the settings of a source. Throws `Failure`. */
  async change(name: string, { settings, owner, password }: SourceInput): Promise<void> {
    const { database, vault } = this.#deps
    const source = await getSource(database.kysely, name)
    await this.#check(settings)
    const isSamePlace = addressOf(settings) === addressOf(source.settings)
    const kept = isSamePlace ? source.sealedPassword : ''
    const sealedPassword = password === undefined ? kept : vault.seal(password)
    const isSameSchedule =
      JSON.stringify(settings.schedule) === JSON.stringify(source.settings.schedule) &&
      settings.enabled === source.settings.enabled
    const nextRun = isSameSchedule ? source.nextRun : this.#nextRun(settings)
    await this.#saveAlert({ ...source, settings })
    const changed = { ...source, owner, settings, sealedPassword, nextRun }
    await updateSource(database.kysely, changed, now(this.#deps))
  }

  /** Removes a source with its history; its layers stay. Throws `conflict` while it runs. */
  async remove(name: string): Promise<void> {
    const { database, alerts } = this.#deps
    const { source, runs } = await this.get(name)
    if (runs.open?.leaseOwner !== undefined)
      throw conflict('source-running', `Source "${name}" is running: delete it when the run has ended`)
    await deleteSource(database.kysely, source.id)
    if (source.checkId !== undefined) await alerts.remove(source.checkId)
  }

  /** Starts a run; it waits while another one runs. Throws `conflict` if one is waiting already. */
  async run(name: string, { trigger, ...details }: RunRequest): Promise<number> {
    return this.#addRun(name, trigger, details)
  }

  /** Lists the runs of a source, newest first. Throws `Failure` (`notFound`). */
  async runs(name: string, page: { limit: number; offset?: number }): Promise<RunRecord[]> {
    const { kysely } = this.#deps.database
    return listRuns(kysely, (await getSource(kysely, name)).id, page)
  }

  /** Throws `Failure` (`notFound`). */
  async getRun(name: string, id: number): Promise<RunRecord> {
    const { kysely } = this.#deps.database
    return getRun(kysely, (await getSource(kysely, name)).id, id)
  }

  /**
   * Accepts what stopped the last run: commits the stopped load, or starts a run that overwrites the changes of
   * others. Returns the run. Throws `conflict` if another run has ended since.
   */
  async accept(
    name: string,
    runId: number,
    { stopped, by, trigger, signal }: Acceptance,
  ): Promise<RunRecord> {
    const { database } = this.#deps
    const { source, runs } = await this.get(name)
    const run = await getRun(database.kysely, source.id, runId)
    if (run.outcome !== 'stopped' || runs.last?.id !== runId || runs.open !== undefined)
      throw conflict(
        'nothing-stopped',
        `Run ${runId} is not the last run of "${name}", or nothing stopped it`,
      )
    const missing = (run.stopped ?? []).filter(({ rule }) => !stopped.includes(rule)).map(({ rule }) => rule)
    if (missing.length > 0)
      throw invalid('not-accepted', `Run ${runId} was stopped by ${missing.join(', ')} too`)
    if (run.importId === undefined) {
      const id = await this.#addRun(name, trigger, { acceptsEdits: true })
      return getRun(database.kysely, source.id, id)
    }
    await this.#commitStopped(source, run, run.importId, { by, signal })
    return getRun(database.kysely, source.id, runId)
  }

  async #addRun(name: string, trigger: RunTrigger, details: RunDetails): Promise<number> {
    const { database } = this.#deps
    const source = await getSource(database.kysely, name)
    const at = now(this.#deps)
    const id = await database.transaction(async (db) => {
      if ((await countOpenRuns(db, source.id)) >= maxOpen)
        throw conflict('run-waiting', `A run of source "${name}" is already queued`)
      return insertRun(db, { sourceId: source.id, trigger, dueAt: at, details }, at)
    })
    void this.tick()
    return id
  }

  /** Problems as of the last tick. */
  problems(): readonly NamedProblem[] {
    return this.#problems
  }

  /** Numbers of sources by state, as of the last tick. */
  counts(): Readonly<Partial<Record<SourceState, number>>> {
    return this.#states
  }

  async #commitStopped(
    source: SourceRecord,
    run: RunRecord,
    importId: number,
    { by, signal }: Pick<Acceptance, 'by' | 'signal'>,
  ): Promise<void> {
    const { importer, database } = this.#deps
    await checkOwner(this.#deps.users, source)
    const tasks = new Set((run.stopped ?? []).flatMap(({ task }) => (task === undefined ? [] : [task])))
    for (const taskId of tasks) {
      const rules = (run.stopped ?? []).filter(({ task }) => task === taskId).map(({ rule }) => rule)
      const accepted = { stopped: rules, by }
      await importer.acceptStopped({ importId, taskId }, accepted, { isAsync: false, signal })
    }
    const end = await endOf({ importer }, { importId, run })
    const memory = memoryAfter(source.memory, run.pending, end)
    const lastSuccess = end.outcome === 'loaded' ? now(this.#deps) : memory.lastSuccess
    await database.transaction(async (db) => {
      await setOutcome(db, run.id, { ...end, acceptedBy: by })
      await setMemory(db, source.id, { ...memory, lastSuccess })
    })
  }

  async #tick(): Promise<void> {
    const { database, clock } = this.#deps
    const time = clock.now()
    const recent = await findRecentRuns(database.kysely)
    const sources = await listSources(database.kysely)
    for (const source of sources) {
      if (!source.settings.enabled) continue
      await correctNextRun(database, source, recent.get(source.id) ?? {}, time)
      await startScheduled(database, source, time)
      await this.#watch(source, time)
    }
    await this.#runner.claim()
    this.#note(sources, recent, time)
  }

  async #watch(source: SourceRecord, time: Date): Promise<void> {
    const { schedule, data } = source.settings
    if (!isWatch(schedule)) return
    if (data.type === 'remote') {
      const last = this.#watching.get(source.id)
      if (last !== undefined && Math.abs(time.getTime() - last) < remoteWatchMs) return
      this.#watching.set(source.id, time.getTime())
    }
    const { log, database } = this.#deps
    const files = await readWatchedFiles(this.#obtaining(), source, this.#stopping.signal).catch(
      (error: unknown) => {
        log.warn({ err: error, source: source.name }, 'a watched folder cannot be read')
        return undefined
      },
    )
    if (files === undefined) return
    const { quietSeconds } = schedule
    const step = nextWatched(source.watched, files, { now: time, quietSeconds })
    if (step !== undefined) await startWatched(database, source, step, time)
  }

  #note(sources: readonly SourceRecord[], recent: Map<number, RecentRuns>, time: Date): void {
    const states: Partial<Record<SourceState, number>> = {}
    const problems: NamedProblem[] = []
    for (const source of sources) {
      const runs = recent.get(source.id) ?? {}
      const state = stateOf(source, runs, time)
      states[state] = (states[state] ?? 0) + 1
      const problem = findProblem(source, runs, time)
      if (problem !== undefined) problems.push({ source, ...problem })
    }
    this.#states = states
    this.#problems = problems
  }

  #view(source: SourceRecord, runs: RecentRuns): SourceView {
    const time = this.#deps.clock.now()
    return { source, runs, state: stateOf(source, runs, time), problem: findProblem(source, runs, time) }
  }

  #obtaining(): ObtainDeps {
    return { ...this.#deps.obtaining, vault: this.#deps.vault }
  }

  #nextRun({ schedule, enabled }: SourceSettings): string | undefined {
    if (!enabled || !isCron(schedule)) return undefined
    return nextTime(schedule, this.#deps.clock.now())?.toISOString()
  }

  async #check(settings: SourceSettings): Promise<void> {
    const { catalog, clock } = this.#deps
    const { target, schedule, updateMode, keys, data } = settings
    checkSchedule(schedule, clock.now())
    const workspace = target.workspace ?? (await catalog.workspaces.getDefaultName())
    await catalog.workspaces.require(workspace)
    if (target.store !== undefined) await catalog.stores.require(workspace, target.store)
    if (updateMode === 'UPSERT' && (keys ?? []).length === 0)
      throw invalid('no-keys', 'A source with updateMode UPSERT needs "keys"')
    if (isWatch(schedule) && (data.type === 'service' || data.type === 'database'))
      throw invalid('invalid-schedule', 'Only files, folders and bucket prefixes can be watched')
    if (data.type === 'service' && data.incremental !== undefined && updateMode !== 'UPSERT')
      throw invalid('invalid-source', 'A source that reads incrementally needs updateMode UPSERT')
  }

  async #saveAlert({ id, name, settings, checkId }: AlertOf): Promise<void> {
    const { alerts, database } = this.#deps
    const saved = await alerts.save(checkId, { name, receivers: settings.receivers })
    if (saved !== checkId) await setCheck(database.kysely, id, saved)
  }
}

type AlertOf = Pick<SourceRecord, 'id' | 'name' | 'settings' | 'checkId'>

/** A user's confirmation that the change which stopped a run is intended. */
export interface Acceptance {
  stopped: readonly string[]
  by: string
  trigger: RunTrigger
  signal: AbortSignal
}
