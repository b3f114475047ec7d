import type { DatabaseSync } from 'node:sqlite'
import { notFound } from '../../../core/errors/errors.ts'
import { editCounts, rowGrowth } from '../../edit-counts.ts'
import type {
  DecideChange,
  EditRequest,
  EditResult,
  FeatureChange,
  PreparedEdit,
  TableEdits,
} from '../../store.ts'
import type { FileChange } from '../change-file.ts'
import { beginTableChange, prepareFile } from '../change-file.ts'
import { describeTable, nextChange } from '../contents.ts'
import { storeFailure } from '../errors.ts'
import { hasFile } from '../file-access.ts'
import { setTableTriggersAside } from '../foreign-code.ts'
import type { GeoPackageReading } from '../reading/reading.ts'
import type { LoadSurroundings } from '../writer.ts'
import type { EditedRows } from './edited-table.ts'
import { getEditedRows, parseRowid, readRow, whyNotEdited } from './edited-table.ts'
import { openKeeper } from './keep-edit.ts'
import { addRow, boxOfRow, changeRow, removeRow, updateCatalogue } from './write-row.ts'

const noCounts = { added: 0, changed: 0, removed: 0 }

/** Edits single rows of the tables of a GeoPackage. */
export function createTableEdits(surroundings: LoadSurroundings, reading: GeoPackageReading): TableEdits {
  const { path, writer } = surroundings
  return {
    whyNot: async (table) =>
      reading.use(
        ({ db }) => whyNotEdited(db, table),
        () => 'The GeoPackage is gone',
      ),
    prepare: async (request, decide, { signal }) => {
      if (!hasFile(path)) throw notFound('unknown-table', `There is no GeoPackage with "${request.table}"`)
      const db = await writer.take({ isNew: true })
      try {
        return await prepareEdit(surroundings, db, { request, decide }, signal)
      } catch (error) {
        await writer.drop(db)
        throw storeFailure(error, path)
      }
    },
  }
}

interface PendingEdit {
  request: EditRequest
  decide: DecideChange
}

async function prepareEdit(
  surroundings: LoadSurroundings,
  db: DatabaseSync,
  edit: PendingEdit,
  signal: AbortSignal,
): Promise<PreparedEdit> {
  const { path, writer } = surroundings
  await prepareFile(path, db, signal)
  // An edit is confirmed to the client, so it must survive a power failure.
  db.exec('PRAGMA synchronous = FULL')
  const change = await beginTableChange(path, db, signal)
  try {
    const { result, token } = await editRow(surroundings, db, edit)
    signal.throwIfAborted()
    return {
      result,
      token,
      commit: () => commit(surroundings, db, change),
      discard: async () => {
        change.rollBack()
        await writer.keep(db, { knowsAll: true })
      },
    }
  } catch (error) {
    change.rollBack()
    throw error
  }
}

async function commit(
  { path, writer }: LoadSurroundings,
  db: DatabaseSync,
  change: FileChange,
): Promise<void> {
  try {
    change.commit()
  } catch (error) {
    change.rollBack()
    await writer.drop(db)
    throw storeFailure(error, path)
  }
  await writer.keep(db, { knowsAll: true })
}

async function editRow(
  { clock }: Pick<LoadSurroundings, 'clock'>,
  db: DatabaseSync,
  { request, decide }: PendingEdit,
): Promise<{ result: EditResult; token: string }> {
  const rows = getEditedRows(db, request.table)
  const rowid = request.featureId === undefined ? undefined : parseRowid(request.featureId)
  const present = rowid === undefined ? undefined : readRow(db, rows, rowid)
  const table = describeTable(db, rows.name)
  if (table === undefined) throw notFound('unknown-table', `There is no table "${request.table}"`)
  const change = await decide({ table, computed: rows.generated, present })
  const lastChange = nextChange(db, clock.now())
  const token = JSON.stringify({ table: rows.name, lastChange })
  if (change.kind === 'none') return { result: unchanged(request, present), token }
  return { result: write(db, rows, { request, rowid, change, lastChange }), token }
}

function unchanged({ featureId = '' }: EditRequest, feature: EditResult['feature']): EditResult {
  return { featureId, rowsAdded: 0, counts: noCounts, feature }
}

interface Writing {
  request: EditRequest
  rowid: bigint | undefined
  change: Exclude<FeatureChange, { kind: 'none' }>
  lastChange: string
}

const doneBy = { add: 'added', change: 'changed', remove: 'removed' } as const

function write(
  db: DatabaseSync,
  rows: EditedRows,
  { request, rowid, change, lastChange }: Writing,
): EditResult {
  const keeper = request.keep && openKeeper(db, rows, request.keep, lastChange)
  const triggers = setTableTriggersAside(db, rows.name, rows.table.schema.geometry?.name)
  const before = rowid === undefined ? undefined : boxOfRow(db, rows, rowid)
  if (rowid !== undefined) keeper?.beforeTouch(rowid)
  const touched = apply(db, rows, rowid, change)
  const done = doneBy[change.kind]
  const rowsAdded = rowGrowth[done]
  const after = change.kind === 'remove' ? undefined : boxOfRow(db, rows, touched)
  const envelope = updateCatalogue(db, rows, { before, after, rowsAdded, lastChange })
  const { kept, counts } = keeper?.finish(touched, done) ?? { kept: undefined, counts: editCounts(done) }
  triggers.restore()
  const feature = change.kind === 'remove' ? undefined : readRow(db, rows, touched)
  return { featureId: String(touched), rowsAdded, counts, kept, envelope, feature }
}

function apply(
  db: DatabaseSync,
  rows: EditedRows,
  rowid: bigint | undefined,
  change: Writing['change'],
): bigint {
  if (change.kind === 'add') return addRow(db, rows, change.row)
  if (rowid === undefined) throw new Error('No feature was named')
  if (change.kind === 'remove') removeRow(db, rows, rowid)
  else changeRow(db, rows, rowid, change.row)
  return rowid
}
