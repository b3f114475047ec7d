import type { DatabaseSync } from 'node:sqlite'
import { notFound } from '../../core/errors/errors.ts'
import { findObject, findTable, quoteName } from '../../formats/geopackage/index.ts'
import { openForLoading, whenFree } from './connections.ts'
import { deleteContents } from './contents.ts'
import { setCatalogueTriggersAside } from './foreign-code.ts'
import { moveIntoFile } from './move-log.ts'
import { hasRtree, rtreeName } from './rtree-sql.ts'
import { beginServerWrite, closeQuietly } from './server-writes.ts'

/** Drops a table, its index and all references to it. */
export async function dropTable(path: string, name: string, signal: AbortSignal): Promise<void> {
  const db = openForLoading(path)
  // Otherwise dropping a table would delete rows of other tables that reference it.
  db.exec('PRAGMA foreign_keys = OFF')
  try {
    await whenFree(db, signal, () => db.exec('BEGIN IMMEDIATE'))
    const write = beginServerWrite(path, db)
    try {
      removeTable(db, name)
      write.commit(() => db.exec('COMMIT'))
    } finally {
      write.rollBack(() => {
        if (db.isTransaction) db.exec('ROLLBACK')
      })
    }
    await moveIntoFile(path, db)
  } finally {
    closeQuietly(path, () => db.close())
  }
}

function removeTable(db: DatabaseSync, name: string): void {
  const table = findTable(db, name)
  if (table === undefined) throw notFound('unknown-table', `The GeoPackage has no table "${name}"`)
  const geometry = table.schema.geometry?.name
  if (geometry !== undefined && hasRtree(db, { table: table.name, geometry })) {
    db.exec(`DROP TABLE ${quoteName(rtreeName({ table: table.name, geometry }))}`)
  }
  const triggers = setCatalogueTriggersAside(db)
  deleteContents(db, table.name)
  const kind = findObject(db, table.name)?.['type'] === 'view' ? 'VIEW' : 'TABLE'
  db.exec(`DROP ${kind} ${quoteName(table.name)}`)
  triggers.restore()
}
