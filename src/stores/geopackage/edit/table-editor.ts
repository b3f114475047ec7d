import type { DatabaseSync } from 'node:sqlite'
import { notFound } from '../../../core/errors/errors.ts'
import { addEdits, editCounts, noEdits, rowGrowth } from '../../edit-counts.ts'
import type {
  EditedTable,
  FeatureChange,
  FeatureEditResult,
  TableEdit,
  TableEditResult,
} from '../../edits.ts'
import type { TableDescription } from '../../store.ts'
import { describeTable } from '../contents.ts'
import { setTableTriggersAside } from '../foreign-code.ts'
import type { EditedRows } from './edited-table.ts'
import { getEditedRows, parseRowid, readRow } from './edited-table.ts'
import type { EditKeeper } from './keep-edit.ts'
import { openKeeper } from './keep-edit.ts'
import type { TableGrowth } from './write-row.ts'
import { addRow, boxOfRow, changeRow, growTable, removeRow, updateCatalogue } from './write-row.ts'

const doneBy = { add: 'added', change: 'changed', remove: 'removed' } as const

type RowChange = Exclude<FeatureChange, { kind: 'none' }>

/** State of a table whose first row is about to be written. */
interface Begun {
  keeper: EditKeeper | undefined
  triggers: { restore(): void }
}

/** Edits rows of one table within the open transaction. */
export class TableEditor {
  readonly #db: DatabaseSync
  readonly #request: TableEdit
  readonly #lastChange: string
  readonly #rows: EditedRows
  readonly #table: TableDescription
  readonly #growth: TableGrowth = { leftEdge: false, written: undefined, rowsAdded: 0 }
  #counts = noEdits
  #begun: Begun | undefined

  /** Throws `Failure` if the rows of the table cannot be changed. */
  constructor(db: DatabaseSync, request: TableEdit, lastChange: string) {
    this.#db = db
    this.#request = request
    this.#lastChange = lastChange
    this.#rows = getEditedRows(db, request.table)
    const table = describeTable(db, this.#rows.name)
    if (table === undefined) throw notFound('unknown-table', `There is no table "${request.table}"`)
    this.#table = table
  }

  /** Edits a row, or adds one if `featureId` is undefined. */
  async edit(
    featureId: string | undefined,
    decide: (edited: EditedTable) => Promise<FeatureChange>,
  ): Promise<FeatureEditResult> {
    const rowid = featureId === undefined ? undefined : parseRowid(featureId)
    const present = rowid === undefined ? undefined : readRow(this.#db, this.#rows, rowid)
    const change = await decide({ table: this.#table, computed: this.#rows.generated, present })
    if (change.kind === 'none') return { featureId: featureId ?? '', feature: present, isChanged: false }
    const touched = this.#write(rowid, change)
    const feature = change.kind === 'remove' ? undefined : readRow(this.#db, this.#rows, touched)
    return { featureId: String(touched), feature, isChanged: true }
  }

  /** Completes the table after its last row. */
  finish(): TableEditResult {
    const token = JSON.stringify({ table: this.#rows.name, lastChange: this.#lastChange })
    if (this.#begun === undefined) return { counts: noEdits, rowsAdded: 0, isChanged: false, token }
    const { keeper, triggers } = this.#begun
    const envelope = updateCatalogue(this.#db, this.#rows, this.#growth, this.#lastChange)
    const kept = keeper?.finish()
    triggers.restore()
    const { rowsAdded } = this.#growth
    return { counts: this.#counts, rowsAdded, envelope, kept, isChanged: true, token }
  }

  #write(rowid: bigint | undefined, change: RowChange): bigint {
    const { keeper } = this.#begin()
    const before = rowid === undefined ? undefined : boxOfRow(this.#db, this.#rows, rowid)
    if (rowid !== undefined) keeper?.beforeTouch(rowid)
    const touched = this.#apply(rowid, change)
    const done = doneBy[change.kind]
    const after = change.kind === 'remove' ? undefined : boxOfRow(this.#db, this.#rows, touched)
    growTable(this.#growth, this.#rows, { before, after })
    this.#growth.rowsAdded += rowGrowth[done]
    this.#counts = addEdits(this.#counts, keeper?.afterWrite(touched, done) ?? editCounts(done))
    return touched
  }

  #begin(): Begun {
    if (this.#begun !== undefined) return this.#begun
    const { keep } = this.#request
    const keeper = keep && openKeeper(this.#db, this.#rows, keep, this.#lastChange)
    const triggers = setTableTriggersAside(this.#db, this.#rows.name, this.#rows.table.schema.geometry?.name)
    this.#begun = { keeper, triggers }
    return this.#begun
  }

  #apply(rowid: bigint | undefined, change: RowChange): bigint {
    if (change.kind === 'add') return addRow(this.#db, this.#rows, change.row)
    if (rowid === undefined) throw new Error('No feature was named')
    if (change.kind === 'remove') removeRow(this.#db, this.#rows, rowid)
    else changeRow(this.#db, this.#rows, rowid, change.row)
    return rowid
  }
}
