import type { StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import type { KeyValue } from './key-values.ts'

/** The two sides of a match: the data, and the target table. */
const sides = ['data', 'target'] as const
export type KeySide = (typeof sides)[number]

/** Counts of distinct values in each side, and of values of the data that the table contains. */
export interface KeyFigures {
  rows: Record<KeySide, number>
  distinct: Record<KeySide, number>
  found: number
}

/**
 * Values of key columns of both sides in an unnamed temporary SQLite database, which is removed at the latest
 * when the process ends. Queries sort instead of hashing, so that memory use stays constant.
 */
export class KeyTable {
  readonly #db: DatabaseSync
  readonly #inserts: Record<KeySide, StatementSync>

  constructor(columnCount: number) {
    this.#db = new DatabaseSync('')
    this.#db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192')
    const columns = Array.from({ length: columnCount }, (_, at) => `c${at}`)
    for (const side of sides) this.#db.exec(`CREATE TABLE ${side} (${columns.join(', ')})`)
    const insert = (side: KeySide): StatementSync =>
      this.#db.prepare(`INSERT INTO ${side} VALUES (${columns.map(() => '?').join(', ')})`)
    this.#inserts = { data: insert('data'), target: insert('target') }
  }

  /** Inserts rows in one transaction. */
  add(side: KeySide, rows: Iterable<(KeyValue | null)[]>): void {
    this.#db.exec('BEGIN')
    for (const row of rows) this.#inserts[side].run(...row)
    this.#db.exec('COMMIT')
  }

  /** Counts values of columns that have a value in every row. */
  figures(columns: readonly number[]): KeyFigures {
    const list = columns.map((at) => `c${at}`).join(', ')
    const count = (from: string): number =>
      Number(this.#db.prepare(`SELECT count(*) AS n FROM ${from}`).get()?.['n'])
    const distinct = (side: KeySide): number => count(`(SELECT 1 FROM ${side} GROUP BY ${list})`)
    const order = columns.map((_, at) => at + 1).join(', ')
    // With ORDER BY SQLite sorts and merges both sides; the LIMIT stops SQLite from dropping the ORDER BY.
    const both = `(SELECT ${list} FROM data INTERSECT SELECT ${list} FROM target ORDER BY ${order} LIMIT -1)`
    return {
      rows: { data: count('data'), target: count('target') },
      distinct: { data: distinct('data'), target: distinct('target') },
      found: count(both),
    }
  }

  close(): void {
    this.#db.close()
  }
}
