import type { DatabaseSync } from 'node:sqlite'
import { whenFree } from './connections.ts'
import { setCatalogueTriggersAside } from './foreign-code.ts'
import { completeSkeleton, createSkeleton } from './new-file.ts'
import { beginServerWrite, serverWrite } from './server-writes.ts'

/** An open transaction; the caller must end it by `commit` or `rollBack`. */
export interface FileChange {
  commit(): void
  rollBack(): void
}

/** Starts a transaction when no other connection writes. No triggers of the catalogue tables run in it. */
export async function beginTableChange(
  path: string,
  db: DatabaseSync,
  signal: AbortSignal,
): Promise<FileChange> {
  await whenFree(db, signal, () => db.exec('BEGIN IMMEDIATE'))
  const write = beginServerWrite(path, db)
  const rollBack = (): void =>
    write.rollBack(() => {
      if (db.isTransaction) db.exec('ROLLBACK')
    })
  try {
    const triggers = setCatalogueTriggersAside(db)
    const commit = (): void => {
      triggers.restore()
      write.commit(() => db.exec('COMMIT'))
    }
    return { commit, rollBack }
  } catch (error) {
    rollBack()
    throw error
  }
}

/** Runs a change in a transaction of its own. */
export async function changeFile<Result>(
  path: string,
  db: DatabaseSync,
  signal: AbortSignal,
  change: () => Result,
): Promise<Result> {
  const transaction = await beginTableChange(path, db, signal)
  try {
    const result = change()
    transaction.commit()
    return result
  } catch (error) {
    transaction.rollBack()
    throw error
  }
}

/** Makes an empty file a GeoPackage, and sets the journal mode in which readers continue during a commit. */
export async function prepareFile(path: string, db: DatabaseSync, signal: AbortSignal): Promise<void> {
  if (db.prepare('PRAGMA journal_mode').get()?.['journal_mode'] !== 'wal') {
    await whenFree(db, signal, () => serverWrite(path, db, () => db.exec('PRAGMA journal_mode = WAL')))
  }
  const isComplete = ['gpkg_contents', 'gpkg_geometry_columns', 'gpkg_extensions'].every((name) =>
    hasTable(db, name),
  )
  if (isComplete) return
  await changeFile(path, db, signal, () => {
    if (hasTable(db, 'gpkg_contents')) completeSkeleton(db)
    else createSkeleton(db)
  })
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare('SELECT 1 FROM main.sqlite_schema WHERE name = ?').get(name) !== undefined
}
