import { existsSync } from 'node:fs'
import { Transfer } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import { openSeriesDatabase } from '../series/open-series-database.ts'
import type { SeriesDatabase, SeriesLocation } from '../series/series-database.ts'
import { SqliteSeriesDatabase } from '../series/sqlite-series-database.ts'
import type { Read, ReadCall, Reads } from './reads.ts'
import { HeavyRead, readTimeLimitMs } from './reads.ts'

/** Serves the calls of a `SeriesReader` in a reader thread. */
export function serveReads(reads: Reads): void {
  serveWork((location: SeriesLocation, _tell, allowReset) => {
    const series = new OpenSeries(location)
    allowReset(() => series.close())
    const serve = (read: Read) => (call: ReadCall<never>) => serveRead(series, read, call)
    return Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, serve(read)]))
  })
}

async function serveRead(
  series: OpenSeries,
  read: Read,
  { argument, limits }: ReadCall<never>,
): Promise<unknown> {
  const database = await series.database()
  try {
    const result = await database.snapshot(async (snapshot) => {
      if (snapshot.kind === 'postgres') await limitStatements(snapshot)
      return read(snapshot, argument, limits)
    })
    return result instanceof Transfer ? new Transfer({ result: result.value }, result.list) : { result }
  } catch (error) {
    if (error instanceof HeavyRead) return 'heavy'
    throw error
  }
}

/** Disables just-in-time compilation, which takes longer than these short statements. */
async function limitStatements(database: SeriesDatabase): Promise<void> {
  await database.run(`set local statement_timeout = ${readTimeLimitMs}`)
  await database.run('set local jit = off')
}

/** Opens the series once a writer has created them; until then they are empty. */
class OpenSeries {
  readonly #place: SeriesLocation
  #database: SeriesDatabase | undefined
  #empty: SeriesDatabase | undefined

  constructor(location: SeriesLocation) {
    this.#place = location
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

  async close(): Promise<void> {
    await this.#empty?.close()
    await this.#database?.close()
  }
}

/** True if a writer has created the tables. */
async function isReady(path: string): Promise<boolean> {
  if (!existsSync(path)) return false
  const database = new SqliteSeriesDatabase(path, { isReader: true })
  try {
    return (await database.all("select 1 from sqlite_master where name = 'monitoring_dirty'")).length > 0
  } finally {
    await database.close()
  }
}
