import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { conflict } from '../../core/errors/errors.ts'
import { geometryBox, quoteName } from '../../formats/geopackage/index.ts'
import type { SetAside } from './foreign-code.ts'
import { setTableTriggersAside } from './foreign-code.ts'
import type { GeoPackageLoadPlan } from './load-plan.ts'
import { columnDefinitions, stagedKey } from './load-plan.ts'
import type { Refusal } from './record-encoder.ts'
import { RtreePacker } from './rtree-packer.ts'
import type { IndexedTable } from './rtree-sql.ts'
import { checkFree, createRtree, enterRtree, rtreeName } from './rtree-sql.ts'
import type { StagedRows } from './stage-rows.ts'

const constraintCode = 19

/** Called with the id of a staged row that a constraint of the table rejects. */
type OnRefused = (stagedId: number, refusal: Refusal) => void

/** Creates the table and its index from the staged rows, inside the transaction that ends the load. */
export function insertStagedRows(db: DatabaseSync, plan: GeoPackageLoadPlan, staged: StagedRows): void {
  const { geometry } = plan
  const indexed =
    geometry === undefined ? undefined : { table: plan.table, geometry: geometry.name, id: plan.id }
  if (indexed !== undefined) checkFree(db, indexed)
  const table = quoteName(plan.table)
  const columns = [
    `${quoteName(plan.id)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`,
    ...columnDefinitions(plan, quoteName),
  ]
  db.exec(`CREATE TABLE main.${table} (${columns.join(', ')})`)
  const { changes } = db.prepare(`INSERT INTO main.${table} ${selectStaged(plan)}`).run()
  requireRows(plan.table, Number(changes), staged.rowCount)
  if (indexed === undefined) return
  enterRtree(db, indexed)
  placeRtree(db, plan, indexed, staged)
}

/**
 * Returns SQL for the staged rows as rows of a new table. With `SELECT *` SQLite copies records without
 * decoding.
 */
function selectStaged(plan: GeoPackageLoadPlan): string {
  if (!plan.keepsIds) return 'SELECT * FROM side.t'
  const count = plan.columns.length + (plan.geometry === undefined ? 0 : 1)
  const columns = Array.from({ length: count }, (_, index) => `c${index}`)
  return `SELECT ${[stagedKey, ...columns].join(', ')} FROM side.t ORDER BY ${stagedKey}`
}

export interface Placing {
  onRefused: OnRefused
  /** Renames the table and creates an empty one in its place. */
  exchange?: ((triggers: SetAside) => void) | undefined
}

export interface PlacedRowsReport {
  /** Number of rows rejected by constraints. */
  refused: number
  /** Triggers that were not run. */
  foreignTriggers: string[]
}

/** Replaces the rows of the table by the staged rows, or appends them; runs none of its triggers. */
export function updateStagedRows(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  staged: StagedRows,
  { onRefused, exchange }: Placing,
): PlacedRowsReport {
  const { table, geometry, request } = plan
  const triggers = setTableTriggersAside(db, table, geometry?.name)
  const isAppended = request.mode === 'APPEND'
  if (exchange !== undefined) exchange(triggers)
  else if (!isAppended) {
    db.exec('PRAGMA defer_foreign_keys = ON')
    db.exec(`DELETE FROM main.${quoteName(table)}`)
  }
  const base = isAppended ? lastId(db, plan) : 0
  const before = countRows(db, table)
  const refused = insertRows(db, plan, staged, { base, onRefused })
  if (plan.isIndexed && geometry !== undefined) {
    const indexed = { table, geometry: geometry.name, id: plan.id }
    const rtree = quoteName(rtreeName(indexed))
    if (isAppended) {
      db.exec(
        `INSERT INTO main.${rtree} (id, minx, maxx, miny, maxy)
         SELECT ${base} + id, minx, maxx, miny, maxy FROM side.boxes`,
      )
    } else {
      db.exec(`DROP TABLE main.${rtree}`)
      createRtree(db, indexed)
      placeRtree(db, plan, indexed, staged)
    }
    const remove = db.prepare(`DELETE FROM main.${rtree} WHERE id = ?`)
    if (plan.keepsIds) removeWithoutRow(db, indexed, refused.length + staged.refused.length)
    else for (const id of [...refused, ...staged.refused]) remove.run(base + id)
  }
  triggers.restore()
  requireRows(table, countRows(db, table) - before, staged.rowCount - refused.length)
  return { refused: refused.length, foreignTriggers: triggers.foreign }
}

function countRows(db: DatabaseSync, table: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM main.${quoteName(table)}`).get()?.['n'])
}

/** A table may silently drop rows (`ON CONFLICT IGNORE`, `ON CONFLICT REPLACE`). */
export function requireRows(table: string, found: number, expected: number): void {
  if (found === expected) return
  throw conflict(
    'rows-lost',
    `The table "${table}" would have ${found} more rows after ${expected} were put into it: its own rules drop rows without a word`,
  )
}

/**
 * Fills an empty R*Tree with the staged nodes. (`SELECT *` between equal tables copies records without
 * decoding.)
 */
function placeRtree(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  indexed: IndexedTable,
  { root, areIdsOrdered }: StagedRows,
): void {
  const shadow = (suffix: string): string => `main.${quoteName(`${rtreeName(indexed)}_${suffix}`)}`
  if (plan.keepsIds && !areIdsOrdered) {
    packRtree(db, indexed, shadow)
    return
  }
  if (root === undefined) throw new Error('No R*Tree was staged')
  db.prepare(`UPDATE ${shadow('node')} SET data = ? WHERE nodeno = 1`).run(root)
  db.exec(`INSERT INTO ${shadow('node')} SELECT * FROM side.rtree_node`)
  db.exec(`INSERT INTO ${shadow('rowid')} SELECT * FROM side.rtree_rowid`)
  db.exec(`INSERT INTO ${shadow('parent')} SELECT * FROM side.rtree_parent`)
}

/** Fills an empty R*Tree from the rows of the table, whose order of ids was unknown when they were staged. */
function packRtree(db: DatabaseSync, indexed: IndexedTable, shadow: (suffix: string) => string): void {
  const pageSize = Number(db.prepare('PRAGMA main.page_size').get()?.['page_size'])
  const insert = (suffix: string): StatementSync => db.prepare(`INSERT INTO ${shadow(suffix)} VALUES (?, ?)`)
  const [nodes, leaves, parents] = [insert('node'), insert('rowid'), insert('parent')]
  const sink = {
    node: (number: number, bytes: Uint8Array) => nodes.run(number, bytes),
    leafOf: (id: number, node: number) => leaves.run(id, node),
    parentOf: (node: number, parent: number) => parents.run(node, parent),
  }
  const packer = new RtreePacker(sink, pageSize)
  const [id, geometry] = [indexed.id, indexed.geometry].map(quoteName)
  const rows = db
    .prepare(`SELECT ${id} AS id, ${geometry} AS shape FROM main.${quoteName(indexed.table)} ORDER BY ${id}`)
    .iterate()
  for (const { id: number, shape } of rows) {
    const box = geometryBox(shape)
    if (box !== undefined) packer.add(Number(number), ...box)
  }
  db.prepare(`UPDATE ${shadow('node')} SET data = ? WHERE nodeno = 1`).run(packer.finish())
}

/** Removes index entries of rejected rows. */
function removeWithoutRow(db: DatabaseSync, indexed: IndexedTable, count: number): void {
  if (count === 0) return
  db.exec(
    `DELETE FROM main.${quoteName(rtreeName(indexed))}
     WHERE id NOT IN (SELECT ${quoteName(indexed.id)} FROM main.${quoteName(indexed.table)})`,
  )
}

/** Returns the highest id that a row of the table has, or ever had. */
export function lastId(db: DatabaseSync, { table, id }: GeoPackageLoadPlan): number {
  const highest = db.prepare(`SELECT max(${quoteName(id)}) AS id FROM main.${quoteName(table)}`).get()?.['id']
  const hasSequence = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'`).get()
  const issued =
    hasSequence === undefined
      ? undefined
      : db.prepare('SELECT seq FROM sqlite_sequence WHERE lower(name) = lower(?)').get(table)?.['seq']
  return Math.max(0, Number(highest ?? 0), Number(issued ?? 0))
}

/**
 * Inserts all rows in one statement; if a constraint rejects one, row by row. Returns the staged ids that
 * were rejected.
 */
export function insertRows(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  staged: StagedRows,
  {
    base,
    onRefused,
    into = `main.${quoteName(plan.table)}`,
  }: { base: number; onRefused: OnRefused; into?: string },
): number[] {
  const { geometry, columns, id } = plan
  const names = [id, ...(geometry === undefined ? [] : [geometry.name]), ...columns.map(({ name }) => name)]
  const values = names.slice(1).map((_, index) => `c${index}`)
  const insert = `INSERT INTO ${into} (${names.map(quoteName).join(', ')})
    SELECT ${[plan.keepsIds ? stagedKey : `${base} + id`, ...values].join(', ')} FROM side.t`
  db.exec('SAVEPOINT rows')
  try {
    db.exec(insert)
    db.exec('RELEASE rows')
    return []
  } catch (error) {
    if (!isConstraint(error)) throw error
    db.exec('ROLLBACK TO rows; RELEASE rows')
  }
  const one = db.prepare(`${insert} WHERE id = ?`)
  const refused: number[] = []
  for (let stagedId = 1; stagedId <= staged.lastId; stagedId += 1) {
    try {
      one.run(stagedId)
    } catch (error) {
      if (!isConstraint(error)) throw error
      refused.push(stagedId)
      onRefused(stagedId, { reason: (error as Error).message })
    }
  }
  return refused
}

export function isConstraint(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' && (code & 0xff) === constraintCode
}
