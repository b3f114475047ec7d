import { Failure } from '../../lib/errors.ts'
import { WorkerEnded } from '../../lib/workers/worker-handle.ts'
import type { StoreConnection } from '../store.ts'
import type { EstimatedBox, EstimateRows, ReadDemand } from './read-cost.ts'
import { isHeavyRead } from './read-cost.ts'
import type { Readers, ReadKind, ReadTarget } from './readers.ts'

/** Determines the kind of a read. */
type FindKind = () => Promise<ReadKind>

/**
 * Sends the reads of one store to the workers that may read it: heavy reads and light reads to different
 * ones.
 */
export class StoreReads {
  readonly #connection: StoreConnection
  readonly #readers: Readers

  constructor(connection: StoreConnection, readers: Readers) {
    this.#connection = connection
    this.#readers = readers
  }

  /** Runs a query in a worker that may read the store, and elsewhere if that worker refuses. */
  async ask<T>(question: (place: ReadTarget) => Promise<T>, kind: ReadKind | FindKind = light): Promise<T> {
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

  /** Like `ask`, for a query with a streamed result. */
  async *take<T>(
    question: (place: ReadTarget) => AsyncIterable<T>,
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

  /** Returns a function that estimates row counts of the table; those of the whole table are cached. */
  estimateRows(table: string, signal: AbortSignal): EstimateRows {
    const { resource = '' } = this.#placeOf({ table }).limits
    // A cached estimate is shared, so it continues after the first caller has left.
    return (box) =>
      box === undefined
        ? this.#readers.estimates.rowsOf(resource, () => this.#estimate(table))
        : this.#estimate(table, { box, signal })
  }

  /** A table without an estimate counts as large. */
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

  /** Returns a function that determines whether a read is heavy. */
  kindOf(table: string, demand: ReadDemand, signal: AbortSignal): FindKind {
    return async () => ({ table, isHeavy: await isHeavyRead(demand, this.estimateRows(table, signal)) })
  }

  /** The same for a read of every row. */
  kindOfScan(table: string, signal: AbortSignal): FindKind {
    return this.kindOf(table, { offset: 0, limit: Number.POSITIVE_INFINITY, isCounted: false }, signal)
  }

  #placeOf(kind: ReadKind): ReadTarget {
    return this.#readers.placeOf(this.#connection, kind)
  }
}

const light: ReadKind = {}
/** Timeout for a database that does not respond; a locked table fails earlier. */
const estimateMs = 15_000

/** A reader that crashed during a query, mostly for lack of memory, is not a server error. */
function toFailure(error: unknown): unknown {
  if (!(error instanceof WorkerEnded)) return error
  return new Failure('unavailable', 'reader-ended', 'The question took more than a reader has', {
    cause: error,
  })
}

function isForProcess(error: unknown): boolean {
  return error instanceof Failure && error.code === 'needs-process'
}
