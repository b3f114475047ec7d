import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { EditDone, SavedRowState } from '../../edit-counts.ts'
import { editCounts } from '../../edit-counts.ts'
import type { EditCounts, TableEdit } from '../../edits.ts'
import type { NotRetained, TableSnapshot } from '../../store.ts'
import { givableColumns } from '../apply/apply-changes.ts'
import { createDifference, emptyRows, keepCopy, keepsDifferences } from '../apply/keep-rows.ts'
import { changeColumn } from '../apply/old-rows.ts'
import { markTable } from '../apply/table-mark.ts'
import { describeTable } from '../describe-table.ts'
import { snapshotName } from '../identifiers.ts'
import { conditionsOf } from '../read-conditions.ts'
import type { Connection } from '../session.ts'
import type { SnapshotNote } from '../snapshot-tables.ts'
import { findNote, tableSnapshot, writeNote } from '../snapshot-tables.ts'
import type { EditedRows } from './edited-table.ts'

const doing = 'keeping what the row was'

/** Retains the previous values of edited rows: the first of several edits of a row stores its values. */
export interface EditKeeper {
  /** Call before an existing row is changed or removed. */
  beforeTouch(featureId: string): Promise<void>
  /** Call after the row is written; returns how it differs from the retained state. */
  afterWrite(featureId: string, done: EditDone): Promise<EditCounts>
  /** Call after the last row; `rowsAdded`: change in the number of rows. */
  finish(rowsAdded: number): Promise<TableSnapshot | NotRetained>
}

/** A difference that edits extend. */
interface Difference {
  connection: Connection
  rows: EditedRows
  note: SnapshotNote
  /** Number of rows of the table before these edits. */
  rowCount: number
  table: TableSnapshot['table'] | undefined
}

/** Announces that the table is about to be written; `rowsNow` is the number of rows, if known. */
type TellTouch = (rowsNow?: number) => Promise<void>

/** Returns undefined if nothing is to be retained, or if the state retained by earlier edits is gone. */
export async function openKeeper(
  connection: Connection,
  rows: EditedRows,
  keep: TableEdit['keep'],
  tellTouch: TellTouch,
): Promise<EditKeeper | undefined> {
  const { facts } = rows
  if (keep?.isBegun === true) {
    const begun = await findBegun(connection, rows, keep.id)
    await tellTouch(begun?.rowCount)
    return begun && differenceKeeper({ connection, rows, ...begun, table: undefined })
  }
  if (keep !== undefined && rows.mayKeep && (await keepsDifferences(connection, facts)))
    return beginDifference(connection, rows, keep.id, tellTouch)
  await tellTouch()
  if (keep === undefined) return undefined
  if (rows.mayKeep) return plainKeeper(await keepCopy(connection, facts, keep.id))
  const reason = `The user of its store may make no table in schema "${facts.schema}" to keep it in`
  return plainKeeper({ reason })
}

/** Returns the state retained by earlier edits, and the number of rows after them. */
async function findBegun(
  { client }: Connection,
  { facts }: EditedRows,
  id: string,
): Promise<Pick<Difference, 'note' | 'rowCount'> | undefined> {
  const note = await findNote(client, facts.schema, id)
  if (note?.kind !== 'difference') return undefined
  const { rows } = JSON.parse(note.mark ?? '{}') as { rows?: number }
  return rows === undefined ? undefined : { note, rowCount: rows }
}

/** Retains all rows, or none. */
function plainKeeper(kept: TableSnapshot | NotRetained): EditKeeper {
  return {
    beforeTouch: async () => undefined,
    afterWrite: async (_featureId, done) => editCounts(done),
    finish: async () => kept,
  }
}

async function beginDifference(
  connection: Connection,
  rows: EditedRows,
  id: string,
  tellTouch: TellTouch,
): Promise<EditKeeper> {
  const { facts } = rows
  const table = await describeTable(connection.client, facts)
  const rowCount = table.featureCount ?? (await countRows(connection, rows))
  await tellTouch(rowCount)
  await createDifference(connection, facts, id, emptyRows(facts))
  const kept = quoteTable(facts.schema, snapshotName(id))
  await connection.run(doing, `create index on ${kept} (${quoteIdentifier(facts.primaryKey)})`)
  const note: SnapshotNote = {
    id,
    kind: 'difference',
    table: facts.name,
    comment: null,
    indexes: [],
    sequences: [],
  }
  return differenceKeeper({ connection, rows, note, rowCount, table })
}

async function countRows(connection: Connection, { facts }: EditedRows): Promise<number> {
  const { rows } = await connection.run<{ n: number }>(
    doing,
    `select count(*)::float8 as n from ${quoteTable(facts.schema, facts.name)}`,
  )
  return rows[0]?.n ?? 0
}

function differenceKeeper(difference: Difference): EditKeeper {
  const { connection, rows, note } = difference
  const { facts } = rows
  const kept = quoteTable(facts.schema, snapshotName(note.id))
  let before: SavedRowState = 'untouched'
  const retain = async (featureId: string): Promise<void> => {
    const { sql, values } = conditionsOf(facts, { table: facts.name, featureId })
    const select = `select ${changeColumn} as change from ${kept} ${sql}`
    const { rows: found } = await connection.run<{ change: string }>(doing, select, values)
    const change = found[0]?.change
    before = change === undefined ? 'untouched' : change === 'added' ? 'added' : 'kept'
  }
  return {
    beforeTouch: async (featureId) => {
      await retain(featureId)
      if (before !== 'untouched') return
      await copyRow(difference, featureId, 'changed', givableColumns(facts))
    },
    afterWrite: async (featureId, done) => {
      if (done === 'added') await retain(featureId)
      if (done === 'added' && before === 'untouched')
        await copyRow(difference, featureId, 'added', [facts.primaryKey])
      return editCounts(done, before)
    },
    finish: (rowsAdded) => close(difference, rowsAdded),
  }
}

async function copyRow(
  { connection, rows: { facts }, note }: Difference,
  featureId: string,
  change: 'added' | 'changed',
  columns: readonly string[],
): Promise<void> {
  const { sql, values } = conditionsOf(facts, { table: facts.name, featureId })
  const list = columns.map(quoteIdentifier).join(', ')
  await connection.run(
    doing,
    `insert into ${quoteTable(facts.schema, snapshotName(note.id))} (${changeColumn}, ${list})
     select '${change}', ${list} from ${quoteTable(facts.schema, facts.name)} ${sql}`,
    values,
  )
}

/** Marks the table in its state after the commit. */
async function close(
  { connection, rows: { facts }, note, rowCount, table }: Difference,
  rowsAdded: number,
): Promise<TableSnapshot> {
  const mark = await markTable(connection, facts, rowCount + rowsAdded)
  await writeNote(connection, facts.schema, { ...note, mark })
  const { rows } = await connection.run<{ oid: number }>(
    doing,
    'select $1::regclass::oid::int8::float8 as oid',
    [quoteTable(facts.schema, snapshotName(note.id))],
  )
  const described = table ?? { name: facts.name, schema: { attributes: [], geometry: undefined } }
  return tableSnapshot(connection, note.id, 'difference', { table: described, oid: rows[0]?.oid ?? 0 })
}
