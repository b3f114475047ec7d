import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration'
import { foundation } from './migrations/0001-foundation.ts'
import { granules } from './migrations/0002-granules.ts'
import { plainOrder } from './migrations/0003-plain-order.ts'
import { services } from './migrations/0004-services.ts'
import { notifications } from './migrations/0005-notifications.ts'
import { layerVersions } from './migrations/0006-layer-versions.ts'
import { storeMakers } from './migrations/0007-store-makers.ts'
import { keptVersions } from './migrations/0008-kept-versions.ts'
import { layerEdits } from './migrations/0011-layer-edits.ts'
import { quickLists } from './migrations/0013-quick-lists.ts'
import { importHistory } from './migrations/0021-import-history.ts'
import { switchedOffUsers } from './migrations/0025-switched-off-users.ts'
import { dryRuns } from './migrations/0026-dry-runs.ts'
import { publishedTables } from './migrations/0028-published-tables.ts'
import { jobQueue } from './migrations/0029-job-queue.ts'
import { nodes } from './migrations/0030-nodes.ts'
import { storedFiles } from './migrations/0033-stored-files.ts'
import { generatedFiles } from './migrations/0034-generated-files.ts'
import type { Tables } from './tables.ts'

/** Numbered, forward only, never edited once merged. */
function migrations(isSqlite: boolean): Record<string, Migration> {
  return {
    '0001-foundation': foundation(isSqlite),
    '0002-granules': granules,
    '0003-plain-order': plainOrder(isSqlite),
    '0004-services': services(isSqlite),
    '0005-notifications': notifications(isSqlite),
    '0006-layer-versions': layerVersions,
    '0007-store-makers': storeMakers,
    '0008-kept-versions': keptVersions(isSqlite),
    '0011-layer-edits': layerEdits,
    '0013-quick-lists': quickLists,
    '0021-import-history': importHistory,
    '0025-switched-off-users': switchedOffUsers,
    '0026-dry-runs': dryRuns,
    '0028-published-tables': publishedTables,
    '0029-job-queue': jobQueue,
    '0030-nodes': nodes,
    '0033-stored-files': storedFiles,
    '0034-generated-files': generatedFiles,
  }
}

/** Throws if a newer version has migrated the tables further than this one knows. */
async function refuseNewer(db: Kysely<Tables>, known: Record<string, Migration>): Promise<void> {
  const query = sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
  // A new database has no such table; the migrations report other errors.
  const done = await query.execute(db).catch(() => ({ rows: [] }))
  const newer = done.rows.find(({ name }) => !Object.hasOwn(known, name))
  if (newer === undefined) return
  throw new Error(
    `The database was used by a newer version of Terrane (${newer.name}): run that one, or restore a backup`,
  )
}

/** Applies missing migrations; safe if several processes start concurrently. */
export async function migrateToLatest(db: Kysely<Tables>, isSqlite: boolean): Promise<void> {
  const known = migrations(isSqlite)
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(known) } })
  await refuseNewer(db, known)
  const { error, results } = await migrator.migrateToLatest()
  if (error === undefined) return
  if (results === undefined || results.every(({ status }) => status !== 'Error')) throw error
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'a migration'
  throw new Error(`The database could not be brought up to date: ${failed} failed`, { cause: error })
}
