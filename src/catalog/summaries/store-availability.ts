import { stat } from 'node:fs/promises'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import type { Clock } from '../../core/time/clock.ts'
import { waitLimit } from '../../core/time/wait-limit.ts'
import { rasterFolderType } from '../../stores/index.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { StoreRecord } from '../records.ts'
import type { PublishedRasters } from '../services/published-rasters.ts'
import type { Stores } from '../services/stores.ts'
import type { LayerSummary } from './layer-summary.ts'

/** Problems of layers. */
export const layerProblems = [
  'store-away',
  'source-gone',
  'source-broken',
  'columns-changed',
  'no-crs',
  'empty',
] as const
export type LayerProblem = (typeof layerProblems)[number]

/** State of a store: names of its tables in lower case; undefined if it did not respond. */
type StoreState = { tables: ReadonlySet<string> | undefined } | 'there' | 'gone'

const restMs = 30_000
const lookTimeoutMs = 5000
/** Maximum wait of the first call for the first check, in milliseconds. */
const firstWaitMs = 500
const atATime = 2

/**
 * Checks periodically which stores respond and which tables they have, with one query per store for all its
 * layers.
 */
export class StoreAvailability {
  readonly #stores: Pick<Stores, 'listAll' | 'open'>
  readonly #rasters: Pick<PublishedRasters, 'listFiles'>
  readonly #clock: Clock
  readonly #closing = new AbortController()
  #states: ReadonlyMap<number, StoreState> = new Map()
  #rounds = 0
  #round: Promise<void> | undefined
  #begun = Number.NEGATIVE_INFINITY
  /** Start time of the last complete check. */
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(
    stores: Pick<Stores, 'listAll' | 'open'>,
    rasters: Pick<PublishedRasters, 'listFiles'>,
    clock: Clock,
  ) {
    this.#stores = stores
    this.#rasters = rasters
    this.#clock = clock
  }

  /** Starts a check if the last one is old. Waits only for the first check, and only briefly. */
  async refresh(): Promise<void> {
    const now = this.#clock.now().getTime()
    if (this.#round === undefined && Math.abs(now - this.#begun) >= restMs && !this.#closing.signal.aborted) {
      this.#begun = now
      this.#round = this.#check().finally(() => {
        this.#round = undefined
      })
    }
    if (this.#rounds > 0 || this.#round === undefined) return
    await orAborted(this.#round, waitLimit(firstWaitMs)).catch(() => undefined)
  }

  /** Number of completed checks: the results of `problemOf` change only with it. */
  get rounds(): number {
    return this.#rounds
  }

  /** Returns the problem of the layer according to the last check. */
  problemOf(card: LayerSummary): LayerProblem | undefined {
    const state = this.#states.get(card.storeId)
    if (state === 'gone') return 'source-gone'
    if (state !== undefined && state !== 'there') {
      if (state.tables === undefined) return 'store-away'
      // A layer created since then may have a table that did not exist.
      const isNewer = Date.parse(card.changedAt) > this.#checkedAt
      if (!isNewer && !isListed(state.tables, card.nativeName)) return 'source-gone'
    }
    if (card.inPlace?.fault !== undefined) return 'source-broken'
    if (card.inPlace?.altered !== undefined) return 'columns-changed'
    const { srs, crs } = card.place
    if (card.kind !== 'table' && srs === undefined && crs === undefined) return 'no-crs'
    return card.rows === 0 ? 'empty' : undefined
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The server stops'))
    await this.#round
  }

  async #check(): Promise<void> {
    const { signal } = this.#closing
    const begun = this.#begun
    const waiting = await this.#stores.listAll().catch(() => [])
    const states = new Map<number, StoreState>()
    const work = async (): Promise<void> => {
      for (let store = waiting.pop(); store !== undefined && !signal.aborted; store = waiting.pop())
        states.set(store.id, await this.#lookAt(store))
    }
    await Promise.all(Array.from({ length: atATime }, work))
    if (signal.aborted) return
    this.#states = states
    this.#checkedAt = begun
    this.#rounds += 1
  }

  async #lookAt(store: StoreRecord): Promise<StoreState> {
    const signal = AbortSignal.any([this.#closing.signal, waitLimit(lookTimeoutMs)])
    try {
      const { path } = store.parameters
      if (path !== undefined && !(await orAborted(isThere(path), signal))) return 'gone'
      if (store.type === rasterFolderType) {
        const files = await orAborted(this.#rasters.listFiles(store), signal)
        return { tables: new Set(files.map(({ name }) => name.toLowerCase())) }
      }
      if (findStoreDescription(store.type)?.can.takesLoads !== true) return 'there'
      const opened = await orAborted(this.#stores.open(store), signal)
      const tables = await orAborted(opened.listTables(), signal)
      return { tables: new Set(tables.map((name) => name.toLowerCase())) }
    } catch {
      return { tables: undefined }
    }
  }
}

/** True if there is a table of that name, or one with a geometry column as in `table(column)`. */
function isListed(tables: ReadonlySet<string>, nativeName: string): boolean {
  const name = nativeName.toLowerCase()
  return tables.has(name) || tables.has(name.replace(/\([^)]+\)$/, ''))
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
