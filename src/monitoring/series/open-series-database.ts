import type { SeriesDatabase, SeriesDatabaseOptions, SeriesLocation } from './series-database.ts'
import { SqliteSeriesDatabase } from './sqlite-series-database.ts'

/** Opens the series; a reader of a SQLite file needs a writer to have opened it before. */
export async function openSeriesDatabase(
  location: SeriesLocation,
  options: SeriesDatabaseOptions = {},
): Promise<SeriesDatabase> {
  if ('path' in location) return new SqliteSeriesDatabase(location.path, options)
  const { PostgresSeriesDatabase } = await import('./postgres-series-database.ts')
  return PostgresSeriesDatabase.open(location.url, options)
}
