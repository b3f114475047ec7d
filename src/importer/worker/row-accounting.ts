import type { Failure } from '../../core/errors/errors.ts'
import { invalid } from '../../core/errors/errors.ts'
import { without } from '../../core/values/defined.ts'
import type { RejectWriter } from '../../formats/reject-writer.ts'
import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import type { Schema } from '../../geo/schema.ts'
import type { LoadResult } from '../../stores/index.ts'
import type { RejectGroup } from '../model/load-rules.ts'
import { findRejectFault } from '../model/load-rules.ts'
import type { CorrectionOutcome, LoadOutcome, LoadPlan, LoadProgress } from './load-plan.ts'
import { rowGeometry, rowProperties, sourceProperties } from './read-values.ts'
import type { RejectSource } from './reject-reasons.ts'
import { RejectReasons } from './reject-reasons.ts'
import { SourceWindow } from './source-window.ts'
import type { SparedKeys } from './spared-keys.ts'
import type { StoredRejects } from './stored-rejects.ts'

/**
 * Maximum number of rows whose source values are read again; further rows are listed with their transformed
 * values.
 */
const maxGone = 100_000

/**
 * Yields rows that transformations reject with their values in the source; rows rejected by the reader are
 * unchanged. Yields one row at a time: the values of a whole batch would survive the young generation and
 * wait for a major garbage collection.
 */
function* asRead(
  source: FeatureBatch,
  rejects: readonly RejectedRow[],
): Generator<[RejectedRow, RejectSource]> {
  const indexes = new Map<number, number>()
  source.rowNumbers.forEach((number, index) => {
    indexes.set(number, index)
  })
  for (const reject of rejects) {
    const index = indexes.get(reject.row)
    if (index === undefined) yield [reject, 'row-not-read']
    else {
      const facts = without(reject, 'geometry')
      const row = { ...facts, properties: rowProperties(source, index), ...rowGeometry(source, index) }
      yield [row, 'row-not-transformed']
    }
  }
}

/** True if a load without rows would remove rows of its target. */
export function takesRowsAway({ mode, upsert }: LoadPlan): boolean {
  return mode === 'REPLACE' || upsert?.deletesMissing === true
}

/** Counts every row, so that none is lost unnoticed. */
export class RowAccounting {
  rowsRead = 0
  /** State of the rejected rows when corrected rows are loaded. */
  known: StoredRejects | undefined
  /** Number of corrected rows that do not correspond to a rejected row. */
  refused = 0
  /** Keys of rows that were rejected, for an UPSERT that deletes rows missing in the data. */
  sparedKeys: SparedKeys | undefined
  /** True if the target has rows that a REPLACE, or an UPSERT with deletion, would remove. */
  isTargetFilled = false
  readonly #reasons = new RejectReasons()
  /** Numbers of rows that the store rejected after their batch had left the source window. */
  readonly gone = new Set<number>()
  readonly #source = new SourceWindow()
  readonly #plan: LoadPlan
  readonly #rejects: RejectWriter
  readonly #tell: (progress: LoadProgress) => void

  constructor(plan: LoadPlan, rejects: RejectWriter, tell: (progress: LoadProgress) => void) {
    this.#plan = plan
    this.#rejects = rejects
    this.#tell = tell
  }

  async *countRead(batches: AsyncIterable<FeatureBatch>): AsyncGenerator<FeatureBatch> {
    for await (const batch of batches) {
      this.rowsRead += batch.rowCount + batch.rejects.length
      this.#source.add(batch)
      yield batch
    }
  }

  async *keepRejects(batches: AsyncIterable<FeatureBatch>): AsyncGenerator<FeatureBatch> {
    for await (const batch of batches) {
      const isClean = batch.rejects.length === 0
      const rejects = isClean ? [] : asRead(this.#source.last ?? batch, batch.rejects)
      for (const [reject, code] of rejects) this.#reject(reject, code)
      this.#tell({ phase: 'loading', rows: this.rowsRead, rejected: this.#rejects.count })
      yield isClean ? batch : { ...batch, rejects: [] }
    }
    const { rowsRead: rows, rejected } = this
    this.#tell({ phase: 'loading', rows, rejected, isReadToEnd: true })
  }

  refuse(batch: FeatureBatch, row: number, why: { field?: string; reason: string }): void {
    const number = batch.rowNumbers[row] ?? 0
    const found = this.#source.find(number)
    if (found === undefined && this.gone.size < maxGone) this.gone.add(number)
    const values = found ?? { properties: sourceProperties(batch, row), ...rowGeometry(batch, row) }
    this.#reject({ row: number, ...why, ...values }, 'row-not-stored')
  }

  get rejected(): number {
    return this.#rejects.count
  }

  /** Returns why rows were rejected, the most frequent reasons first. */
  get rejectGroups(): RejectGroup[] {
    return this.#reasons.groups()
  }

  /** Returns the error that prevents the commit, or undefined. */
  findFault(): Failure | undefined {
    const { rowsRead, rejected } = this
    if (this.known !== undefined) return this.#findNothingCorrected()
    const fault = findRejectFault(this.#plan.rejectLimit, { rowsRead, rejected })
    if (fault !== undefined) {
      return invalid('too-many-rejects', `${fault}. The commonest reasons: ${this.#reasons.explain()}`)
    }
    return rowsRead === 0 ? this.#findEmpty() : undefined
  }

  /**
   * Corrected rows were rejected before, so the limit of rejected rows cannot be exceeded. Returns an error
   * only if none could be loaded.
   */
  #findNothingCorrected(): Failure | undefined {
    if (this.rowsRead > this.rejected) return undefined
    const why = this.#reasons.explain()
    return invalid(
      'nothing-mended',
      `None of the rows that were sent could be loaded${why === '' ? '' : `: ${why}`}`,
    )
  }

  #findEmpty(): Failure | undefined {
    const { mode, table, allowEmpty } = this.#plan
    if (!this.isTargetFilled || !takesRowsAway(this.#plan) || allowEmpty === true) return undefined
    const what = mode === 'REPLACE' ? mode : `${mode} with deleteMissing`
    const text = `No row was read: ${what} would leave "${table}" empty. Where that is meant, set allowEmpty`
    return invalid('empty-replace', text)
  }

  /** Result of corrected rows. */
  get mended(): CorrectionOutcome | undefined {
    if (this.known === undefined) return undefined
    const { rowsRead, rejected, refused } = this
    const rows = { sent: rowsRead + refused, loaded: rowsRead - rejected, rejected, refused }
    return { rows, reasons: this.#reasons.groups() }
  }

  /** A corrected row that does not correspond to a rejected one: it is neither loaded nor counted as read. */
  refuseCorrection(row: RejectedRow): void {
    this.refused += 1
    this.#reasons.add(row, 'row-refused')
  }

  #reject(reject: RejectedRow, code: RejectSource): void {
    const text = code === 'row-not-read' ? this.#source.last?.texts?.get(reject.row) : undefined
    if (this.#rejects.add(reject, code, text)) this.known?.rejectAgain(reject.row)
    this.#reasons.add(reject, code)
    this.sparedKeys?.add(reject, code)
  }

  /** Returns the outcome of the load. Throws if the load must not commit. */
  settle(result: LoadResult, schema: Schema): LoadOutcome {
    const { rowsRead, rejected } = this
    const { rowsLoaded, envelope, renamed, table, kept, changes } = result
    if (rowsRead !== rowsLoaded + rejected) {
      throw new Error(
        `Internal accounting: ${rowsRead} rows were read, but ${rowsLoaded} loaded and ${rejected} rejected`,
      )
    }
    const fault = this.findFault()
    if (fault !== undefined) {
      this.#tell({ phase: 'committing', rows: rowsRead, rejected })
      throw fault
    }
    return {
      rowsRead,
      rowsLoaded,
      rejected,
      schema,
      renamed,
      envelope,
      table,
      kept,
      changes,
      mended: this.mended,
    }
  }
}
