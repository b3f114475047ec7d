import type { SeriesDatabase } from './series-database.ts'
import { usageTables } from './usage-store.ts'

/** Measured size of a row with its index entries, in bytes. */
const bytesPerRow = 190
/** The same for a row with packed cells. */
const bytesPerPackedRow = 400
const packedTables = usageTables.map((name) => `'${name}'`).join(', ')
const rowTables = "'monitoring_minutes', 'monitoring_hours', 'monitoring_days', 'monitoring_uses'"

/** Returns the bytes that the series use, without free space inside the file. */
export async function usedBytes(database: SeriesDatabase): Promise<number> {
  if (database.kind === 'sqlite') return (await pagesOf(database)).usedBytes
  const [found] = await database.arrays(
    `select (select coalesce(sum(n_live_tup * case when relname in (${packedTables}) then ${bytesPerPackedRow}
           else ${bytesPerRow} end), 0)::float8 from pg_stat_user_tables
         where relname in (${rowTables}, ${packedTables}) and schemaname = current_schema())
       + (select coalesce(sum(octet_length(data) + 100), 0)::float8 from monitoring_requests)
       + (select coalesce(sum(octet_length(stack) + octet_length(message) + 300), 0)::float8
         from monitoring_exceptions)`,
  )
  return Number(found?.[0] ?? 0)
}

export interface Pages {
  usedBytes: number
  /** Unused share of the file. */
  freeShare: number
  freePages: number
}

export async function pagesOf(database: SeriesDatabase): Promise<Pages> {
  const pageSize = await pragma(database, 'page_size')
  const pages = await pragma(database, 'page_count')
  const freePages = await pragma(database, 'freelist_count')
  return { usedBytes: (pages - freePages) * pageSize, freeShare: freePages / pages, freePages }
}

async function pragma(database: SeriesDatabase, name: string): Promise<number> {
  const [found] = await database.arrays(`pragma ${name}`)
  return Number(found?.[0])
}
