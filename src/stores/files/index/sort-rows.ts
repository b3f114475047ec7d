import { setImmediate } from 'node:timers/promises'
import { compareTexts } from '../../../filters/texts.ts'
import type { FeatureBatch } from '../../../geo/batch.ts'
import { columnValue } from '../../../geo/column.ts'
import type { Schema } from '../../../geo/schema.ts'
import { attributeIndex } from '../../../geo/schema.ts'
import type { SortKey } from '../../order.ts'
import { unknownPosition } from '../../order.ts'

/** Number of rows sorted without a pause; runs of these are merged. */
const runRows = 1 << 14
const turnMs = 10

/** Values of one attribute, by position; undefined for nulls. */
class SortValues {
  readonly #index: number
  readonly #numbers: Float64Array | undefined
  readonly #bigs: BigInt64Array | undefined
  readonly #texts: (string | undefined)[] = []
  readonly #filled: Uint8Array
  /** Rows with equal texts share one string. */
  readonly #known = new Map<string, string>()
  readonly #isDescending: boolean

  constructor(schema: Schema, rowCount: number, { attribute, isDescending }: SortKey) {
    this.#index = attributeIndex(schema, attribute)
    const type = schema.attributes[this.#index]?.type
    if (type === undefined) throw unknownPosition()
    this.#isDescending = isDescending
    this.#filled = new Uint8Array(rowCount)
    if (type === 'int64' || type === 'timestamp' || type === 'time') this.#bigs = new BigInt64Array(rowCount)
    else if (type !== 'text') this.#numbers = new Float64Array(rowCount)
  }

  add({ columns }: FeatureBatch, row: number, position: number): void {
    const column = columns[this.#index]
    const value = column === undefined ? null : columnValue(column, row)
    if (value === null || Number.isNaN(value)) return
    this.#filled[position] = 1
    if (this.#bigs !== undefined) this.#bigs[position] = value as bigint
    else if (this.#numbers !== undefined) this.#numbers[position] = Number(value)
    else this.#texts[position] = this.#shared(String(value))
  }

  /** Returns a negative number if the row at `a` comes first. */
  compare(a: number, b: number): number {
    const order = this.#ascending(a, b)
    return this.#isDescending ? -order : order
  }

  #ascending(a: number, b: number): number {
    if (this.#filled[a] !== 1 || this.#filled[b] !== 1)
      return (this.#filled[b] as number) - (this.#filled[a] as number)
    if (this.#bigs !== undefined) return orderOf(this.#bigs[a] as bigint, this.#bigs[b] as bigint)
    if (this.#numbers !== undefined) return orderOf(this.#numbers[a] as number, this.#numbers[b] as number)
    return compareTexts(this.#texts[a] ?? '', this.#texts[b] ?? '')
  }

  #shared(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    this.#known.set(text, text)
    return text
  }
}

function orderOf<Value extends number | bigint>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the positions of all rows in an order; rows come as batches in file order. */
export async function sortRows(
  { schema, rowCount }: { schema: Schema; rowCount: number },
  batches: AsyncIterable<FeatureBatch>,
  sort: readonly SortKey[],
  signal: AbortSignal,
): Promise<Uint32Array> {
  const values = sort.map((key) => new SortValues(schema, rowCount, key))
  let position = 0
  for await (const batch of batches) {
    for (let row = 0; row < batch.rowCount; row += 1, position += 1)
      for (const one of values) one.add(batch, row, position)
    await setImmediate()
    signal.throwIfAborted()
  }
  const compare = (a: number, b: number): number => {
    for (const one of values) {
      const order = one.compare(a, b)
      if (order !== 0) return order
    }
    return a - b
  }
  return mergeSort(
    Uint32Array.from({ length: rowCount }, (_, row) => row),
    compare,
    signal,
  )
}

async function mergeSort(
  rows: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
  signal: AbortSignal,
): Promise<Uint32Array> {
  let turn = performance.now()
  const giveWay = async (): Promise<void> => {
    if (performance.now() - turn < turnMs) return
    await setImmediate()
    signal.throwIfAborted()
    turn = performance.now()
  }
  for (let from = 0; from < rows.length; from += runRows) {
    rows.subarray(from, from + runRows).sort(compare)
    await giveWay()
  }
  let [source, target] = [rows, new Uint32Array(rows.length)]
  for (let run = runRows; run < rows.length; run *= 2) {
    for (let from = 0; from < rows.length; from += 2 * run) {
      for (const _piece of merge(source, target, { from, middle: from + run, to: from + 2 * run }, compare))
        await giveWay()
    }
    const sorted = target
    target = source
    source = sorted
  }
  return source
}

interface Runs {
  from: number
  middle: number
  to: number
}

function* merge(
  source: Uint32Array,
  target: Uint32Array,
  runs: Runs,
  compare: (a: number, b: number) => number,
): Generator<void> {
  const middle = Math.min(runs.middle, source.length)
  const to = Math.min(runs.to, source.length)
  let [left, right] = [runs.from, middle]
  for (let at = runs.from; at < to; at += 1) {
    const isLeft =
      right >= to || (left < middle && compare(source[left] as number, source[right] as number) <= 0)
    target[at] = source[isLeft ? left++ : right++] as number
    if (at % runRows === 0) yield
  }
}
