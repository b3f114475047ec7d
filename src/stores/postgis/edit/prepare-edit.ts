import type {
  DecideChange,
  EditHooks,
  EditRequest,
  FeatureEditResult,
  PreparedEdit,
  TableEditResult,
  TableEdits,
} from '../../edits.ts'
import { commitPrepared } from '../commit.ts'
import type { ConnectionSettings } from '../connection-settings.ts'
import type { ReadPool } from '../read-pool.ts'
import type { Connection } from '../session.ts'
import type { EditSession } from './edit-sessions.ts'
import { EditSessions } from './edit-sessions.ts'
import { whyNotEdited } from './edited-table.ts'
import { openTable, type TableEditor, type TellTouch } from './table-editor.ts'

/** Edits single rows of the tables of a schema. */
export interface PostgisEdits extends TableEdits {
  close(): Promise<void>
}

export function createTableEdits(settings: ConnectionSettings, pool: ReadPool): PostgisEdits {
  const sessions = new EditSessions(settings)
  return {
    whyNot: (table) => pool.use((client) => whyNotEdited(client, settings.schema, table)),
    prepare: async (request, decide, hooks) => {
      const { signal } = hooks
      const session = await sessions.begin(signal)
      try {
        return await prepareEdit(settings, session, { request, decide }, hooks)
      } catch (error) {
        await undo(session)
        signal.throwIfAborted()
        throw error
      }
    },
    close: () => sessions.close(),
  }
}

interface PendingEdit {
  request: EditRequest
  decide: DecideChange
}

/** Rolls back; the statistics of rolled-back rows are flushed too. */
async function undo({ connection, keep, drop }: EditSession): Promise<void> {
  const isEnded = await connection.client.query('rollback').then(
    () => true,
    () => false,
  )
  await (isEnded ? keep() : drop())
}

async function prepareEdit(
  settings: ConnectionSettings,
  session: EditSession,
  edit: PendingEdit,
  hooks: EditHooks,
): Promise<PreparedEdit> {
  const { signal } = hooks
  const { connection } = session
  const { rows } = await connection.run<{ token: string }>(
    'beginning an edit',
    'select txid_current()::text as token',
  )
  const token = rows[0]?.token ?? ''
  const result = await editRows(settings, { connection, token }, edit, hooks)
  return {
    ...result,
    commit: async () => {
      try {
        const steps = { connection, result: { rowsLoaded: 0, renamed: {} } }
        await commitPrepared(settings, steps, { token, signal })
      } catch (error) {
        await session.drop()
        throw error
      }
      await session.keep()
    },
    discard: () => undo(session),
  }
}

async function editRows(
  { schema }: ConnectionSettings,
  transaction: { connection: Connection; token: string },
  { request, decide }: PendingEdit,
  hooks: EditHooks,
): Promise<Pick<PreparedEdit, 'features' | 'tables'>> {
  const editors: TableEditor[] = []
  for (const [index, table] of request.tables.entries()) {
    const beforeTouch: TellTouch = (mark) => hooks.beforeTouch(index, transaction.token, mark)
    editors.push(await openTable(transaction, { schema, table, beforeTouch }, hooks.signal))
  }
  const features: FeatureEditResult[] = []
  for (const [index, { table, featureId }] of request.edits.entries()) {
    hooks.signal.throwIfAborted()
    const editor = editors[table]
    if (editor === undefined) throw new Error('The table of an edit was not named')
    features.push(await editor.edit(featureId, (edited) => decide(edited, index)))
  }
  const tables: TableEditResult[] = []
  for (const editor of editors) tables.push(await editor.finish())
  return { features, tables }
}
