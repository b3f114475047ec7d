import { defaultStyles } from '../cartography/default-styles.ts'
import type { WriteParts } from './doors/parts.ts'
import { nowOf } from './doors/parts.ts'
import { findStyle, insertStyle } from './rows/style-rows.ts'
import { insertWorkspace, saveDefaultWorkspaceName } from './rows/workspace-rows.ts'
import { recordVersions } from './versions/record-versions.ts'
import { listUntold } from './versions/version-rows.ts'

/** Creates the default workspace and styles in a new database; existing ones are not changed. */
export async function prepareCatalog(parts: Pick<WriteParts, 'database' | 'clock'>): Promise<void> {
  const at = nowOf(parts)
  await parts.database.transaction(async (db) => {
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
export async function tellUntoldVersions(parts: Pick<WriteParts, 'database' | 'clock'>): Promise<void> {
  const at = nowOf(parts)
  await parts.database.transaction(async (db) => {
    for (const [cause, ids] of await listUntold(db)) await recordVersions(db, ids, { at, cause })
  })
}
