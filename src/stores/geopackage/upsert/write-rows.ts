import type { DatabaseSync } from 'node:sqlite'
import { differencesTable } from '../compare/find-differences.ts'
import { isReferenced } from '../foreign-code.ts'
import { isConstraint } from '../move-staged-rows.ts'
import type { Refusal } from '../record-encoder.ts'

type OnRefused = (stagedId: number, refusal: Refusal) => void

/** Statements that write the rows; those for one row take its id in the table. */
export interface Statements {
  remove: string
  /** Absent if no columns can be changed. */
  change: string | undefined
  changeOne: string | undefined
  takeOut: string
  restore: string
  add: string
}

interface Row {
  id: number
  staged: number
}

/**
 * Removes, changes and adds rows. Rows that a constraint rejects are not changed and are passed to
 * `onRefused`. Returns the numbers of changed and added rows.
 */
export function writeUpsertRows(
  db: DatabaseSync,
  table: string,
  statements: Statements,
  onRefused: OnRefused,
): { changed: number; added: number } {
  db.exec(statements.remove)
  const changed = changeRows(db, table, statements, onRefused)
  const added = addRows(db, statements, onRefused)
  return { changed, added }
}

/** Runs an action in a savepoint; returns the error if a constraint rejects it. */
function attempt(db: DatabaseSync, action: () => void): Error | undefined {
  db.exec('SAVEPOINT attempt')
  try {
    action()
    db.exec('RELEASE attempt')
    return undefined
  } catch (error) {
    if (!isConstraint(error)) throw error
    db.exec('ROLLBACK TO attempt; RELEASE attempt')
    return error as Error
  }
}

function changeRows(db: DatabaseSync, table: string, statements: Statements, onRefused: OnRefused): number {
  const { change, changeOne } = statements
  if (change === undefined || changeOne === undefined) return 0
  if (attempt(db, () => db.exec(change)) === undefined) return 0
  const one = db.prepare(changeOne)
  let left = rowsOf(db, 'SELECT id, staged FROM side.changed ORDER BY staged')
  let refusals = new Map<Row, Error>()
  // A row may have to wait until another row no longer uses a unique value.
  for (let before = Number.POSITIVE_INFINITY; left.length < before; ) {
    before = left.length
    refusals = new Map()
    for (const row of left) {
      const refusal = attempt(db, () => one.run(row.id))
      if (refusal !== undefined) refusals.set(row, refusal)
    }
    left = [...refusals.keys()]
  }
  if (left.length > 0 && !isReferenced(db, table)) refusals = exchangeValues(db, left, statements)
  for (const [{ id, staged }, { message }] of refusals) {
    onRefused(staged, { reason: message })
    db.prepare('DELETE FROM side.changed WHERE id = ?').run(id)
    db.prepare(`DELETE FROM ${differencesTable} WHERE staged = ?`).run(staged)
  }
  return refusals.size
}

/**
 * Deletes rows that wait for each other's unique values and inserts them changed; returns those that cannot
 * be inserted.
 */
function exchangeValues(db: DatabaseSync, rows: Row[], { takeOut, restore }: Statements): Map<Row, Error> {
  const [out, back] = [db.prepare(takeOut), db.prepare(restore)]
  const refused = new Map<Row, Error>()
  for (let left = rows; left.length > 0; left = left.filter((row) => !refused.has(row))) {
    const before = refused.size
    db.exec('SAVEPOINT exchange')
    for (const { id } of left) out.run(id)
    for (const row of left) {
      const refusal = attempt(db, () => back.run(row.id))
      if (refusal !== undefined) refused.set(row, refusal)
    }
    if (refused.size === before) {
      db.exec('RELEASE exchange')
      break
    }
    db.exec('ROLLBACK TO exchange; RELEASE exchange')
  }
  return refused
}

function addRows(db: DatabaseSync, { add }: Statements, onRefused: OnRefused): number {
  if (attempt(db, () => db.exec(add)) === undefined) return 0
  const one = db.prepare(`${add} WHERE a.staged = ?`)
  let refused = 0
  for (const { staged } of rowsOf(db, 'SELECT id, staged FROM side.added ORDER BY staged')) {
    const refusal = attempt(db, () => one.run(staged))
    if (refusal === undefined) continue
    refused += 1
    onRefused(staged, { reason: refusal.message })
    db.prepare('DELETE FROM side.added WHERE staged = ?').run(staged)
    db.prepare(`DELETE FROM ${differencesTable} WHERE staged = ?`).run(staged)
  }
  return refused
}

function rowsOf(db: DatabaseSync, sql: string): Row[] {
  return db
    .prepare(sql)
    .all()
    .map(({ id, staged }) => ({ id: Number(id), staged: Number(staged) }))
}
