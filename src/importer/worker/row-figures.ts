import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import type { AttributeType, Schema } from '../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import type { ColumnChange, RuleValue, StopRules, ValueRule } from '../model/load-rules.ts'

/** Measures values for rules while rows pass. One instance per load with rules or per dry run. */
export class RowFiguresBuilder {
  /** Size of the values, approximately as in a store. */
  bytes = 0
  emptyGeometries = 0
  outside = 0
  readonly empty: Record<string, number> = Object.create(null)
  readonly values: Record<string, { rows: number; value: string }> = Object.create(null)
  readonly #stopIf: StopRules
  readonly #emptyNames: string[]
  readonly #valueRules: [string, ValueRule][]

  constructor(stopIf: StopRules = {}) {
    this.#stopIf = stopIf
    this.#emptyNames = Object.keys(stopIf.empty ?? {})
    this.#valueRules = Object.entries(stopIf.values ?? {})
  }

  async *count(batches: AsyncIterable<FeatureBatch>): AsyncGenerator<FeatureBatch> {
    for await (const batch of batches) {
      this.#addBatch(batch)
      yield batch
    }
  }

  /** Subtracts a row that the store rejects. */
  refuse(batch: FeatureBatch, row: number): void {
    this.#count(batch, row, -1)
  }

  #addBatch(batch: FeatureBatch): void {
    this.bytes += sizeOfBatch(batch)
    for (let row = 0; row < batch.rowCount; row += 1) this.#count(batch, row, 1)
  }

  #count(batch: FeatureBatch, row: number, by: 1 | -1): void {
    const { geometry } = batch
    if (geometry !== undefined && Number.isNaN(geometry.envelopes[row * 4])) this.emptyGeometries += by
    const { outside } = this.#stopIf
    for (const name of this.#emptyNames) {
      if (isEmpty(columnOf(batch, name), row)) this.empty[name] = (this.empty[name] ?? 0) + by
    }
    for (const [name, rule] of this.#valueRules) this.#lookAtValue(batch, row, { name, rule, by })
    if (outside !== undefined && liesOutside(batch, row, outside)) this.outside += by
  }

  #lookAtValue(
    batch: FeatureBatch,
    row: number,
    { name, rule, by }: { name: string; rule: ValueRule; by: 1 | -1 },
  ): void {
    const column = columnOf(batch, name)
    if (column === undefined || !isValid(column.validity, row)) return
    const value = plainValue(column, row)
    if (isAllowed(rule, value, column.type)) return
    const known = this.values[name]
    const rows = (known?.rows ?? 0) + by
    if (rows <= 0) delete this.values[name]
    else this.values[name] = { rows, value: known?.value ?? String(value).slice(0, 200) }
  }
}

function columnOf({ schema, columns }: FeatureBatch, name: string): Column | undefined {
  return columns[schema.attributes.findIndex((attribute) => attribute.name === name)]
}

/** A missing column counts as null in every row. */
function isEmpty(column: Column | undefined, row: number): boolean {
  if (column === undefined || !isValid(column.validity, row)) return true
  return column.kind === 'var' && column.offsets[row] === column.offsets[row + 1]
}

/** Returns the size of the values of a batch. */
export function sizeOfBatch({ columns, geometry, rowCount }: FeatureBatch): number {
  const bytes = columns.reduce((sum, column) => sum + sizeOf(column, rowCount), 0)
  return bytes + (geometry?.offsets[rowCount] ?? 0) + rowCount * 8
}

function sizeOf(column: Column, rowCount: number): number {
  if (column.kind === 'var') return column.offsets[rowCount] ?? 0
  return rowCount * column.values.BYTES_PER_ELEMENT
}

function liesOutside(
  { geometry }: FeatureBatch,
  row: number,
  [minX, minY, maxX, maxY]: NonNullable<StopRules['outside']>,
): boolean {
  if (geometry === undefined || !isValid(geometry.validity, row)) return false
  const [left, low, right, high] = geometry.envelopes.subarray(row * 4, row * 4 + 4)
  if (left === undefined || low === undefined || right === undefined || high === undefined) return false
  return left < minX || low < minY || right > maxX || high > maxY
}

/** Returns a value in the form of features in the API. */
function plainValue(column: Column, row: number): RuleValue | bigint {
  const value = columnValue(column, row)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (column.type === 'date') return dateText(Number(value))
  if (column.type === 'timestamp') return timestampText(value as bigint)
  if (column.type === 'time') return timeText(value as bigint)
  return value
}

const numeric: readonly AttributeType[] = ['int16', 'int32', 'int64', 'float32', 'float64', 'decimal']

/** Compares numbers, and values with a number, numerically; everything else as text. */
function isAllowed(rule: ValueRule, value: RuleValue | bigint, type: AttributeType): boolean {
  const isNumber = numeric.includes(type)
  const isSame = (one: RuleValue) =>
    isNumber ? one !== null && one !== '' && Number(one) === Number(value) : String(one) === String(value)
  if (rule.in !== undefined && !rule.in.some(isSame)) return false
  const { min, max } = rule
  return (
    (min === undefined || isOrdered(min, value, isNumber)) &&
    (max === undefined || isOrdered(value, max, isNumber))
  )
}

/** True if `low` ≤ `high`. A text that is not a number is neither above nor below a number. */
function isOrdered(low: RuleValue | bigint, high: RuleValue | bigint, areNumbers: boolean): boolean {
  if (areNumbers || typeof low === 'number' || typeof high === 'number')
    return numberOf(low) <= numberOf(high)
  return String(low) <= String(high)
}

function numberOf(value: RuleValue | bigint): number {
  return value === null || typeof value === 'boolean' || String(value).trim() === ''
    ? Number.NaN
    : Number(value)
}

/** Compares the columns of the data, by their names in the table, with the present columns of the table. */
export function compareColumns(
  before: Schema,
  given: Schema,
  renamed: Readonly<Record<string, string>>,
): ColumnChange[] {
  const known = new Map(namedTypes(before))
  const coming = new Map(
    namedTypes(given).map(([name, type]) => [
      matching(known, Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name),
      type,
    ]),
  )
  const gained = [...coming].filter(([name]) => !known.has(name))
  const changed = [...known].flatMap(([name, from]): ColumnChange[] => {
    const to = coming.get(name)
    if (to === undefined) return [{ name, change: 'lost', from }]
    return to === from ? [] : [{ name, change: 'type', from, to }]
  })
  return [...gained.map(([name, to]): ColumnChange => ({ name, change: 'gained', to })), ...changed]
}

/** Returns the name in the table, ignoring case. */
function matching(known: ReadonlyMap<string, string>, name: string): string {
  if (known.has(name)) return name
  const lower = name.toLowerCase()
  return [...known.keys()].find((one) => one.toLowerCase() === lower) ?? name
}

function namedTypes({ attributes }: Schema): [string, string][] {
  return attributes.map(({ name, type }) => [name, type])
}
