import type { DatabaseSync } from 'node:sqlite'
import { notFound } from '../../../core/errors/errors.ts'
import type { DecideChange, EditRequest, PreparedEdit, TableEdits } from '../../edits.ts'
import type { FileChange } from '../change-file.ts'
import { beginTableChange, prepareFile } from '../change-file.ts'
import { nextChange } from '../contents.ts'
import { storeFailure } from '../errors.ts'
import { hasFile } from '../file-access.ts'
import type { GeoPackageReading } from '../reading/reading.ts'
import type { LoadSurroundings } from '../writer.ts'
import { whyNotEdited } from './edited-table.ts'
import { TableEditor } from './table-editor.ts'

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
      if (!hasFile(path))
        throw notFound('unknown-table', `There is no GeoPackage with "${request.tables[0]?.table}"`)
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
    const result = await editRows(surroundings, db, edit, signal)
    signal.throwIfAborted()
    return {
      ...result,
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

async function editRows(
  { clock }: Pick<LoadSurroundings, 'clock'>,
  db: DatabaseSync,
  { request, decide }: PendingEdit,
  signal: AbortSignal,
): Promise<Pick<PreparedEdit, 'features' | 'tables'>> {
  const lastChange = nextChange(db, clock.now())
  const editors = request.tables.map((table) => new TableEditor(db, table, lastChange))
  const features: PreparedEdit['features'][number][] = []
  for (const [index, { table, featureId }] of request.edits.entries()) {
    signal.throwIfAborted()
    const editor = editors[table]
    if (editor === undefined) throw new Error('The table of an edit was not named')
    features.push(await editor.edit(featureId, (edited) => decide(edited, index)))
  }
  return { features, tables: editors.map((editor) => editor.finish()) }
}
