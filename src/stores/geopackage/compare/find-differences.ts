import type { DatabaseSync } from 'node:sqlite'
import { quoteName } from '../../../formats/geopackage/index.ts'
import type { ChangeCounts } from '../../changes.ts'
import type { Missing } from '../../spared-texts.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { stagedKey } from '../load-plan.ts'
import { joinByAnd } from '../reading/joined-conditions.ts'
import type { StagedRows } from '../stage-rows.ts'
import type { ComparedColumn } from './compared-columns.ts'
import { comparedColumns } from './compared-columns.ts'
import { hashParts, hashRow } from './hash-row.ts'
import { addCompareFunctions, sameValue } from './same-values.ts'
import { areKeysUnique } from './single-keys.ts'

/** A set of numbers from 1 to `last`, as a bitmap. */
class ComparedRowSet {
  readonly #bits: Uint8Array
  readonly #last: number

  constructor(last: number) {
    this.#last = last
    this.#bits = new Uint8Array((last >> 3) + 1)
  }

  add(id: number): void {
    this.#bits[id >> 3] = (this.#bits[id >> 3] as number) | (1 << (id & 7))
  }

  has(id: number): boolean {
    return (((this.#bits[id >> 3] as number) >> (id & 7)) & 1) === 1
  }

  /** Yields the missing numbers, in order. */
  *missing(): Generator<number> {
    for (let id = 1; id <= this.#last; id += 1) if (!this.has(id)) yield id
  }
}

/**
 * Rows that a load adds (only `staged`), removes (only `target`) or changes (both), by their ids in the
 * staged rows and in the table.
 */
export const differencesTable = 'side.differences'

/** Staged rows, attached as `side`, and their target table. */
export interface ComparedRows {
  plan: GeoPackageLoadPlan
  rows: StagedRows
}

/** Creates an empty table of differences, with the functions for filling it. */
function beginDifferences(db: DatabaseSync): void {
  addCompareFunctions(db)
  db.exec(`DROP TABLE IF EXISTS ${differencesTable}`)
  db.exec(`CREATE TABLE ${differencesTable} (staged INTEGER, target INTEGER)`)
}

/**
 * Compares by keys that are unique on both sides. Table rows whose key is missing are removed, or not
 * changed.
 */
export function findByKeys(
  db: DatabaseSync,
  { plan, rows }: ComparedRows,
  keys: ComparedColumn[],
  missing: Missing,
): ChangeCounts {
  beginDifferences(db)
  indexKeys(db, keys)
  const matched = markFunction(db, rows)
  const on = keys.map(({ after, before }) => `${after} = ${before}`).join(' AND ')
  const same = sameRow(comparedColumns(db, plan))
  db.exec(
    `INSERT INTO ${differencesTable} SELECT s.id, x.${quoteName(plan.id)}
     FROM main.${quoteName(plan.table)} x LEFT JOIN side.t s ON ${on}
     WHERE CASE WHEN s.id IS NULL THEN ${missingSql(db, keys, missing)}
       WHEN mark_matched(s.id) THEN NOT (${same}) END`,
  )
  addUnmatched(db, matched)
  return { ...countDifferences(db, rows) }
}

/** Returns SQL that is true if a table row that is missing in the data is removed. */
function missingSql(db: DatabaseSync, keys: readonly ComparedColumn[], missing: Missing): string {
  if (missing === 'none') return '0'
  if (missing.spared.length === 0) return '1'
  const spared = new Set(missing.spared.map((key) => JSON.stringify(key)))
  const options = { directOnly: true, useBigIntArguments: true, varargs: true }
  db.function('is_spared', options, (...key) => (spared.has(JSON.stringify(key.map(String))) ? 1 : 0))
  return `NOT is_spared(${keys.map(({ before }) => before).join(', ')})`
}

/** Indexes the keys of the staged rows. */
export function indexKeys(db: DatabaseSync, keys: readonly ComparedColumn[]): void {
  const columns = keys.map(({ after }) => after.slice(2))
  db.exec(
    `CREATE INDEX IF NOT EXISTS side.${quoteName(`keys_${columns.join('_')}`)} ON t (${columns.join(', ')})`,
  )
}

/** True if every row of both sides has a unique key. */
export function haveKeys(db: DatabaseSync, { plan }: ComparedRows, keys: ComparedColumn[]): boolean {
  indexKeys(db, keys)
  const staged = keys.map(({ after }) => after)
  const target = keys.map(({ before }) => before)
  return areKeysUnique(db, 'side.t s', staged) && areKeysUnique(db, `main.${quoteName(plan.table)} x`, target)
}

/** Compares whole rows, with their multiplicity. Rows with unchanged ids are matched first. */
export function findByRows(db: DatabaseSync, compared: ComparedRows): ChangeCounts {
  const { plan, rows } = compared
  beginDifferences(db)
  const columns = comparedColumns(db, plan)
  const matched = markFunction(db, rows)
  const id = `x.${quoteName(plan.id)}`
  const stagedId = plan.keepsIds ? `s.${stagedKey}` : 's.id'
  if (plan.keepsIds)
    db.exec(`CREATE INDEX IF NOT EXISTS side.${quoteName(`keys_${stagedKey}`)} ON t (${stagedKey})`)
  db.exec(
    'DROP TABLE IF EXISTS side.rest_before; CREATE TABLE side.rest_before (id INTEGER PRIMARY KEY, hash BLOB)',
  )
  db.exec(
    'DROP TABLE IF EXISTS side.rest_after; CREATE TABLE side.rest_after (id INTEGER PRIMARY KEY, hash BLOB)',
  )
  db.exec(
    `INSERT INTO side.rest_before SELECT ${id}, NULL
     FROM main.${quoteName(plan.table)} x LEFT JOIN side.t s ON ${stagedId} = ${id}
     WHERE NOT CASE WHEN s.id IS NULL THEN 0 WHEN ${sameRow(columns)} THEN mark_matched(s.id) ELSE 0 END`,
  )
  const put = db.prepare('INSERT INTO side.rest_after SELECT id, NULL FROM side.t WHERE id = ?')
  for (const unmatched of matched.missing()) put.run(unmatched)
  hashRest(db, compared, columns)
  const ranked = (table: string): string =>
    `(SELECT id, hash, row_number() OVER (PARTITION BY hash ORDER BY id) AS n FROM side.${table})`
  db.exec(
    `INSERT INTO ${differencesTable} (target)
     SELECT b.id FROM ${ranked('rest_before')} b
     WHERE (b.hash, b.n) NOT IN (SELECT hash, n FROM ${ranked('rest_after')}) ORDER BY b.id;
     INSERT INTO ${differencesTable} (staged)
     SELECT a.id FROM ${ranked('rest_after')} a
     WHERE (a.hash, a.n) NOT IN (SELECT hash, n FROM ${ranked('rest_before')}) ORDER BY a.id;
     DROP TABLE side.rest_before; DROP TABLE side.rest_after`,
  )
  return { ...countDifferences(db, rows), changed: null }
}

/** All staged rows are additions. */
export function findAdditions(db: DatabaseSync, { rows }: ComparedRows): ChangeCounts {
  beginDifferences(db)
  return { added: rows.rowCount, changed: 0, removed: 0, same: 0 }
}

function hashRest(db: DatabaseSync, { plan }: ComparedRows, columns: ComparedColumn[]): void {
  const types = columns.map(({ type }) => type)
  const options = { deterministic: true, directOnly: true, useBigIntArguments: true, varargs: true }
  db.function('hash_row', options, (first, ...values) => hashRow(types.slice(Number(first)), values))
  db.function('hash_parts', options, (...parts) => hashParts(parts))
  const before = hashSql(columns.map((column) => column.before))
  const after = hashSql(columns.map((column) => column.after))
  db.exec(
    `UPDATE side.rest_before AS r SET hash = (SELECT ${before}
       FROM main.${quoteName(plan.table)} x WHERE x.${quoteName(plan.id)} = r.id);
     UPDATE side.rest_after AS r SET hash = (SELECT ${after} FROM side.t s WHERE s.id = r.id)`,
  )
}

/** Less than the maximum number of function arguments (SQLITE_MAX_FUNCTION_ARG is 1,000). */
const maxHashed = 900

/**
 * Returns SQL for the hash of a row; with more columns than a function accepts, the hash of partial hashes.
 */
function hashSql(columns: readonly string[]): string {
  const starts = Array.from({ length: Math.ceil(columns.length / maxHashed) }, (_, part) => part * maxHashed)
  const parts = starts.map(
    (first) => `hash_row(${[first, ...columns.slice(first, first + maxHashed)].join(', ')})`,
  )
  return parts.length === 1 ? (parts[0] as string) : `hash_parts(${parts.join(', ')})`
}

function sameRow(columns: ComparedColumn[]): string {
  if (columns.length === 0) return '1'
  return joinByAnd(columns.map(({ type, after, before }) => sameValue(type, after, before)))
}

/** `mark_matched(id)` records a staged row and returns true. */
function markFunction(db: DatabaseSync, { lastId }: StagedRows): ComparedRowSet {
  const matched = new ComparedRowSet(lastId)
  db.function('mark_matched', { directOnly: true }, (id) => {
    matched.add(Number(id))
    return 1
  })
  return matched
}

function addUnmatched(db: DatabaseSync, matched: ComparedRowSet): void {
  const add = db.prepare(`INSERT INTO ${differencesTable} (staged) SELECT id FROM side.t WHERE id = ?`)
  for (const id of matched.missing()) add.run(id)
}

function countDifferences(db: DatabaseSync, { rowCount }: StagedRows): ChangeCounts & { changed: number } {
  const row = db
    .prepare(
      `SELECT count(*) AS n, count(staged) AS staged, count(target) AS target FROM ${differencesTable}`,
    )
    .get()
  const [all, staged, target] = [Number(row?.['n']), Number(row?.['staged']), Number(row?.['target'])]
  return {
    added: all - target,
    changed: staged + target - all,
    removed: all - staged,
    same: rowCount - staged,
  }
}
