import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import { convertColumn } from '../convert-column.ts'
import type { GeometryRules } from '../geometry-rules.ts'
import { fitTable, misfitReason } from '../geometry-rules.ts'
import type { LoadHooks } from '../store.ts'
import type { TablePlan } from './plan-table.ts'
import type { StoredRow, StoredValue } from './row-file.ts'

interface Refusal {
  field?: string
  reason: string
}

/** The rows that a table takes; the others go to `onReject`. Nothing of a batch is held when the next one is taken. */
export async function takeRows(
  plan: TablePlan,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<StoredRow[]> {
  const rows: StoredRow[] = []
  for await (const batch of batches) {
    hooks.signal.throwIfAborted()
    const refusals = new Map<number, Refusal>()
    const columns = columnsOf(plan, batch, refusals)
    const geometries = geometriesOf(plan, batch, refusals)
    for (let row = 0; row < batch.rowCount; row += 1) {
      const refusal = refusals.get(row)
      if (refusal !== undefined) hooks.onReject(batch, row, refusal)
      else rows.push({ ...geometries(row), values: columns.map((column) => valueAt(column, row)) })
    }
  }
  hooks.signal.throwIfAborted()
  return rows
}

function valueAt(column: Column | undefined, row: number): StoredValue {
  const value = column === undefined ? null : columnValue(column, row)
  return value instanceof Uint8Array ? Uint8Array.from(value) : value
}

/** The columns of the table in its types; a value that does not become one is a refusal of its row. */
function columnsOf(
  { schema, sources }: TablePlan,
  batch: FeatureBatch,
  refusals: Map<number, Refusal>,
): (Column | undefined)[] {
  return schema.attributes.map((attribute, at) => {
    const given = batch.columns[sources[at] ?? -1]
    if (given === undefined) return undefined
    const refuse = (row: number, reason: string): void => {
      if (!refusals.has(row)) refusals.set(row, { field: attribute.name, reason })
    }
    const column = convertColumn(given, batch.rowCount, attribute, refuse)
    const { maxLength } = attribute
    for (let row = 0; maxLength !== undefined && row < batch.rowCount; row += 1) {
      const value = columnValue(column, row)
      const length = typeof value === 'string' ? [...value].length : 0
      if (length > maxLength) refuse(row, `The text has ${length} characters, the column takes ${maxLength}`)
    }
    return column
  })
}

function geometriesOf(
  { schema }: TablePlan,
  { geometry, rowCount }: FeatureBatch,
  refusals: Map<number, Refusal>,
): (row: number) => Pick<StoredRow, 'geometry' | 'envelope'> {
  if (schema.geometry === undefined || geometry === undefined) return () => ({})
  const rules: GeometryRules = { ...schema.geometry, isOpen: false }
  const fits = fitTable(rules)
  const { bytes, offsets, validity, envelopes } = geometry
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const numberAt = (row: number): number => view.getUint32((offsets[row] ?? 0) + 1, true)
  for (let row = 0; row < rowCount; row += 1) {
    if (!isValid(validity, row)) continue
    const fit = fits[numberAt(row)] ?? 'typeMismatch'
    const isTaken = fit === 'asIs' || fit === 'promote'
    if (!isTaken && !refusals.has(row)) refusals.set(row, { reason: misfitReason(rules, numberAt(row), fit) })
  }
  return (row) => {
    if (!isValid(validity, row)) return {}
    const wkb = Uint8Array.from(bytes.subarray(offsets[row], offsets[row + 1]))
    const stored = { geometry: fits[numberAt(row)] === 'promote' ? asMulti(wkb) : wkb }
    const [minX = Number.NaN, minY = 0, maxX = 0, maxY = 0] = envelopes.subarray(row * 4, row * 4 + 4)
    return Number.isNaN(minX) ? stored : { ...stored, envelope: { minX, minY, maxX, maxY } }
  }
}

/** A geometry as the only part of a multi geometry: byte order, type, number of parts, then the part. */
function asMulti(wkb: Uint8Array): Uint8Array {
  const multi = new Uint8Array(9 + wkb.length)
  const view = new DataView(multi.buffer)
  view.setUint8(0, 1)
  view.setUint32(1, new DataView(wkb.buffer).getUint32(1, true) + 3, true)
  view.setUint32(5, 1, true)
  multi.set(wkb, 9)
  return multi
}
