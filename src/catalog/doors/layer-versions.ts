import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { isSharedWithOthers } from '../../db/broadcast.ts'
import type { Database, Queryable } from '../../db/connection.ts'
import { findOutage } from '../../db/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/errors.ts'
import { orAborted } from '../../lib/or-aborted.ts'
import { hearOwnChanges } from '../../stores/own-changes.ts'
import type { TableState } from '../../stores/store.ts'
import type { LayerRecord, VersionCause } from '../records.ts'
import { isChanging } from '../rows/changing-layers.ts'
import { findLayerById } from '../rows/layer-rows.ts'
import { succeedOutside } from '../versions/contents.ts'
import { recordVersions } from '../versions/record-versions.ts'
import { FoundRows } from './found-rows.ts'
import { Rounds } from './rounds.ts'

/** How long a request waits for a look outside, and one that asks for nothing else. */
const lookTimeoutMs = 1000
const refreshTimeoutMs = 15_000
/** A look is given up after this time; nobody waits for it so long. */
const lookMs = 120_000
/** What a look tells counts for so long; where stores are slow, looks take at most a tenth of the time. */
const usualRestMs = 5
const slowMs = 100
const restFactor = 10
const longestRestMs = 5000
const rememberedLooks = 10_000
/**
 * Another server tells the catalogue of its changes of a file after it has made them, and once more after this time: what this
 * one has seen meanwhile may have been written over the first.
 */
const tellAgainMs = 1000
/** A changed file that no server has noted as its own change for this time was changed by another program. */
const unexplainedMs = 3000
const unexplainedRestMs = 100

/** What a layer's data are like outside; undefined where that cannot be told. */
export type ReadState = (layer: LayerRecord, signal: AbortSignal) => Promise<TableState | undefined>

/** The version of a layer, and whether it was possible to see that nobody else has written: else keep nothing by it. */
export interface LayerVersion {
  version: number
  isCurrent: boolean
  /** How the data looked outside, where that is what the catalogue has for this version. */
  seen?: string
}

/** A look at a layer's data by whoever read them, taken when that was done. */
export interface LookAfter {
  /** The `text` of the state. */
  seen: string
  /** When the data were asked for, by `performance.now()`: the look was later. Absent where what was read cannot be of another state. */
  askedMs?: number
}

interface LastLook {
  /** Of the layer's own version: a change of ours is looked at anew. */
  version: number
  state: Promise<TableState | undefined>
  /** The same, given up where it takes longer than a request may wait. */
  soon: Promise<TableState | undefined>
  /** Until when the state counts as the present one; infinite while it is being looked at. */
  until: number
  /** Whether it has ended, so that nobody has to wait for it. */
  isDone: boolean
  /** What it saw, when it has. */
  seen?: TableState
}

/** A layer whose file has changed, and no server has told of it yet. */
interface Unexplained {
  version: number
  seenState: string
  sinceMs: number
}

interface VersionParts {
  database: Database
  clock: Clock
  storesFolder: string
}

/** Tells versions of layers, grown where somebody else has changed the data behind our back. */
export class LayerVersions {
  readonly #database: Database
  readonly #layers: FoundRows<LayerRecord | undefined>
  readonly #readState: ReadState
  readonly #clock: Clock
  readonly #looks = new Map<number, LastLook>()
  readonly #rows = new Rounds<number, LayerRecord | undefined>()
  readonly #confirmations = new Rounds<number, LayerVersion | undefined>()
  /** Writes down how files look after changes of ours, so that a later start knows it too. */
  #noting: Promise<unknown> = Promise.resolve()
  readonly #stopHearing: () => void
  /** What files looked like before such changes, and after them. */
  readonly #ownChanges = new Map<string, string>()
  /** Looks before changes that are to be written down again. */
  #tellAgain = new Set<string>()
  readonly #unexplained = new Map<number, Unexplained>()

  constructor({ database, clock, storesFolder }: VersionParts, readState: ReadState) {
    this.#database = database
    this.#layers = new FoundRows(database, findLayerById)
    this.#clock = clock
    this.#readState = readState
    this.#stopHearing = hearOwnChanges(async ({ path, from, to }) => {
      if (isCopy(path, storesFolder)) return
      this.#remember(this.#ownChanges, from, to)
      if (this.#database.writes() === undefined) this.#noteAgain(from)
      await this.#note(from, to)
    })
  }

  async #note(from: string, to: string): Promise<void> {
    this.#noting = this.#noting.then(() => writeLook(this.#database.kysely, from, to)).catch(() => undefined)
    await this.#noting
  }

  #noteAgain(from: string): void {
    this.#tellAgain.add(from)
    if (this.#tellAgain.size > 1) return
    const tell = (): void => {
      const looks = this.#tellAgain
      this.#tellAgain = new Set()
      for (const look of looks) void this.#note(look, this.#nowOf(look))
    }
    setTimeout(tell, tellAgainMs).unref()
  }

  async close(): Promise<void> {
    this.#stopHearing()
    await this.#noting
  }

  /** The version as it is now, by a look outside that is at most moments old; never waits long. */
  async of(layer: LayerRecord): Promise<LayerVersion> {
    const look = this.#fresh(layer) ?? this.#begin(layer)
    const same = this.#asBefore(layer, look.seen)
    if (same !== undefined) return same
    const state = await (look.isDone ? look.state : look.soon).catch(() => undefined)
    try {
      return await this.#settle(layer, state)
    } catch (error) {
      // What was seen cannot be kept: whoever reads goes on, and keeps nothing either.
      if (findOutage(error)?.code !== 'disk-full') throw error
      return { version: layer.version, isCurrent: false }
    }
  }

  /**
   * Whether what was read since `before` was told are data of that version alone: by the layer's row and a look outside.
   * Both begin after this is called, and many who ask at a time share them; no other look is taken where `after` is how
   * the data have looked before.
   */
  async isStill(layer: Pick<LayerRecord, 'id'>, before: LayerVersion, after?: LookAfter): Promise<boolean> {
    if (!before.isCurrent) return false
    if (after !== undefined && after.seen === before.seen && (await this.#isSame(layer.id, before))) {
      this.#prolong(layer.id, before, after)
      return true
    }
    const now = await this.#confirmations.join(layer.id, () => this.#present(layer.id)).catch(() => undefined)
    return now?.isCurrent === true && now.version === before.version
  }

  /** Whether the layer's row is what it was; a change of ours that is under way stands there in place of what was seen. */
  async #isSame(id: number, { version, seen }: LayerVersion): Promise<boolean> {
    const read = (): Promise<LayerRecord | undefined> => this.#layers.get(id)
    // Where nobody else writes to the catalogue it is known without a question.
    const isAsked = this.#database.writes() === undefined
    const known = isAsked ? undefined : this.#layers.known(id)
    const row = known?.row ?? (await (isAsked ? this.#rows.join(id, read) : read()).catch(() => undefined))
    return row?.version === version && row.seenState === seen
  }

  /** The last look has been found true again. */
  #prolong(id: number, { version, seen }: LayerVersion, { askedMs }: LookAfter): void {
    const look = this.#looks.get(id)
    if (askedMs === undefined) return
    if (look?.version !== version || look.seen?.text !== seen) return
    look.until = Math.max(look.until, askedMs + usualRestMs)
  }

  async #present(id: number): Promise<LayerVersion | undefined> {
    const layer = await this.#layers.get(id)
    if (layer === undefined) return undefined
    this.#looks.delete(id)
    return this.of(layer)
  }

  /** Looks at once; throws `Failure` (`unavailable`) where the store does not answer. */
  async refresh(layer: LayerRecord): Promise<LayerVersion> {
    this.#looks.delete(layer.id)
    try {
      return await this.#explained(layer, AbortSignal.timeout(refreshTimeoutMs))
    } catch (error) {
      if (error instanceof Failure) throw error
      const text = `The store of layer "${layer.workspace}:${layer.name}" cannot be looked at`
      throw new Failure('unavailable', 'store-unavailable', text, { cause: error })
    }
  }

  /** Looks until what was seen is told by another server, or nobody has told it in time. */
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

  #begin(layer: LayerRecord): LastLook {
    const begun = performance.now()
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(tookTooLong()), lookMs).unref()
    const state = this.#readState(layer, end.signal)
    const look: LastLook = {
      ...{ version: layer.version, state, until: Number.POSITIVE_INFINITY, isDone: false },
      // One for all who wait: a limit for each of many would cost more than the look.
      soon: within(lookTimeoutMs, state),
    }
    const settle = (seen?: TableState): void => {
      clearTimeout(timer)
      if (seen !== undefined) look.seen = seen
      const took = performance.now() - begun
      const rest = took < slowMs ? usualRestMs : Math.min(longestRestMs, took * restFactor)
      look.until = performance.now() + rest
      look.isDone = true
    }
    state.then(settle, () => settle())
    look.soon.catch(() => undefined)
    this.#remember(this.#looks, layer.id, look)
    return look
  }

  /** A look at the data of this version that still counts, or that is under way. */
  #fresh({ id, version }: LayerRecord): LastLook | undefined {
    const known = this.#looks.get(id)
    return known?.version === version && performance.now() < known.until ? known : undefined
  }

  #remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    map.delete(key)
    map.set(key, value)
    const [oldest] = map.keys()
    if (map.size > rememberedLooks && oldest !== undefined) map.delete(oldest)
  }

  /** How what looked so looks after all changes of ours since. */
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

  /** Where the data look as they were seen before, which is no mark of a change that is under way. */
  #asBefore({ version, seenState }: LayerRecord, state: TableState | undefined): LayerVersion | undefined {
    if (state === undefined || state.text !== seenState) return undefined
    return { version, isCurrent: state.mayLag !== true, seen: state.text }
  }

  /** Holds what was seen against what was seen before; several servers may do so at once. */
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
    // The look was taken before a change of ours that is written down already.
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
      const change = { seen_state: text, version: sql<number>`version + 1`, version_cause: cause }
      const grown = await writeSeen(db, layer, change)
      if (grown === undefined) return undefined
      await succeedOutside(db, { storeId: layer.storeId, table: layer.nativeName }, { at, state: text })
      await recordVersions(db, [layer.id], { at, cause })
      return grown
    })
  }

  /** The layer has changed since it was read: what was seen counts where it is what others have seen too. */
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

/** Files of ours that no store reads stand beside the folder of the stores. */
function isCopy(path: string, storesFolder: string): boolean {
  return path.startsWith(`${dirname(storesFolder)}/`) && !path.startsWith(`${storesFolder}/`)
}

/** What looked like `from` looks like `to` by a change of ours. */
async function writeLook(db: Queryable, from: string, to: string): Promise<void> {
  await db.updateTable('layers').set({ seen_state: to }).where('seen_state', '=', from).execute()
}

/** Writes what was seen of a layer that is as it was read; gives its version, or undefined where it is not. */
async function writeSeen(
  db: Queryable,
  { id, version, seenState }: LayerRecord,
  change: { seen_state: string; version?: RawBuilder<number>; version_cause?: VersionCause },
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

/** The result, where it comes in time. What is there sooner leaves no timer behind: most looks take less than a millisecond. */
function within<Result>(ms: number, result: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tookTooLong()), ms).unref()
    result.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function tookTooLong(): Error {
  return new DOMException('The look outside took too long', 'TimeoutError')
}
