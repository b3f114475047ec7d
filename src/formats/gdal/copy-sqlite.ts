import { join } from 'node:path'
import { copyGuarded } from '../../core/files/guarded-files.ts'
import { FormatError } from '../format.ts'
import { openForeignDatabase } from '../geopackage/open-database.ts'

/** Modules of virtual tables that read their own database only. */
const safeModules = new Set([
  'rtree',
  'rtree_i32',
  'geopoly',
  'fts3',
  'fts4',
  'fts5',
  'virtualspatialindex',
  'virtualelementary',
  'virtualknn',
  'virtualknn2',
])

/**
 * Copies a database to `folder` under `name`, since SQLite may write next to the file it opens. Throws
 * `FormatError` if a virtual table would read other files (`VirtualText`, `VirtualOGR` and the like).
 */
export async function copySqlite(path: string, folder: string, name: string): Promise<void> {
  checkModules(path)
  for (const suffix of ['', '-wal', '-journal']) {
    await copyGuarded(`${path}${suffix}`, join(folder, name + suffix)).catch((error) => {
      if (suffix === '') throw error
    })
  }
}

function checkModules(path: string): void {
  try {
    const database = openForeignDatabase(path)
    try {
      const query = database.db.prepare("SELECT name, sql FROM sqlite_master WHERE sql LIKE '%virtual%'")
      for (const { name, sql } of query.iterate()) checkModule(String(name), String(sql))
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof FormatError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new FormatError(`The database cannot be read: ${reason}`, { code: 'gdal-failed', cause: error })
  }
}

function checkModule(table: string, sql: string): void {
  const plain = sql.replace(/\/\*[\s\S]*?\*\/|--[^\n]*/g, ' ')
  if (!/^\s*CREATE\s+VIRTUAL\s+TABLE/i.test(plain)) return
  const module = /\bUSING\s+["'`[]?(\w+)/i.exec(plain)?.[1]?.toLowerCase() ?? ''
  if (safeModules.has(module)) return
  throw new FormatError(`The table "${table}" of the database reads other files, which is not followed`, {
    code: 'not-supported',
  })
}
