import { quoteIdentifier, quoteText } from '../../core/postgres/quote.ts'
import type { Column } from '../../geo/column.ts'
import { isValid } from '../../geo/column.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import type { LoadHooks } from '../store.ts'
import type { Connection } from './session.ts'

const largestId = Number.MAX_SAFE_INTEGER
/** Replaces null in a column that does not accept nulls: the smallest value of each type. */
const missingIds = { int16: -32_768, int32: -2_147_483_648, int64: -(2n ** 63n) } as const

type IdType = keyof typeof missingIds

export function isIdType(type: string | undefined): type is IdType {
  return type !== undefined && Object.hasOwn(missingIds, type)
}

/**
 * Returns the column with the smallest value of its type instead of nulls: `removeUnusedIds` assigns new ids to
 * these rows.
 */
export function withMissingIds(column: Column, rowCount: number): Column {
  if (column.nullCount === 0 || !isIdType(column.type)) return column
  const builder = createColumnBuilder(column.type, rowCount)
  for (let row = 0; row < rowCount; row += 1) {
    const value = isValid(column.validity, row) && column.kind !== 'var' ? column.values[row] : undefined
    if (builder.kind === 'big') builder.append(BigInt(value ?? missingIds[column.type]))
    else if (builder.kind === 'fixed') builder.append(Number(value ?? missingIds[column.type]))
  }
  return builder.finish()
}

/** Checks whether ids are in ascending order without nulls, as in most sources. Then every id is unique. */
export class AscendingIds {
  #last = -Infinity
  #isAscending = true

  get isAscending(): boolean {
    return this.#isAscending
  }

  add(column: Column | undefined, rowCount: number): void {
    if (!this.#isAscending) return
    this.#isAscending = isIdType(column?.type) && column?.nullCount === 0
    if (column === undefined || column.kind === 'var' || !isIdType(column.type)) return
    const missing = Number(missingIds[column.type])
    for (let row = 0; row < rowCount && this.#isAscending; row += 1) {
      const id = Number(column.values[row])
      this.#isAscending = id > this.#last && id !== missing && Math.abs(id) <= largestId
      this.#last = id
    }
  }
}

/** A staging table with a column of ids of the source. */
interface StagedIds {
  /** Quoted name. */
  relation: string
  column: string
  type: IdType
  /** Order of rows with the same id: the first row retains it. */
  order: string
  /** Name of the target table. */
  table: string
}

/** Assigns new ids to rows without an id or with the id of an earlier row, and reports it. */
export async function removeUnusedIds(
  connection: Connection,
  { relation, column, type, order, table }: StagedIds,
  { onMessage }: Pick<LoadHooks, 'onMessage'>,
): Promise<void> {
  const doing = 'settling the ids'
  const id = quoteIdentifier(column)
  const missing = `(${id} = ${missingIds[type]} or ${id} not between -${largestId} and ${largestId})`
  const { rows } = await connection.run<{ rows: number; ids: number; largest: number }>(
    doing,
    `select count(*)::float8 as rows, (count(distinct ${id}) filter (where not ${missing}))::float8 as ids,
       greatest(0, max(${id}) filter (where not ${missing}))::float8 as largest from ${relation}`,
  )
  const [found] = rows
  if (found === undefined || found.ids === found.rows) return
  const count = found.rows - found.ids
  const isFull = found.largest + count > (type === 'int64' ? largestId : -Number(missingIds[type]) - 1)
  await connection.run(
    doing,
    `with occurring as (
       select ctid as place, ${missing} or row_number() over (partition by ${id} order by ${order}) > 1 as is_new
       from ${relation}),
     numbered as (
       select place, row_number() over (order by place) as number from occurring where ${isFull ? 'true' : 'is_new'})
     update ${relation} kept set ${id} = ${isFull ? 0 : found.largest} + numbered.number
     from numbered where kept.ctid = numbered.place`,
  )
  const who = isFull ? 'All rows' : count === 1 ? '1 row' : `${count} rows`
  onMessage({
    level: 'warning',
    code: 'ids-replaced',
    message: `${who} got new ids in "${table}": the identity column "${column}" has nulls, repeated values or values beyond 2^53`,
  })
}

/** Advances the sequence of the column beyond existing ids. */
export async function advanceSequence(
  connection: Connection,
  { relation, column }: Pick<StagedIds, 'relation' | 'column'>,
): Promise<void> {
  await connection.run(
    'advancing the sequence',
    `select setval(s, greatest(m, 1)) from (select pg_get_serial_sequence(${quoteText(relation)}, ${quoteText(column)}) as s,
      (select max(${quoteIdentifier(column)}) from ${relation}) as m) q where s is not null and m is not null`,
  )
}
