import { defaultStyles } from '../styles/worker.ts'
import { findStyle, insertStyle } from './rows/style-rows.ts'
import { insertWorkspace, saveDefaultWorkspaceName } from './rows/workspace-rows.ts'
import type { WriteDeps } from './services/transaction.ts'
import { nowOf } from './services/transaction.ts'
import { recordVersions } from './versions/record-versions.ts'
import { listUnannounced } from './versions/version-rows.ts'

/** Creates the default workspace and styles in a new database; existing ones are not changed. */
export async function prepareCatalog(deps: Pick<WriteDeps, 'database' | 'clock'>): Promise<void> {
  const at = nowOf(deps.clock)
  await deps.database.transaction(async (db) => {
    const settled = await db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'prepared')
      .executeTakeFirst()
    if (settled !== undefined) return
    await db.insertInto('settings').values({ name: 'prepared', value: at }).execute()
    await insertWorkspace(db, { name: 'default', isPublic: false, at })
    await saveDefaultWorkspaceName(db, 'default')
    for (const style of defaultStyles) {
      if ((await findStyle(db, undefined, style.name)) === undefined) await insertStyle(db, style, at)
    }
  })
}

/** Records the present version of layers that are older than the version records. */
export async function announceVersions(deps: Pick<WriteDeps, 'database' | 'clock'>): Promise<void> {
  const at = nowOf(deps.clock)
  await deps.database.transaction(async (db) => {
    for (const [cause, ids] of await listUnannounced(db)) await recordVersions(db, ids, { at, cause })
  })
}
