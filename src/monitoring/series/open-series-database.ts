import { PostgresSeriesDatabase } from './postgres-series-database.ts'
import type { SeriesDatabase, SeriesPlace } from './series-database.ts'
import { SqliteSeriesDatabase } from './sqlite-series-database.ts'

/** Opens the series; a reader of a SQLite file needs a writer to have opened it before. */
export async function openSeriesDatabase(
  place: SeriesPlace,
  options: { isReader?: boolean } = {},
): Promise<SeriesDatabase> {
  return 'path' in place
    ? new SqliteSeriesDatabase(place.path, options)
    : PostgresSeriesDatabase.open(place.url)
}
