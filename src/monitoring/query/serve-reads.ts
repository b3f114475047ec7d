import { existsSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { Failure, FieldFailure } from '../../lib/errors.ts'
import type { CallHandlers } from '../../lib/worker-calls.ts'
import { answerCalls, Transfer } from '../../lib/worker-calls.ts'
import { openSeriesDatabase } from '../series/open-series-database.ts'
import type { SeriesDatabase, SeriesPlace } from '../series/series-database.ts'
import { SqliteSeriesDatabase } from '../series/sqlite-series-database.ts'
import type { Read, ReadOutcome, Reads } from './reads.ts'
import { readTimeLimitMs } from './reads.ts'

/** In a reader thread: answers the questions of a `SeriesReader` by `reads`. */
export function serveReads(reads: Reads): void {
  const series = new OpenSeries(workerData as SeriesPlace)
  const handlers: CallHandlers = {}
  for (const [name, read] of Object.entries(reads))
    handlers[name] = (argument: unknown) => answer(series, read, argument)
  answerCalls(handlers)
}

async function answer(series: OpenSeries, read: Read, argument: unknown): Promise<unknown> {
  try {
    const database = await series.database()
    const result = await database.snapshot(async (snapshot) => {
      if (snapshot.kind === 'postgres') await limitStatements(snapshot)
      return read(snapshot, argument as never)
    })
    if (!(result instanceof Transfer)) return { result } satisfies ReadOutcome
    return new Transfer({ result: result.value } satisfies ReadOutcome, result.list)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { kind, code, message, errors } = error
    const fields = error instanceof FieldFailure ? { fields: error.fields } : {}
    return { failure: { kind, code, message, errors, ...fields } } satisfies ReadOutcome
  }
}

/** Just-in-time compilation costs more than such short statements take. */
async function limitStatements(database: SeriesDatabase): Promise<void> {
  await database.run(`set local statement_timeout = ${readTimeLimitMs}`)
  await database.run('set local jit = off')
}

/** Opens the series when they are there; until then they are empty. */
class OpenSeries {
  readonly #place: SeriesPlace
  #database: SeriesDatabase | undefined
  #empty: SeriesDatabase | undefined

  constructor(place: SeriesPlace) {
    this.#place = place
  }

  async database(): Promise<SeriesDatabase> {
    if (this.#database !== undefined) return this.#database
    if ('path' in this.#place && !(await isReady(this.#place.path))) {
      this.#empty ??= new SqliteSeriesDatabase(':memory:')
      return this.#empty
    }
    await this.#empty?.close()
    this.#database = await openSeriesDatabase(this.#place, { isReader: true })
    return this.#database
  }
}

/** Whether a writer has made the tables. */
async function isReady(path: string): Promise<boolean> {
  if (!existsSync(path)) return false
  const database = new SqliteSeriesDatabase(path, { isReader: true })
  try {
    return (await database.all("select 1 from sqlite_master where name = 'monitoring_dirty'")).length > 0
  } finally {
    await database.close()
  }
}
