import type { DatabaseSync } from 'node:sqlite'
import { freeName } from '../../core/text/free-name.ts'
import { isSameName, quoteName, quoteText } from '../../formats/geopackage/index.ts'
import type { LoadHooks } from '../store.ts'
import type { GeoPackageLoadPlan } from './load-plan.ts'

/** Creates the indexes that a load requests, except on columns that have one. */
export function createIndexes(db: DatabaseSync, plan: GeoPackageLoadPlan, hooks: LoadHooks): void {
  for (const requested of plan.request.indexes) {
    const column = plan.columns.find(({ target }) => isSameName(target.name, requested))?.name
    if (plan.keepsIds && plan.keyColumn !== undefined && isSameName(plan.keyColumn.target.name, requested))
      continue
    if (column === undefined) {
      const message = `There is no column "${requested}" in "${plan.table}" to index`
      if (plan.request.schema.geometry?.name !== requested) {
        hooks.onMessage({ level: 'warning', code: 'index-without-column', message })
      }
    } else if (!isIndexed(db, plan.table, column)) {
      const name = freeIndexName(db, `idx_${plan.table}_${column}`)
      db.exec(`CREATE INDEX main.${quoteName(name)} ON ${quoteName(plan.table)} (${quoteName(column)})`)
    }
  }
}

/** True if an index starts with the column. */
function isIndexed(db: DatabaseSync, table: string, column: string): boolean {
  const indexes = db.prepare(`PRAGMA main.index_list(${quoteText(table)})`).all()
  return indexes.some(({ name, partial }) => {
    const first = db.prepare(`PRAGMA main.index_info(${quoteText(String(name))})`).get()?.['name']
    return partial === 0 && first != null && isSameName(String(first), column)
  })
}

function freeIndexName(db: DatabaseSync, requested: string): string {
  const find = db.prepare('SELECT 1 FROM main.sqlite_schema WHERE lower(name) = lower(?)')
  return freeName(requested, (name) => find.get(name) !== undefined, { separator: '_', first: 1 })
}
