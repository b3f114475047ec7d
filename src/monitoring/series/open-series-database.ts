import type { SeriesDatabase, SeriesDatabaseOptions, SeriesLocation } from './series-database.ts'
import { SqliteSeriesDatabase } from './sqlite-series-database.ts'

/** Opens the series; a reader of a SQLite file needs a writer to have opened it before. */
export async function openSeriesDatabase(
  place: SeriesLocation,
  options: SeriesDatabaseOptions = {},
): Promise<SeriesDatabase> {
  if ('path' in place) return new SqliteSeriesDatabase(place.path, options)
  const { PostgresSeriesDatabase } = await import('./postgres-series-database.ts')
  return PostgresSeriesDatabase.open(place.url, options)
}
