import { invalid } from '../../../core/errors/errors.ts'
import { quoteTable } from '../../../core/postgres/quote.ts'
import { columnValue } from '../../../geo/column.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { unionEnvelope } from '../../../geo/envelope.ts'
import { attributeIndex } from '../../../geo/schema.ts'
import type { EditDone } from '../../edit-counts.ts'
import { addEdits, editCounts, noEdits, rowGrowth } from '../../edit-counts.ts'
import type {
  EditedTable,
  FeatureChange,
  FeatureEditResult,
  TableEdit,
  TableEditResult,
} from '../../edits.ts'
import type { FeaturePage } from '../../store.ts'
import { markTable } from '../apply/table-mark.ts'
import { lockTable } from '../commit.ts'
import { actsOnRows } from '../row-check.ts'
import type { Connection } from '../session.ts'
import { findExtent } from '../table-extent.ts'
import type { EditedRows } from './edited-table.ts'
import { getEditedRows, readRow } from './edited-table.ts'
import type { EditKeeper } from './keep-edit.ts'
import { openKeeper } from './keep-edit.ts'
import { addRow, changeRow, removeRow } from './write-row.ts'

const doneBy = { add: 'added', change: 'changed', remove: 'removed' } as const

type RowChange = Exclude<FeatureChange, { kind: 'none' }>

/** Announces that the table is about to be written. */
export type TellTouch = (mark: string) => Promise<void>

interface OpenTransaction {
  connection: Connection
  /** Id of the transaction. */
  token: string
}

interface OpenedTable {
  schema: string
  table: TableEdit
  beforeTouch: TellTouch
}

/** Locks a table until the end of the transaction. Throws `Failure` if its rows cannot be changed. */
export async function openTable(
  transaction: OpenTransaction,
  { schema, table, beforeTouch }: OpenedTable,
  signal: AbortSignal,
): Promise<TableEditor> {
  const { connection } = transaction
  const rows = await getEditedRows(connection.client, schema, table.table)
  const { facts } = rows
  await lockTable(connection, quoteTable(facts.schema, facts.name), 'share row exclusive', signal)
  return new TableEditor(transaction, rows, table, beforeTouch)
}

/** Edits rows of one locked table within the open transaction. */
export class TableEditor {
  readonly #connection: Connection
  readonly #token: string
  readonly #rows: EditedRows
  readonly #request: TableEdit
  readonly #beforeTouch: TellTouch
  readonly #edited: Omit<EditedTable, 'present'>
  #begun: { keeper: EditKeeper | undefined } | undefined
  #counts = noEdits
  #rowsAdded = 0
  #written: Envelope | undefined
  /** True if a changed or removed geometry reached the edge of the known envelope. */
  #leftEdge = false

  constructor(
    { connection, token }: OpenTransaction,
    rows: EditedRows,
    request: TableEdit,
    beforeTouch: TellTouch,
  ) {
    this.#connection = connection
    this.#token = token
    this.#rows = rows
    this.#request = request
    this.#beforeTouch = beforeTouch
    const { facts, schema } = rows
    this.#edited = {
      table: { name: facts.name, schema, primaryKey: facts.primaryKey },
      computed: new Set(facts.columns.filter(({ isReadOnly }) => isReadOnly).map(({ name }) => name)),
    }
  }

  /** Edits a row, or adds one if `featureId` is undefined. */
  async edit(
    featureId: string | undefined,
    decide: (edited: EditedTable) => Promise<FeatureChange>,
  ): Promise<FeatureEditResult> {
    const present =
      featureId === undefined ? undefined : await readRow(this.#connection.client, this.#rows, featureId)
    const change = await decide({ ...this.#edited, present })
    if (change.kind === 'none') return { featureId: featureId ?? '', feature: present, isChanged: false }
    const keeper = await this.#begin()
    const done: EditDone = doneBy[change.kind]
    if (featureId !== undefined) await keeper?.beforeTouch(featureId)
    const touched = await this.#apply(featureId, change)
    const feature =
      done === 'removed' ? undefined : await readRow(this.#connection.client, this.#rows, touched)
    if (feature !== undefined && change.kind !== 'remove')
      await requireAsGiven(this.#connection, this.#rows, feature, change)
    this.#counts = addEdits(this.#counts, (await keeper?.afterWrite(touched, done)) ?? editCounts(done))
    this.#rowsAdded += rowGrowth[done]
    this.#grow(boxOf(present), boxOf(feature))
    return { featureId: touched, feature, isChanged: true }
  }

  /** Completes the table after its last row. */
  async finish(): Promise<TableEditResult> {
    const token = this.#token
    if (this.#begun === undefined)
      return { counts: noEdits, rowsAdded: 0, envelope: this.#request.envelope, isChanged: false, token }
    const kept = await this.#begun.keeper?.finish(this.#rowsAdded)
    const envelope = await this.#envelope()
    return { counts: this.#counts, rowsAdded: this.#rowsAdded, envelope, kept, isChanged: true, token }
  }

  async #begin(): Promise<EditKeeper | undefined> {
    if (this.#begun !== undefined) return this.#begun.keeper
    // Rolled-back rows are counted by the statistics nevertheless.
    const keeper = await openKeeper(this.#connection, this.#rows, this.#request.keep, async (rowsNow) =>
      this.#beforeTouch(await markTable(this.#connection, this.#rows.facts, rowsNow)),
    )
    this.#begun = { keeper }
    return keeper
  }

  async #apply(featureId: string | undefined, change: RowChange): Promise<string> {
    if (change.kind === 'add') return addRow(this.#connection, this.#rows, change.row)
    if (featureId === undefined) throw new Error('No feature was named')
    if (change.kind === 'remove') await removeRow(this.#connection, this.#rows, featureId)
    else await changeRow(this.#connection, this.#rows, featureId, change.row)
    return featureId
  }

  #grow(before: Envelope | undefined, after: Envelope | undefined): void {
    const { envelope } = this.#request
    if (before !== undefined && envelope !== undefined && reaches(before, envelope)) this.#leftEdge = true
    if (after === undefined) return
    this.#written = this.#written === undefined ? after : unionEnvelope(this.#written, after)
  }

  async #envelope(): Promise<Envelope | undefined> {
    const { facts } = this.#rows
    const { envelope } = this.#request
    if (facts.geometry === undefined) return undefined
    if (envelope === undefined || this.#leftEdge) return findExtent(this.#connection, facts)
    return this.#written === undefined ? envelope : unionEnvelope(envelope, this.#written)
  }
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

function boxOf(page: FeaturePage | undefined): Envelope | undefined {
  const [minX = Number.NaN, minY = 0, maxX = 0, maxY = 0] = page?.batch.geometry?.envelopes ?? []
  return Number.isNaN(minX) ? undefined : { minX, minY, maxX, maxY }
}

function reaches(box: Envelope, { minX, minY, maxX, maxY }: Envelope): boolean {
  return box.minX <= minX || box.minY <= minY || box.maxX >= maxX || box.maxY >= maxY
}
