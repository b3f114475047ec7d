import { Failure } from '../../lib/errors.ts'
import { WorkerEnded } from '../../lib/workers/worker-handle.ts'
import type { StoreConnection } from '../store.ts'
import type { EstimatedBox, EstimateRows, ReadDemand } from './read-cost.ts'
import { isHeavyRead } from './read-cost.ts'
import type { Readers, ReadKind, ReadPlace } from './readers.ts'

/** Finds out which read a place is for. */
type FindKind = () => Promise<ReadKind>

/** Sends the reads of one store to the workers that may read it: heavy reads to others than light ones. */
export class StoreReads {
  readonly #connection: StoreConnection
  readonly #readers: Readers

  constructor(connection: StoreConnection, readers: Readers) {
    this.#connection = connection
    this.#readers = readers
  }

  /** Asks where the store may be read, and elsewhere where that turns out to be wrong. */
  async ask<T>(question: (place: ReadPlace) => Promise<T>, kind: ReadKind | FindKind = light): Promise<T> {
    const answer = async (): Promise<T> =>
      question(this.#placeOf(typeof kind === 'function' ? await kind() : kind))
    try {
      return await answer()
    } catch (error) {
      if (!isForProcess(error)) throw toFailure(error)
      this.#readers.distrust(this.#connection)
      return answer()
    }
  }

  /** The same for a question whose answer is streamed. */
  async *take<T>(
    question: (place: ReadPlace) => AsyncIterable<T>,
    kind: FindKind = async () => light,
  ): AsyncGenerator<T> {
    try {
      yield* question(this.#placeOf(await kind()))
    } catch (error) {
      if (!isForProcess(error)) throw toFailure(error)
      this.#readers.distrust(this.#connection)
      yield* question(this.#placeOf(await kind()))
    }
  }

  /** Returns a function that estimates numbers of rows of the table; those of the whole table are cached. */
  estimateRows(table: string, signal: AbortSignal): EstimateRows {
    const { resource } = this.#placeOf({ table }).limits
    // A cached estimate is for everybody, also when the first who asked has left.
    return (box) =>
      box === undefined
        ? this.#readers.estimates.rowsOf(resource, () => this.#estimate(table))
        : this.#estimate(table, { box, signal })
  }

  /** A table of which no estimate comes counts as large. */
  async #estimate(
    table: string,
    { box, signal }: { box?: EstimatedBox; signal?: AbortSignal } = {},
  ): Promise<number> {
    const limit = AbortSignal.timeout(estimateMs)
    const own = signal === undefined ? limit : AbortSignal.any([limit, signal])
    const question = { connection: this.#connection, table, box }
    try {
      return await this.ask(
        ({ pool, limits }) => pool.call('estimateRows', question, { ...limits, signal: own }),
        { table },
      )
    } catch (error) {
      if (!limit.aborted || signal?.aborted === true) throw error
      return Number.MAX_SAFE_INTEGER
    }
  }

  /** Returns a function that finds out whether a read is heavy. */
  kindOf(table: string, demand: ReadDemand, signal: AbortSignal): FindKind {
    return async () => ({ table, isHeavy: await isHeavyRead(demand, this.estimateRows(table, signal)) })
  }

  /** The same for a read of every row. */
  kindOfScan(table: string, signal: AbortSignal): FindKind {
    return this.kindOf(table, { offset: 0, limit: Number.POSITIVE_INFINITY, isCounted: false }, signal)
  }

  #placeOf(kind: ReadKind): ReadPlace {
    return this.#readers.placeOf(this.#connection, kind)
  }
}

const light: ReadKind = {}
/** A database that does not answer; a table that is locked tells sooner. */
const estimateMs = 15_000

/** A reader that died of its question, mostly for want of memory, is no fault of the server. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof WorkerEnded)) return error
  return new Failure('unavailable', 'reader-ended', 'The question took more than a reader has', {
    cause: error,
  })
}

function isForProcess(error: unknown): boolean {
  return error instanceof Failure && error.code === 'needs-process'
}
