import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Attribute, Schema } from '../../geo/schema.ts'
import type { ChangeCounts, RowChange } from '../changes.ts'
import type { FeaturePage } from '../store.ts'
import type { RowMatch, SpoolPlan } from './spooled-rows.ts'
import { createSpool, spooledRow, spoolPage } from './spooled-rows.ts'
import { writeChanges } from './write-changes.ts'

/** One of the two compared states of a table: its schema and its rows, possibly without computed columns. */
export interface ComparedState {
  schema: Schema
  pages: AsyncIterable<FeaturePage>
}

/** Differences between two states. `changed` is null if whole rows were compared. */
export interface StateChanges {
  counts: ChangeCounts
  matchedBy: string[]
  /** Number of changes that the file lists. */
  listed: number
}

interface CompareOptions {
  match: RowMatch
  /** Path of the change file; files next to it whose names begin with its name are removed at the end. */
  path: string
  /** Maximum number of listed changes. */
  limit: number
  /** Called after each page; may throw. */
  onPage: () => void
}

const changesPerTurn = 500

/**
 * Compares two states row by row and writes the differences to a change file. Rows are stored on disk
 * meanwhile.
 */
export async function compareStates(
  before: ComparedState,
  after: ComparedState,
  { match, path, limit, onPage }: CompareOptions,
  signal: AbortSignal,
): Promise<StateChanges> {
  const spool = `${path}.spool`
  const db = new DatabaseSync(spool)
  try {
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE')
    const columns = await spoolBoth(db, { before, after, match, onPage }, signal)
    addIndexes(db)
    const isMatched = hasMatches(db)
    findDifferences(db, isMatched ? 'match' : 'hash')
    onPage()
    const keys = match.by === 'keys' && isMatched ? [...match.keys] : []
    const list = {
      table: { attributes: columns, geometry: after.schema.geometry ?? before.schema.geometry },
      keys,
      limit,
      changes: readDifferences(db, signal),
    }
    const listed = await writeChanges(path, list, signal)
    return { counts: countsOf(db, isMatched), matchedBy: keys, listed }
  } finally {
    db.close()
    rmSync(spool, { force: true })
  }
}

async function spoolBoth(
  db: DatabaseSync,
  {
    before,
    after,
    match,
    onPage,
  }: Record<'before' | 'after', ComparedState> & Pick<CompareOptions, 'match' | 'onPage'>,
  signal: AbortSignal,
): Promise<Attribute[]> {
  const states = [before.pages, after.pages].map((pages) => pages[Symbol.asyncIterator]())
  try {
    const first = await Promise.all(states.map((state) => state.next()))
    const read = first.map((page) => (page.done === true ? undefined : page.value.batch.schema))
    const columns = comparedColumns([before.schema, after.schema], read)
    for (const [at, table] of tables.entries()) {
      const plan: SpoolPlan = { table, columns, match }
      createSpool(db, table)
      let page = first[at]
      while (page !== undefined && page.done !== true) {
        signal.throwIfAborted()
        spoolPage(db, plan, page.value)
        onPage()
        page = await states[at]?.next()
      }
    }
    return columns
  } finally {
    for (const state of states) await state.return?.()
  }
}

/**
 * Returns the columns of both states, with the types of the later one; without columns that both have but
 * that cannot be read from one of them.
 */
function comparedColumns(
  [before, after]: readonly [Schema, Schema],
  read: readonly (Schema | undefined)[],
): Attribute[] {
  const has = (schema: Schema, name: string): boolean => schema.attributes.some((one) => one.name === name)
  const gone = before.attributes.filter(({ name }) => !has(after, name))
  return [...after.attributes, ...gone].filter(({ name }) => {
    const isInBoth = has(before, name) && has(after, name)
    return !isInBoth || read.every((schema) => schema === undefined || has(schema, name))
  })
}

const tables = ['before', 'after'] as const

/** Creates indexes, without which each row of one state would be compared with all rows of the other. */
function addIndexes(db: DatabaseSync): void {
  for (const table of tables)
    db.exec(`CREATE INDEX ${table}_match ON ${table} (match); CREATE INDEX ${table}_hash ON ${table} (hash)`)
}

/** True if the match distinguishes each row of both states from all others of its state. */
function hasMatches(db: DatabaseSync): boolean {
  return tables.every((table) => {
    const isNull = db.prepare(`SELECT 1 FROM ${table} WHERE match IS NULL LIMIT 1`).get()
    const isTwice = db.prepare(`SELECT 1 FROM ${table} GROUP BY match HAVING count(*) > 1 LIMIT 1`).get()
    return isNull === undefined && isTwice === undefined
  })
}

function findDifferences(db: DatabaseSync, column: 'match' | 'hash'): void {
  db.exec('CREATE TABLE differences (change TEXT, b INTEGER, a INTEGER)')
  if (column === 'hash') {
    db.exec(`INSERT INTO differences ${surplus('removed', 'before', 'after')}`)
    db.exec(`INSERT INTO differences ${surplus('added', 'after', 'before')}`)
    return
  }
  db.exec(`INSERT INTO differences SELECT 'removed', n, NULL FROM before b
    WHERE NOT EXISTS (SELECT 1 FROM after a WHERE a.match = b.match) ORDER BY n`)
  db.exec(`INSERT INTO differences SELECT 'changed', b.n, a.n FROM before b JOIN after a ON a.match = b.match
    WHERE a.hash <> b.hash ORDER BY b.n`)
  db.exec(`INSERT INTO differences SELECT 'added', NULL, n FROM after a
    WHERE NOT EXISTS (SELECT 1 FROM before b WHERE b.match = a.match) ORDER BY n`)
}

/** Returns SQL for rows that occur more often in one state than in the other. */
function surplus(change: 'removed' | 'added', own: string, other: string): string {
  const numbers = change === 'removed' ? 'n, NULL' : 'NULL, n'
  return `SELECT '${change}', ${numbers} FROM
    (SELECT n, hash, row_number() OVER (PARTITION BY hash ORDER BY n) AS copy FROM ${own}) o
    WHERE copy > (SELECT count(*) FROM ${other} x WHERE x.hash = o.hash) ORDER BY n`
}

function countsOf(db: DatabaseSync, isMatched: boolean): ChangeCounts {
  const count = (sql: string): number => Number(db.prepare(`SELECT count(*) AS n FROM ${sql}`).get()?.['n'])
  const [removed, changed, added] = ['removed', 'changed', 'added'].map((change) =>
    count(`differences WHERE change = '${change}'`),
  ) as [number, number, number]
  const same = count('before') - removed - changed
  return { added, changed: isMatched ? changed : null, removed, same }
}

async function* readDifferences(db: DatabaseSync, signal: AbortSignal): AsyncGenerator<RowChange[]> {
  const rows = db
    .prepare(
      `SELECT d.change, coalesce(b.id, a.id) AS id, b.row AS old, b.geometry AS old_place, a.row AS new, a.geometry AS new_place
      FROM differences d LEFT JOIN before b ON b.n = d.b LEFT JOIN after a ON a.n = d.a ORDER BY d.rowid`,
    )
    .iterate()
  let turn: RowChange[] = []
  for (const row of rows) {
    signal.throwIfAborted()
    turn.push({
      change: row['change'] as RowChange['change'],
      featureId: String(row['id']),
      before: row['old'] === null ? undefined : spooledRow(row['old'], row['old_place']),
      after: row['new'] === null ? undefined : spooledRow(row['new'], row['new_place']),
    })
    if (turn.length < changesPerTurn) continue
    yield turn
    turn = []
  }
  if (turn.length > 0) yield turn
}
