import { invalid } from '../../../core/errors/errors.ts'
import { quoteTable } from '../../../core/postgres/quote.ts'
import { columnValue } from '../../../geo/column.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { unionEnvelope } from '../../../geo/envelope.ts'
import { attributeIndex } from '../../../geo/schema.ts'
import type { EditDone } from '../../edit-counts.ts'
import { editCounts, rowGrowth } from '../../edit-counts.ts'
import type {
  DecideChange,
  EditHooks,
  EditRequest,
  EditResult,
  FeatureChange,
  FeaturePage,
  PreparedEdit,
  TableEdits,
} from '../../store.ts'
import { markTable } from '../apply/table-mark.ts'
import { commitPrepared, lockTable } from '../commit.ts'
import type { ConnectionSettings } from '../connection-settings.ts'
import type { ReadPool } from '../read-pool.ts'
import { actsOnRows } from '../row-check.ts'
import type { Connection } from '../session.ts'
import { findExtent } from '../table-extent.ts'
import type { EditSession } from './edit-sessions.ts'
import { EditSessions } from './edit-sessions.ts'
import type { EditedRows } from './edited-table.ts'
import { getEditedRows, readRow, whyNotEdited } from './edited-table.ts'
import type { EditKeeper } from './keep-edit.ts'
import { openKeeper } from './keep-edit.ts'
import { addRow, changeRow, removeRow } from './write-row.ts'

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
  const result = await editRow(settings, { connection, token }, edit, hooks)
  return {
    token,
    result,
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

async function editRow(
  { schema }: ConnectionSettings,
  { connection, token }: { connection: Connection; token: string },
  { request, decide }: PendingEdit,
  hooks: EditHooks,
): Promise<EditResult> {
  const rows = await getEditedRows(connection.client, schema, request.table)
  const { facts } = rows
  await lockTable(connection, quoteTable(facts.schema, facts.name), 'share row exclusive', hooks.signal)
  const { featureId } = request
  const present = featureId === undefined ? undefined : await readRow(connection.client, rows, featureId)
  const table = { name: facts.name, schema: rows.schema, primaryKey: facts.primaryKey }
  const computed = new Set(facts.columns.filter(({ isReadOnly }) => isReadOnly).map(({ name }) => name))
  const change = await decide({ table, computed, present })
  if (change.kind === 'none')
    return {
      featureId: featureId ?? '',
      rowsAdded: 0,
      counts: { added: 0, changed: 0, removed: 0 },
      feature: present,
      envelope: request.envelope,
    }
  // Rolled-back rows are counted by the statistics nevertheless.
  const keeper = await openKeeper(connection, rows, request.keep, async (rowsNow) =>
    hooks.beforeTouch(token, await markTable(connection, facts, rowsNow)),
  )
  return writeChange(connection, rows, { request, present, change, keeper })
}

interface Writing {
  request: EditRequest
  present: FeaturePage | undefined
  change: Exclude<FeatureChange, { kind: 'none' }>
  keeper: EditKeeper | undefined
}

const doneBy = { add: 'added', change: 'changed', remove: 'removed' } as const

async function writeChange(
  connection: Connection,
  rows: EditedRows,
  { request, present, change, keeper }: Writing,
): Promise<EditResult> {
  const done: EditDone = doneBy[change.kind]
  if (request.featureId !== undefined) await keeper?.beforeTouch(request.featureId)
  const featureId = await applyChange(connection, rows, request.featureId, change)
  const feature = done === 'removed' ? undefined : await readRow(connection.client, rows, featureId)
  if (feature !== undefined && change.kind !== 'remove')
    await requireAsGiven(connection, rows, feature, change)
  const { kept, counts } = (await keeper?.finish(featureId, done)) ?? {
    kept: undefined,
    counts: editCounts(done),
  }
  const envelope = await envelopeAfter(connection, rows, request.envelope, {
    before: present,
    after: feature,
  })
  return { featureId, rowsAdded: rowGrowth[done], counts, feature, kept, envelope }
}

async function applyChange(
  connection: Connection,
  rows: EditedRows,
  featureId: string | undefined,
  change: Writing['change'],
): Promise<string> {
  if (change.kind === 'add') return addRow(connection, rows, change.row)
  if (featureId === undefined) throw new Error('No feature was named')
  if (change.kind === 'remove') await removeRow(connection, rows, featureId)
  else await changeRow(connection, rows, featureId, change.row)
  return featureId
}

/** Throws `Failure` if a column stored another value than the given one, unless triggers changed it. */
async function requireAsGiven(
  connection: Connection,
  { facts, schema }: EditedRows,
  { batch }: FeaturePage,
  { row }: Extract<FeatureChange, { kind: 'add' | 'change' }>,
): Promise<void> {
  for (const [index, { name, type }] of row.schema.attributes.entries()) {
    const [given, held] = [row.columns[index], batch.columns[attributeIndex(schema, name)]]
    if (given === undefined || held === undefined) continue
    const [before, after] = [columnValue(given, 0), columnValue(held, 0)]
    const column = facts.columns.find((one) => one.name === name)
    // Types passed as text, such as JSON and UUIDs, are normalized by the server.
    if (column?.attribute === undefined || isSame(before, after, type)) continue
    if (await actsOnRows(connection, facts)) continue
    throw invalid(
      'invalid-property',
      `Property "${name}": the column of type ${column.sqlType} would hold ${String(after)} for ${String(before)}`,
    )
  }
}

function isSame(given: unknown, held: unknown, type: string): boolean {
  if (given instanceof Uint8Array && held instanceof Uint8Array) return Buffer.compare(given, held) === 0
  return type === 'decimal' ? Number(given) === Number(held) : Object.is(given, held)
}

async function envelopeAfter(
  connection: Connection,
  { facts }: EditedRows,
  known: Envelope | undefined,
  { before, after }: { before: FeaturePage | undefined; after: FeaturePage | undefined },
): Promise<Envelope | undefined> {
  if (facts.geometry === undefined) return undefined
  const [was, is] = [boxOf(before), boxOf(after)]
  if (known === undefined || (was !== undefined && reaches(was, known))) return findExtent(connection, facts)
  return is === undefined ? known : unionEnvelope(known, is)
}

function boxOf(page: FeaturePage | undefined): Envelope | undefined {
  const [minX = Number.NaN, minY = 0, maxX = 0, maxY = 0] = page?.batch.geometry?.envelopes ?? []
  return Number.isNaN(minX) ? undefined : { minX, minY, maxX, maxY }
}

function reaches(box: Envelope, { minX, minY, maxX, maxY }: Envelope): boolean {
  return box.minX <= minX || box.minY <= minY || box.maxX >= maxX || box.maxY >= maxY
}
