import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration'
import { databaseTime } from './database-time.ts'
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
import { jobFeatures } from './migrations/0031-job-features.ts'
import { outbox } from './migrations/0032-outbox.ts'
import { nodeFacts } from './migrations/0035-node-facts.ts'
import { groupsAndPermissions } from './migrations/0036-groups-and-permissions.ts'
import { signIn } from './migrations/0038-sign-in.ts'
import { auditLog } from './migrations/0039-audit-log.ts'
import { sources } from './migrations/0040-sources.ts'
import { reportSubscriptions } from './migrations/0042-report-subscriptions.ts'
import { savedMaps } from './migrations/0043-saved-maps.ts'
import { storedFiles } from './migrations/0044-stored-files.ts'
import { generatedFileKeys } from './migrations/0045-generated-file-keys.ts'
import { workspaceQuotas } from './migrations/0046-workspace-quotas.ts'
import { jobOwners } from './migrations/0047-job-owners.ts'
import { layerGroups } from './migrations/0049-layer-groups.ts'
import { featureLocks } from './migrations/0050-feature-locks.ts'
import { isNeighbour, schemaVersionOf, schemaVersionSetting } from './schema-version.ts'
import type { Tables } from './tables.ts'

/** All migrations: numbered, forward only, never edited once merged. */
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
    '0031-job-features': jobFeatures,
    '0032-outbox': outbox(isSqlite),
    '0035-node-facts': nodeFacts,
    '0036-groups-and-permissions': groupsAndPermissions(isSqlite),
    '0038-sign-in': signIn,
    '0039-audit-log': auditLog(isSqlite),
    '0040-sources': sources(isSqlite),
    '0042-report-subscriptions': reportSubscriptions(isSqlite),
    '0043-saved-maps': savedMaps,
    '0044-stored-files': storedFiles,
    '0045-generated-file-keys': generatedFileKeys,
    '0046-workspace-quotas': workspaceQuotas,
    '0047-job-owners': jobOwners,
    '0049-layer-groups': layerGroups(isSqlite),
    '0050-feature-locks': featureLocks,
  }
}

/** Version of the tables that this program creates. */
export const schemaVersion = schemaVersionOf(Object.keys(migrations(false)))

/** State of a database: its table version, and unknown migrations. */
export interface FoundSchema {
  /** True for migrations that this program does not have. */
  isNewer: boolean
  /** The first unknown migration. */
  unknown?: string
  /** Absent in a database without tables. */
  version?: number
}

/** Reads which schema a database has; a new database has none. */
export async function findSchema(db: Kysely<Tables>): Promise<FoundSchema> {
  const known = migrations(false)
  const query = sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
  // A new database has no such table; the migrations report other errors.
  const { rows } = await query.execute(db).catch(() => ({ rows: [] }))
  const names = rows.map(({ name }) => name)
  if (names.length === 0) return { isNewer: false }
  const unknown = names.find((name) => !Object.hasOwn(known, name))
  const isNewer = unknown !== undefined
  if (!isNewer) return { isNewer, version: schemaVersionOf(names) }
  const stored = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', schemaVersionSetting)
    .executeTakeFirst()
  return { isNewer, unknown, version: Number(stored?.value ?? schemaVersion) }
}

/**
 * Applies missing migrations; safe if several processes start concurrently. Does not change tables of the
 * next version: this server then takes part in a rolling upgrade. Throws if the tables are even newer.
 */
export async function migrateToLatest(db: Kysely<Tables>, isSqlite: boolean): Promise<void> {
  const found = await findSchema(db)
  if (found.isNewer) {
    if (!isSqlite && isNeighbour(found.version ?? schemaVersion, schemaVersion)) return
    throw new Error(newerText(found, isSqlite))
  }
  if (!isSqlite) await refuseOldServers(db, found)
  const known = migrations(isSqlite)
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(known) } })
  const { error, results } = await migrator.migrateToLatest()
  if (error === undefined) return recordSchema(db)
  if (results === undefined || results.every(({ status }) => status !== 'Error')) throw error
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'a migration'
  throw new Error(`The database could not be brought up to date: ${failed} failed`, { cause: error })
}

function newerText({ version, unknown }: FoundSchema, isSqlite: boolean): string {
  const found = `The database was used by a newer version of Terrane (${unknown}): its tables have version ${version}, this program knows version ${schemaVersion}`
  const rule = isSqlite
    ? ''
    : ' A rolling upgrade takes one version at a time: servers of neighbouring versions may share a database.'
  return `${found}.${rule} Run the newer version, or restore a backup (terrane restore)`
}

const aliveSeconds = 15

/**
 * Throws if running servers do not support the tables after the missing migrations. Without such servers a
 * database of any version is upgraded.
 */
async function refuseOldServers(db: Kysely<Tables>, { version }: FoundSchema): Promise<void> {
  if (version === undefined || isNeighbour(version, schemaVersion)) return
  const alive = sql<{ host: string; pid: number }>`select host, pid from nodes
    where seen_at > ${databaseTime('postgres', -aliveSeconds)} order by started_at limit 1`
  const [server] = (await alive.execute(db).catch(() => ({ rows: [] }))).rows
  if (server === undefined) return
  throw new Error(
    `The tables of the database have version ${version}, this program makes version ${schemaVersion}, and the server on ${server.host} (process ${server.pid}) is older. A rolling upgrade takes one version at a time: upgrade all servers to the next version first, or stop all of them and start this one`,
  )
}

/** Stores the version for older programs, which do not know the newest migrations. */
async function recordSchema(db: Kysely<Tables>): Promise<void> {
  const value = String(schemaVersion)
  await db
    .insertInto('settings')
    .values({ name: schemaVersionSetting, value })
    .onConflict((conflicting) =>
      conflicting.column('name').doUpdateSet({ value }).where('settings.value', '!=', value),
    )
    .execute()
}
