import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../../core/errors/errors.ts'
import { findObject, findTable, quoteName } from '../../../formats/geopackage/index.ts'
import type { NotRetained, TableSnapshot } from '../../store.ts'
import type { SetAside } from '../foreign-code.ts'
import { setTableTriggersAside } from '../foreign-code.ts'
import { rtreeName } from '../rtree-sql.ts'
import { writeCatalogue } from './catalogue-rows.ts'
import { renameTable } from './rename-table.ts'
import type { RegisteredSnapshot } from './snapshot-registry.ts'
import { forgetSnapshot, snapshotTable } from './snapshot-registry.ts'
import { snapshotWhole } from './snapshot-whole.ts'

/** Restores a table that was retained whole in place of the present one, which is retained or removed. */
export function restoreWhole(
  db: DatabaseSync,
  table: string,
  kept: RegisteredSnapshot,
  keepAs: string | undefined,
): TableSnapshot | NotRetained | undefined {
  const present = takeAway(db, table, keepAs)
  renameTable(
    db,
    { table: snapshotTable(kept.number), geometry: kept.table.schema.geometry?.name },
    kept.table.name,
    kept.indexes,
    false,
  )
  restoreTriggers(db, kept.triggers, present.triggers)
  writeCatalogue(db, kept.table.name, kept.catalogue)
  forgetSnapshot(db, kept.number)
  return present.kept
}

interface TakenAway {
  kept: TableSnapshot | NotRetained | undefined
  triggers: SetAside['triggers']
}

function takeAway(db: DatabaseSync, name: string, keepAs: string | undefined): TakenAway {
  const table = findTable(db, name)
  if (table === undefined) {
    if (findObject(db, name) !== undefined) {
      throw conflict('table-exists', `"${name}" is in the GeoPackage, but not as a layer`)
    }
    const kept = keepAs === undefined ? undefined : { reason: 'There was no table' }
    return { kept, triggers: [] }
  }
  if (table.kind === 'view')
    throw conflict('table-read-only', `"${table.name}" cannot be changed: it is a view`)
  const geometry = table.schema.geometry?.name
  const { triggers } = setTableTriggersAside(db, table.name, geometry)
  if (keepAs !== undefined) return { kept: snapshotWhole(db, table, keepAs, triggers), triggers }
  if (geometry !== undefined && findObject(db, rtreeName({ table: table.name, geometry })) !== undefined) {
    db.exec(`DROP TABLE main.${quoteName(rtreeName({ table: table.name, geometry }))}`)
  }
  db.exec(`DROP TABLE main.${quoteName(table.name)}`)
  return { kept: undefined, triggers }
}

/** Restores the triggers that the table had, and those added since. */
function restoreTriggers(db: DatabaseSync, own: SetAside['triggers'], later: SetAside['triggers']): void {
  const known = new Set(own.map(({ name }) => name.toLowerCase()))
  for (const { sql } of [...own, ...later.filter(({ name }) => !known.has(name.toLowerCase()))]) db.exec(sql)
}
