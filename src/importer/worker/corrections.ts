import { invalid } from '../../core/errors/errors.ts'
import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import { batchRows } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue } from '../../geo/column.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import { isSameCrs } from '../../geo/crs-same.ts'
import { labelOfCrs } from '../../geo/crs-uncoded.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { reprojectBatch } from '../../geo/reproject-geometry.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import { selectRows } from '../../geo/select-rows.ts'
import { convertColumn } from '../../stores/worker.ts'
import type { CorrectionPlan } from '../model/load-rules.ts'
import { rejectColumns } from '../model/load-rules.ts'
import type { OpenSource } from './open-source.ts'
import { rowGeometry, rowProperties } from './read-values.ts'
import type { StoredRejects } from './stored-rejects.ts'

/** Callbacks for corrected rows. */
export interface CorrectionHooks {
  signal: AbortSignal
  onMessage(message: { level: 'info' | 'warning' | 'error'; message: string; code: string }): void
  /** Called for rows that are not among the rejected ones. */
  onRefuse(refused: RejectedRow): void
}

/** Indexes of the task's columns in the uploaded file; -1 for missing ones. */
interface Matching {
  /** Row number in the source of the task. */
  row: number
  attributes: number[]
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

function placeOf(names: readonly string[], requested: string): number {
  const exact = names.indexOf(requested)
  return exact >= 0 ? exact : names.findIndex((name) => fold(name) === fold(requested))
}

/** Matches columns by name. Throws `Failure` if the row numbers are missing, or if no column matches. */
function matchColumns(sent: Schema, schema: Schema, { onMessage }: CorrectionHooks): Matching {
  const names = sent.attributes.map(({ name }) => name)
  const columns = rejectColumns(schema)
  const row = placeOf(names, columns.row)
  if (row < 0) {
    const found = names.slice(0, 20).join(', ')
    throw invalid('no-row-numbers', `Corrected rows need the column "${columns.row}"; the file has ${found}`)
  }
  const attributes = schema.attributes.map(({ name }) => placeOf(names, name))
  if (schema.attributes.length > 0 && attributes.every((attributeIndex) => attributeIndex < 0)) {
    const expected = schema.attributes.map(({ name }) => name).slice(0, 20)
    throw invalid('no-columns-match', `The file has none of the columns ${expected.join(', ')}`)
  }
  const reported = new Set([...attributes, ...Object.values(columns).map((name) => placeOf(names, name))])
  for (const [columnIndex, { name }] of schema.attributes.entries()) {
    if ((attributes[columnIndex] ?? -1) >= 0) continue
    const message = `The file has no column "${name}": it is empty in the submitted rows`
    onMessage({ level: 'warning', code: 'column-missing', message })
  }
  for (const [columnIndex, name] of names.entries()) {
    if (reported.has(columnIndex)) continue
    const message = `Column "${name}" of the file is not a column of the task and was ignored`
    onMessage({ level: 'info', code: 'column-left-out', message })
  }
  return { row, attributes }
}

/** Returns the reprojection of the coordinates; undefined if none is needed or if a CRS is unknown. */
async function openReprojector(
  sent: Schema,
  schema: Schema,
  { signal, onMessage }: CorrectionHooks,
): Promise<Reprojector | undefined> {
  const [from, to] = [sent.geometry?.crs, schema.geometry?.crs]
  if (from === undefined || to === undefined) return undefined
  if (isSameCrs(from, to)) return undefined
  const reprojector = await createReprojector(from, to, { signal, prefersPrograms: true })
  const message = `The rows were reprojected from ${labelOfCrs(from)} to ${labelOfCrs(to)}, the CRS of the data`
  onMessage({ level: 'info', code: 'reprojected', message })
  return reprojector
}

/**
 * Opens the rows of an uploaded file like the source of their task: with its schema and row numbers. Rows
 * that are not, or no longer, rejected are refused.
 */
export async function openCorrections(
  source: OpenSource,
  plan: CorrectionPlan,
  known: StoredRejects,
  hooks: CorrectionHooks,
): Promise<OpenSource> {
  const matching = matchColumns(source.schema, plan.schema, hooks)
  if (plan.schema.geometry !== undefined && source.schema.geometry === undefined) {
    throw invalid('no-geometry', `The rows need a geometry, "${plan.schema.geometry.name}"`)
  }
  const reprojector = await openReprojector(source.schema, plan.schema, hooks)
  async function* batches(): AsyncGenerator<FeatureBatch> {
    for await (const batch of source.batches) {
      const taken = takeRows(batch, matching.row, known, hooks)
      const moved = await reprojectBatch(taken, reprojector)
      const made = toSchema(moved, plan.schema, matching)
      yield { ...made, rejects: [...made.rejects, ...takeRejects(batch, plan.schema, known, hooks)] }
    }
  }
  const close = async (): Promise<void> => {
    await Promise.all([source.close(), reprojector?.close()])
  }
  return { schema: plan.schema, batches: batches(), close }
}

/** Returns a positive integer, whichever type the format uses for it. */
function rowNumberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value.trim() || Number.NaN) : Number(value ?? Number.NaN)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** Returns why a row cannot be accepted, or undefined. */
function refusalOf(
  value: unknown,
  known: StoredRejects,
): { row: number; value?: string; reason: string } | number {
  const row = rowNumberOf(value)
  if (row === undefined) {
    const shown = String(value ?? '').slice(0, 200)
    return { row: 0, value: shown, reason: 'The row has no number of a rejected row' }
  }
  const reason = known.take(row)
  return reason === undefined ? row : { row, reason }
}

/** Returns the accepted rows of a batch, with their row numbers in the source. */
function takeRows(
  batch: FeatureBatch,
  rowColumn: number,
  known: StoredRejects,
  { onRefuse }: CorrectionHooks,
): FeatureBatch {
  const numbers = batch.columns[rowColumn] as Column
  const rows: number[] = []
  const taken: number[] = []
  for (let row = 0; row < batch.rowCount; row += 1) {
    const found = refusalOf(columnValue(numbers, row), known)
    if (typeof found !== 'number') onRefuse(found)
    else {
      rows.push(row)
      taken.push(found)
    }
  }
  const chosen = rows.length === batch.rowCount ? batch : selectRows(batch, Uint32Array.from(rows))
  return { ...chosen, rowNumbers: Float64Array.from(taken), rejects: [] }
}

/** Rejects unreadable rows of the uploaded file again, if their row numbers are readable. */
function takeRejects(
  { rejects }: FeatureBatch,
  schema: Schema,
  known: StoredRejects,
  { onRefuse }: CorrectionHooks,
): RejectedRow[] {
  const { row: column } = rejectColumns(schema)
  return rejects.flatMap((reject) => {
    const names = Object.keys(reject.properties ?? {})
    const name = names[placeOf(names, column)]
    const found = refusalOf(name === undefined ? undefined : reject.properties?.[name], known)
    if (typeof found === 'number') return [{ ...reject, row: found }]
    const { reason, value } = reject
    const reported = found.row === 0 ? { ...found, value: value ?? found.value, reason } : found
    onRefuse(reported)
    return []
  })
}

function emptyColumn({ type }: Attribute, rowCount: number): Column {
  const builder = createColumnBuilder(type, Math.max(rowCount, 1))
  builder.padTo(rowCount)
  return builder.finish()
}

/**
 * Returns the batch with the columns of the source. A value that cannot be converted to the type of its
 * column rejects its row.
 */
function toSchema(batch: FeatureBatch, schema: Schema, { attributes }: Matching): FeatureBatch {
  const { rowCount } = batch
  const rejects = new Map<number, RejectedRow>()
  const columns = schema.attributes.map((attribute, index) => {
    const from = batch.columns[attributes[index] ?? -1]
    if (from === undefined) return emptyColumn(attribute, rowCount)
    return convertColumn(from, rowCount, attribute, (row, reason) => {
      if (rejects.has(row)) return
      const value = String(columnValue(from, row)).slice(0, 200)
      const facts = { row: batch.rowNumbers[row] ?? 0, field: attribute.name, value, reason }
      rejects.set(row, { ...facts, properties: rowProperties(batch, row), ...rowGeometry(batch, row) })
    })
  })
  const geometry = schema.geometry === undefined ? undefined : (batch.geometry ?? noGeometry(rowCount))
  const whole: FeatureBatch = {
    schema,
    rowCount,
    columns,
    geometry,
    rowNumbers: batch.rowNumbers,
    rejects: [],
  }
  if (rejects.size === 0) return whole
  const good = Array.from({ length: rowCount }, (_, row) => row).filter((row) => !rejects.has(row))
  return { ...selectRows(whole, Uint32Array.from(good)), rejects: [...rejects.values()] }
}

function noGeometry(rowCount: number) {
  const builder = new GeometryBuilder(Math.max(rowCount, batchRows))
  builder.padTo(rowCount)
  return builder.finish()
}
