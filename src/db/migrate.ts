import type { Kysely, Migration } from 'kysely'
import { Migrator } from 'kysely'
import { foundation } from './migrations/0001-foundation.ts'
import { granules } from './migrations/0002-granules.ts'
import { plainOrder } from './migrations/0003-plain-order.ts'
import { services } from './migrations/0004-services.ts'
import { notifications } from './migrations/0005-notifications.ts'
import { layerVersions } from './migrations/0006-layer-versions.ts'
import { storeMakers } from './migrations/0006-store-makers.ts'
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
    '0006-store-makers': storeMakers,
  }
}

/** Applies the migrations that are missing; safe when several processes start at once. */
export async function migrateToLatest(db: Kysely<Tables>, isSqlite: boolean): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations(isSqlite)) },
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error === undefined) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'a migration'
  throw new Error(`The database could not be brought up to date: ${failed} failed`, { cause: error })
}
