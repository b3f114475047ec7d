import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Envelope } from '../../../geo/envelope.ts'
import { RowNumbers } from '../row-numbers.ts'
import type { StagedRows } from '../stage-rows.ts'
import type { StagedTable } from './staged-load.ts'
import { planShape } from './staged-load.ts'

/** Identifies staged rows and shows whether they still fit their table. */
export interface RetainedStaging {
  loadId: string
  /** Digest of the table definition. */
  shape: string
  srsId: number
  pageSize: number
  rowCount: number
}

/**
 * Stores the description of staged rows next to them, safe from power failures. Returns the text that finds
 * them again.
 */
export function retainRows(side: string, staged: StagedTable): string {
  const { plan, srsId, pageSize, rows } = staged
  const db = new DatabaseSync(side)
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN')
    db.exec(
      'DROP TABLE IF EXISTS laid_by; DROP TABLE IF EXISTS laid_numbers; DROP TABLE IF EXISTS laid_refused',
    )
    db.exec(
      'CREATE TABLE laid_by (row_count INTEGER, last_id INTEGER, envelope TEXT, root BLOB, are_ids_ordered INTEGER)',
    )
    db.exec('CREATE TABLE laid_numbers (id INTEGER PRIMARY KEY, difference INTEGER)')
    db.exec('CREATE TABLE laid_refused (id INTEGER PRIMARY KEY)')
    const envelope = rows.envelope === undefined ? null : JSON.stringify(rows.envelope)
    db.prepare('INSERT INTO laid_by VALUES (?, ?, ?, ?, ?)').run(
      rows.rowCount,
      rows.lastId,
      envelope,
      rows.root ?? null,
      rows.areIdsOrdered ? 1 : 0,
    )
    const number = db.prepare('INSERT INTO laid_numbers VALUES (?, ?)')
    for (const place of rows.rowNumbers.places()) number.run(...place)
    const refused = db.prepare('INSERT INTO laid_refused VALUES (?)')
    for (const id of rows.refused) refused.run(id)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
  flush(side)
  const retainedRows: RetainedStaging = {
    loadId: plan.request.loadId,
    shape: digestShape(staged),
    srsId,
    pageSize,
    rowCount: rows.rowCount,
  }
  return JSON.stringify(retainedRows)
}

/** Returns retained rows. Throws if the file does not contain them. */
export function readRetainedRows(side: string): StagedRows {
  const db = new DatabaseSync(side, { readOnly: true })
  try {
    const row = db.prepare('SELECT * FROM laid_by').get() ?? {}
    const rowNumbers = new RowNumbers()
    for (const place of db.prepare('SELECT id, difference FROM laid_numbers ORDER BY id').iterate()) {
      const id = Number(place['id'])
      rowNumbers.add(id, id + Number(place['difference']))
    }
    const refused = db.prepare('SELECT id FROM laid_refused ORDER BY id').all()
    const root = row['root']
    return {
      rowCount: Number(db.prepare('SELECT count(*) AS n FROM t').get()?.['n']),
      lastId: Number(row['last_id']),
      refused: refused.map(({ id }) => Number(id)),
      rowNumbers,
      envelope: typeof row['envelope'] === 'string' ? (JSON.parse(row['envelope']) as Envelope) : undefined,
      areIdsOrdered: row['are_ids_ordered'] !== 0,
      root: root instanceof Uint8Array ? root : undefined,
    }
  } finally {
    db.close()
  }
}

export function digestShape({ plan }: Pick<StagedTable, 'plan'>): string {
  return createHash('sha256').update(planShape(plan)).digest('hex')
}

function flush(path: string): void {
  const handle = openSync(path, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
