import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../../core/errors/errors.ts'
import { quoteText } from '../../../formats/geopackage/index.ts'
import type { NotRetained, TableSnapshot } from '../../store.ts'
import type { SetAside } from '../foreign-code.ts'
import { refersToOthers } from '../foreign-code.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { snapshotDifference } from './snapshot-difference.ts'
import { exchangeTable } from './snapshot-whole.ts'

/** Retains the previous contents of the table of a load. */
interface Keeping {
  /** Renames the table and creates an empty one in its place; absent if the rows remain in their table. */
  exchange?: (triggers: SetAside) => void
  /** Call after the rows of the load are placed. */
  finish(): TableSnapshot | NotRetained
}

/**
 * True if a load renames the table and creates a new one. Not for rows with foreign keys, which would still
 * restrict the referenced rows.
 */
export function exchangesTable(db: DatabaseSync, { existing, table, request }: GeoPackageLoadPlan): boolean {
  const { keepAs, mode } = request
  return keepAs !== undefined && existing !== undefined && mode === 'REPLACE' && !refersToOthers(db, table)
}

/** Prepares to retain the previous contents as the load requests; undefined if it does not request that. */
export function snapshotBefore(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  lastChange: string,
): Keeping | undefined {
  const { existing, table, request } = plan
  const { keepAs } = request
  if (keepAs === undefined || existing === undefined) return undefined
  if (!exchangesTable(db, plan)) return snapshotDifference(db, { plan, existing, keepAs }, lastChange)
  const brokenBefore = countBroken(db, table)
  let kept: TableSnapshot | undefined
  return {
    exchange: ({ triggers }) => {
      kept = exchangeTable(db, existing, keepAs, triggers)
    },
    finish: () => {
      if (countBroken(db, table) > brokenBefore) throw brokenReferences(table)
      if (kept === undefined) throw new Error(`The table "${table}" was not put aside`)
      return kept
    },
  }
}

/** Counts rows of other tables whose foreign keys refer to missing rows of this one. */
export function countBroken(db: DatabaseSync, table: string): number {
  const tables = db
    .prepare(
      `SELECT DISTINCT s.name FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name) AS f
       WHERE s.type = 'table' AND s.sql LIKE '%REFERENCES%' AND lower(f."table") = lower(?)`,
    )
    .all(table)
  let broken = 0
  for (const { name } of tables) {
    broken += db.prepare(`PRAGMA main.foreign_key_check(${quoteText(String(name))})`).all().length
  }
  return broken
}

export function brokenReferences(table: string): Error {
  return conflict(
    'constraint-violated',
    `Rows of other tables would refer to rows of "${table}" that are gone`,
  )
}
