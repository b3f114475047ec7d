import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { isValid } from '../../geo/column.ts'
import type { GeometryColumn } from '../../geo/geometry-builder.ts'
import type { Attribute, GeometryField, Schema } from '../../geo/schema.ts'
import { geometryTypeName } from '../../geo/wkb.ts'
import type { ShownValue } from './column-values.ts'
import { columnValueKey, compareKeys, shownValue } from './column-values.ts'
import { CountedValues } from './counted-values.ts'
import type { Key } from './distinct-estimate.ts'

/** Statistics of a column. Plain data. */
interface ColumnFigures {
  name: string
  type: Attribute['type']
  /** Number of counted rows. */
  count: number
  /** Number of these that are null or empty text. The other statistics exclude them. */
  empty: number
  distinct: number
  min: ShownValue | null
  max: ShownValue | null
  /** The most frequent values, at most ten. */
  frequent: { value: ShownValue; count: number }[]
  /** True if all statistics cover all rows and none is an estimate. */
  exact: boolean
  /** Statistics that are estimates, because there are too many distinct values. */
  estimated: ('distinct' | 'frequent')[]
}

type Bounds = [number, number, number, number]

/** Statistics of the geometries. Plain data. */
interface GeometryFigures {
  name: string
  type: GeometryField['type']
  count: number
  /** Number of rows with a missing or empty geometry. */
  empty: number
  types: { value: string; count: number }[]
  /** In the coordinates of the rows: minx, miny, maxx, maxy. */
  bounds: Bounds | null
}

/** Statistics of some rows. Plain data. */
export interface RowFigures {
  columns: ColumnFigures[]
  geometry?: GeometryFigures
}

/**
 * Limits on distinct values that are counted individually: for all columns together, per column, and the
 * minimum per column.
 */
const maxValues = { inAll: 500_000, inOne: 50_000, atLeast: 500 }
const mostFrequent = 10

/** Counts the values of columns, batch by batch. */
export class FigureCounter {
  readonly #columns: ColumnCounter[]
  readonly #geometry: GeometryCounter | undefined

  constructor({ attributes, geometry }: Schema) {
    const share = Math.floor(maxValues.inAll / Math.max(1, attributes.length))
    const most = Math.max(maxValues.atLeast, Math.min(maxValues.inOne, share))
    this.#columns = attributes.map((attribute) => new ColumnCounter(attribute, most))
    this.#geometry = geometry && new GeometryCounter(geometry)
  }

  add(batch: FeatureBatch): void {
    for (const [index, counter] of this.#columns.entries()) {
      const column = batch.columns[index]
      if (column !== undefined) counter.add(column, batch.rowCount)
    }
    if (batch.geometry !== undefined) this.#geometry?.add(batch.geometry, batch.rowCount)
  }

  figures(isWhole: boolean): RowFigures {
    const columns = this.#columns.map((counter) => counter.figures(isWhole))
    return this.#geometry === undefined ? { columns } : { columns, geometry: this.#geometry.figures() }
  }
}

class ColumnCounter {
  readonly #attribute: Attribute
  readonly #values: CountedValues
  readonly #compare: (one: Key, other: Key) => number
  #count = 0
  #empty = 0
  #min: Key | undefined
  #max: Key | undefined

  constructor(attribute: Attribute, most: number) {
    this.#attribute = attribute
    this.#values = new CountedValues(most)
    this.#compare = compareKeys(attribute.type)
  }

  add(column: Column, rowCount: number): void {
    this.#count += rowCount
    for (let row = 0; row < rowCount; row += 1) {
      const key = isValid(column.validity, row) ? columnValueKey(column, row) : undefined
      if (key === undefined) this.#empty += 1
      else this.#take(key)
    }
  }

  #take(key: Key): void {
    this.#values.add(key)
    if (Number.isNaN(key)) return
    if (this.#min === undefined || this.#compare(key, this.#min) < 0) this.#min = key
    if (this.#max === undefined || this.#compare(key, this.#max) > 0) this.#max = key
  }

  figures(isWhole: boolean): ColumnFigures {
    const { name, type } = this.#attribute
    const shown = (key: Key): ShownValue => shownValue(type, key)
    const hasOrder = type !== 'binary'
    const { distinct, isExact } = this.#values
    return {
      name,
      type,
      count: this.#count,
      empty: this.#empty,
      distinct,
      min: this.#min === undefined || !hasOrder ? null : shown(this.#min),
      max: this.#max === undefined || !hasOrder ? null : shown(this.#max),
      frequent: this.#values
        .frequent(mostFrequent, this.#compare)
        .map(({ key, count }) => ({ value: shown(key), count })),
      exact: isWhole && isExact,
      estimated: isExact ? [] : ['distinct', 'frequent'],
    }
  }
}

class GeometryCounter {
  readonly #field: GeometryField
  readonly #types = new Map<string, number>()
  readonly #bounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity]
  #count = 0
  #empty = 0

  constructor(field: GeometryField) {
    this.#field = field
  }

  add({ validity, envelopes, bytes, offsets }: GeometryColumn, rowCount: number): void {
    this.#count += rowCount
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let row = 0; row < rowCount; row += 1) {
      const isThere = isValid(validity, row)
      if (!isThere || Number.isNaN(envelopes[row * 4])) this.#empty += 1
      if (!isThere) continue
      const type = geometryTypeName(view.getUint32((offsets[row] as number) + 1, true) % 1000)
      this.#types.set(type, (this.#types.get(type) ?? 0) + 1)
      this.#widen(envelopes, row * 4)
    }
  }

  #widen(envelopes: Float64Array, at: number): void {
    const [minX, minY, maxX, maxY] = envelopes.subarray(at, at + 4) as unknown as Bounds
    const bounds = this.#bounds
    if (minX < bounds[0]) bounds[0] = minX
    if (minY < bounds[1]) bounds[1] = minY
    if (maxX > bounds[2]) bounds[2] = maxX
    if (maxY > bounds[3]) bounds[3] = maxY
  }

  figures(): GeometryFigures {
    const { name, type } = this.#field
    const types = [...this.#types].map(([value, count]) => ({ value, count }))
    types.sort((one, other) => other.count - one.count)
    const [minX, minY, maxX, maxY] = this.#bounds
    const bounds = minX <= maxX ? ([minX, minY, maxX, maxY] satisfies Bounds) : null
    return { name, type, count: this.#count, empty: this.#empty, types, bounds }
  }
}
