import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { Rounds } from '../../core/concurrency/rounds.ts'
import { isSharedWithOthers } from '../../core/db/broadcast.ts'
import type { Database, Queryable } from '../../core/db/connection.ts'
import { findOutage } from '../../core/db/errors.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { startLimit } from '../../core/time/wait-limit.ts'
import { without } from '../../core/values/defined.ts'
import { onServerChange, type TableState } from '../../stores/index.ts'
import type { LayerDetails, LayerRecord, VersionCause } from '../records.ts'
import { isChanging } from '../rows/changing-layers.ts'
import { findLayerById } from '../rows/layer-rows.ts'
import { succeedOutside } from '../versions/contents.ts'
import { recordVersions } from '../versions/record-versions.ts'
import { RowLookup } from './row-lookup.ts'

/**
 * Maximum wait of a request for reading the external state, and of a request that only does that, in
 * milliseconds.
 */
const waitMs = 1000
const refreshTimeoutMs = 15_000
/** Time after which reading the state is aborted; no request waits this long. */
const readMs = 120_000
/**
 * Time for which a state is valid, in milliseconds; with slow stores reading states takes at most a tenth of
 * the time.
 */
const usualRestMs = 5
const slowMs = 100
const restFactor = 10
const longestRestMs = 5000
const rememberedLooks = 10_000
/**
 * Another server announces its changes of a file after making them, and again after this time, since this
 * server may have overwritten the first announcement in the meantime.
 */
const tellAgainMs = 1000
/** A changed file that no server has noted as its own change for this time was changed by another program. */
const unexplainedMs = 3000
const unexplainedRestMs = 100

/** Returns the external state of the data of a layer; undefined if it cannot be determined. */
export type ReadState = (layer: LayerRecord, signal: AbortSignal) => Promise<TableState | undefined>

/**
 * Version of a layer. Without `seen` it is unknown whether another client has written; responses must then
 * not be cached.
 */
export interface LayerVersion {
  version: number
  isCurrent: boolean
  /** External state of the data, if it is the one recorded for this version. */
  seen?: string
}

/** State of the data of a layer, read by the reader of the data after it finished. */
export interface StateReading {
  /** The `text` of the state. */
  seen: string
  /**
   * Time of the data query by `performance.now()`, before the state was read. Absent if the data cannot be
   * from another state.
   */
  requestedMs?: number
}

interface LastReading {
  /** Version of the layer: after a change by Terrane the state is read again. */
  version: number
  state: Promise<TableState | undefined>
  /** The same, but aborted after the maximum wait of a request. */
  soon: Promise<TableState | undefined>
  /** Time until which the state is valid; infinite while it is being read. */
  until: number
  /** True if reading has ended, so that no request must wait for it. */
  isDone: boolean
  /** The state, once it is read. */
  seen?: TableState
}

/** A layer whose file has changed without an announcement by a server so far. */
interface Unexplained {
  version: number
  seenState: string
  sinceMs: number
}

interface LayerVersionsDeps {
  database: Database
  clock: Clock
  storesFolder: string
}

/** Determines versions of layers, and increments a version if another program has changed the data. */
export class LayerVersions {
  readonly #database: Database
  readonly #layers: RowLookup<LayerRecord | undefined>
  readonly #readState: ReadState
  readonly #clock: Clock
  readonly #readings = new Map<number, LastReading>()
  readonly #rows = new Rounds<number, LayerRecord | undefined>()
  readonly #confirmations = new Rounds<number, LayerVersion | undefined>()
  /** Records states of files after changes by Terrane, so that they are known after a restart. */
  #noting: Promise<unknown> = Promise.resolve()
  readonly #stopHearing: () => void
  /** States of files before and after such changes. */
  readonly #ownChanges = new Map<string, string>()
  /** States before changes that must be recorded again. */
  #tellAgain = new Set<string>()
  readonly #unexplained = new Map<number, Unexplained>()

  constructor({ database, clock, storesFolder }: LayerVersionsDeps, readState: ReadState) {
    this.#database = database
    this.#layers = new RowLookup(database, findLayerById)
    this.#clock = clock
    this.#readState = readState
    this.#stopHearing = onServerChange(async ({ path, from, to }) => {
      if (isCopy(path, storesFolder)) return
      this.#remember(this.#ownChanges, from, to)
      if (this.#database.writes() === undefined) this.#noteAgain(from)
      await this.#note(from, to)
    })
  }

  async #note(from: string, to: string): Promise<void> {
    this.#noting = this.#noting
      .then(() => recordOwnChange(this.#database.kysely, from, to))
      .catch(() => undefined)
    await this.#noting
  }

  #noteAgain(from: string): void {
    this.#tellAgain.add(from)
    if (this.#tellAgain.size > 1) return
    const tell = (): void => {
      const states = this.#tellAgain
      this.#tellAgain = new Set()
      for (const state of states) void this.#note(state, this.#nowOf(state))
    }
    setTimeout(tell, tellAgainMs).unref()
  }

  async close(): Promise<void> {
    this.#stopHearing()
    await this.#noting
  }

  /** Returns the present version, with an external state that is at most moments old; never waits long. */
  async of(layer: LayerRecord): Promise<LayerVersion> {
    const reading = this.#fresh(layer) ?? this.#begin(layer)
    const same = this.#asBefore(layer, reading.seen)
    if (same !== undefined) return same
    const state = await (reading.isDone ? reading.state : reading.soon).catch(() => undefined)
    try {
      return await this.#settle(layer, state)
    } catch (error) {
      // If the state cannot be stored, the request continues without caching.
      if (findOutage(error)?.code !== 'disk-full') throw error
      return { version: layer.version, isCurrent: false }
    }
  }

  /**
   * True if data read since `before` was returned belong to that version only, according to the layer's row
   * and the external state. Both are read after the call, and concurrent calls share the reads; if `after`
   * equals the earlier state, it is used instead of reading again.
   */
  async isStill(
    layer: Pick<LayerRecord, 'id'>,
    before: LayerVersion,
    after?: StateReading,
  ): Promise<boolean> {
    if (!before.isCurrent) return false
    if (after !== undefined && after.seen === before.seen && (await this.#isSame(layer.id, before))) {
      this.#prolong(layer.id, before, after)
      return true
    }
    const now = await this.#confirmations.join(layer.id, () => this.#present(layer.id)).catch(() => undefined)
    return now?.isCurrent === true && now.version === before.version
  }

  /**
   * True if the row of the layer is unchanged. A running change by Terrane replaces the recorded state in the
   * row.
   */
  async #isSame(id: number, { version, seen }: LayerVersion): Promise<boolean> {
    const read = (): Promise<LayerRecord | undefined> => this.#layers.get(id)
    // If no other process writes to the catalogue, no query is needed.
    const isRequested = this.#database.writes() === undefined
    const known = isRequested ? undefined : this.#layers.known(id)
    const row =
      known?.row ?? (await (isRequested ? this.#rows.join(id, read) : read()).catch(() => undefined))
    return row?.version === version && row.seenState === seen
  }

  /** Extends the validity of the last state, which was confirmed. */
  #prolong(id: number, { version, seen }: LayerVersion, { requestedMs }: StateReading): void {
    const reading = this.#readings.get(id)
    if (requestedMs === undefined) return
    if (reading?.version !== version || reading.seen?.text !== seen) return
    reading.until = Math.max(reading.until, requestedMs + usualRestMs)
  }

  async #present(id: number): Promise<LayerVersion | undefined> {
    const layer = await this.#layers.get(id)
    if (layer === undefined) return undefined
    this.#readings.delete(id)
    return this.of(layer)
  }

  /** Reads the state immediately. Throws `Failure` (`unavailable`) if the store does not respond. */
  async refresh(layer: LayerRecord): Promise<LayerVersion> {
    this.#readings.delete(layer.id)
    try {
      return await this.#explained(layer, AbortSignal.timeout(refreshTimeoutMs))
    } catch (error) {
      if (error instanceof Failure) throw error
      const text = `The store of layer "${layer.workspace}:${layer.name}" cannot be reached`
      throw new Failure('unavailable', 'store-unavailable', text, { cause: error })
    }
  }

  /** Reads the state until another server announces it, or until the time for announcements is over. */
  async #explained(layer: LayerRecord, signal: AbortSignal): Promise<LayerVersion> {
    for (let present: LayerRecord | undefined = layer; present !== undefined; ) {
      const { state } = this.#begin(present)
      const version = await this.#settle(present, await orAborted(state, signal))
      if (!this.#unexplained.has(layer.id)) return version
      await sleep(unexplainedRestMs, undefined, { signal })
      present = await findLayerById(this.#database.kysely, layer.id)
    }
    return { version: layer.version, isCurrent: false }
  }

  #begin(layer: LayerRecord): LastReading {
    const begun = performance.now()
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(tookTooLong()), readMs).unref()
    const state = this.#readState(layer, end.signal)
    const reading: LastReading = {
      version: layer.version,
      state,
      until: Number.POSITIVE_INFINITY,
      isDone: false,
      // One timeout shared by all callers: one for each would cost more than reading the state.
      soon: within(waitMs, state),
    }
    const settle = (seen?: TableState): void => {
      clearTimeout(timer)
      if (seen !== undefined) reading.seen = seen
      const took = performance.now() - begun
      const rest = took < slowMs ? usualRestMs : Math.min(longestRestMs, took * restFactor)
      reading.until = performance.now() + rest
      reading.isDone = true
    }
    state.then(settle, () => settle())
    reading.soon.catch(() => undefined)
    this.#remember(this.#readings, layer.id, reading)
    return reading
  }

  /** Returns a state of this version that is still valid, or is being read. */
  #fresh({ id, version }: LayerRecord): LastReading | undefined {
    const known = this.#readings.get(id)
    return known?.version === version && performance.now() < known.until ? known : undefined
  }

  #remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    map.delete(key)
    map.set(key, value)
    const [oldest] = map.keys()
    if (map.size > rememberedLooks && oldest !== undefined) map.delete(oldest)
  }

  /** Returns the state that results from a state after all later changes by Terrane. */
  #nowOf(text: string): string {
    const passed = new Set<string>()
    let at = text
    for (let next: string | undefined = at; next !== undefined && !passed.has(next); ) {
      at = next
      passed.add(at)
      next = this.#ownChanges.get(at)
    }
    return at
  }

  /** Returns the version if the data are in the recorded state, and not in a running change. */
  #asBefore({ version, seenState }: LayerRecord, state: TableState | undefined): LayerVersion | undefined {
    if (state === undefined || state.text !== seenState) return undefined
    return { version, isCurrent: state.mayLag !== true, seen: state.text }
  }

  /** Compares the state with the recorded one; several servers may do so concurrently. */
  async #settle(layer: LayerRecord, state: TableState | undefined): Promise<LayerVersion> {
    const { id, version, seenState } = layer
    const unexplained = this.#unexplained.get(id)
    this.#unexplained.delete(id)
    if (state === undefined || isChanging(layer, this.#clock.now().getTime()))
      return { version, isCurrent: false }
    const same = this.#asBefore(layer, state)
    if (same !== undefined) return same
    const isCurrent = state.mayLag !== true
    const seen = this.#nowOf(state.text)
    // The state was read before a change by Terrane that is already recorded.
    if (seen === seenState) return { version, isCurrent: false }
    const isOurs =
      seenState === undefined || state.sameAs?.has(seenState) === true || this.#nowOf(seenState) === seen
    if (!isOurs && state.sameAs !== undefined && (await isSharedWithOthers(this.#database))) {
      const isSame = unexplained?.version === version && unexplained.seenState === seenState
      const sinceMs = isSame ? unexplained.sinceMs : performance.now()
      if (performance.now() - sinceMs < unexplainedMs) {
        this.#remember(this.#unexplained, id, { version, seenState, sinceMs })
        return { version, isCurrent: false }
      }
    }
    const grown = isOurs
      ? await writeSeen(this.#database.kysely, layer, { seen_state: seen })
      : await this.#growOutside(layer, seen)
    return grown === undefined ? this.#reread(layer, state) : { version: grown, isCurrent, seen }
  }

  #growOutside(layer: LayerRecord, text: string): Promise<number | undefined> {
    const at = this.#clock.now().toISOString()
    const cause: VersionCause = 'outside'
    return this.#database.transaction(async (db) => {
      // The record of the caller may have other details, such as those of an earlier version.
      const present = await findLayerById(db, layer.id)
      if (present === undefined) return undefined
      const document = JSON.stringify(detailsAfter(present))
      const change = { seen_state: text, version: sql<number>`version + 1`, version_cause: cause, document }
      const grown = await writeSeen(db, layer, change)
      if (grown === undefined) return undefined
      await succeedOutside(db, { storeId: layer.storeId, table: layer.nativeName }, { at, state: text })
      await recordVersions(db, [layer.id], { at, cause })
      return grown
    })
  }

  /** The layer has changed since it was read: the state counts if others have recorded the same. */
  async #reread(layer: LayerRecord, { text, mayLag }: TableState): Promise<LayerVersion> {
    const row = await this.#database.kysely
      .selectFrom('layers')
      .select(['version', 'seen_state'])
      .where('id', '=', layer.id)
      .executeTakeFirst()
    return row === undefined
      ? { version: layer.version, isCurrent: false }
      : { version: Number(row.version), isCurrent: row.seen_state === text && mayLag !== true }
  }
}

/**
 * Omits the number of features, which belongs to the previous version; granules of a mosaic are counted by
 * their index.
 */
function detailsAfter({ details }: LayerRecord): LayerDetails {
  return details.kind === 'raster' ? details : without(details, 'featureCount')
}

/** True for a copy made by Terrane: such files are outside of the folder of the stores. */
function isCopy(path: string, storesFolder: string): boolean {
  return path.startsWith(`${dirname(storesFolder)}/`) && !path.startsWith(`${storesFolder}/`)
}

/** Records that a change by Terrane led from state `from` to state `to`. */
async function recordOwnChange(db: Queryable, from: string, to: string): Promise<void> {
  await db.updateTable('layers').set({ seen_state: to }).where('seen_state', '=', from).execute()
}

/**
 * Stores the state of a layer that is unchanged since it was read. Returns its version, or undefined if it
 * has changed.
 */
async function writeSeen(
  db: Queryable,
  { id, version, seenState }: LayerRecord,
  change: {
    seen_state: string
    version?: RawBuilder<number>
    version_cause?: VersionCause
    document?: string
  },
): Promise<number | undefined> {
  const row = await db
    .updateTable('layers')
    .set(change)
    .where('id', '=', id)
    .where('version', '=', version)
    .where('seen_state', seenState === undefined ? 'is' : '=', seenState ?? null)
    .returning('version')
    .executeTakeFirst()
  return row === undefined ? undefined : Number(row.version)
}

/**
 * Returns the result if it is available in time. Creates no timer for faster results: most states are read in
 * less than a millisecond.
 */
function within<Result>(ms: number, result: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = startLimit(ms, () => reject(tookTooLong()))
    result.then(resolve, reject).finally(stop)
  })
}

function tookTooLong(): Error {
  return new DOMException('The look outside took too long', 'TimeoutError')
}
