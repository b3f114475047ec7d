import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { FeatureBatch } from '../../../geo/batch.ts'
import { columnValue, isValid } from '../../../geo/column.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { RowChange } from '../../changes.ts'
import type { TextRow } from '../read-rows.ts'
import { attributeSql, batchOfRows, geometrySql, textTypes } from '../read-rows.ts'
import type { Connection } from '../session.ts'
import type { TableFacts } from '../table-facts.ts'
import { schemaOf } from '../table-schema.ts'

const doing = 'reading the changes'
const rowsEach = 500
const order: RowChange['change'][] = ['removed', 'changed', 'added']

/** Locations of the rows before and after, and the statement that finds them. */
export interface ChangeSource {
  /** Returns a FROM clause: `source` joined so that `before` and `after` are aliases of the two sides. */
  from(change: RowChange['change']): string
  /** Possible kinds of changes. */
  kinds: readonly RowChange['change'][]
  facts: TableFacts
  /** Reported columns of each side. */
  columns: readonly string[]
  /** Columns whose values the new row takes from the old row. */
  keptColumns: readonly string[]
  /** Returns the feature id as text. */
  id(change: RowChange['change']): string
  /** Expression that orders changed rows uniquely, if `from` does not order them. */
  changedOrder?: string
}

type Side = 'before' | 'after'

/** Maximum number of columns of a result in PostgreSQL (MaxTupleAttributeNumber). */
const maxSelected = 1664

/** Yields the changes in pages, removed rows first, within the open transaction. */
export async function* readChanges(
  connection: Connection,
  source: ChangeSource,
  signal?: AbortSignal,
): AsyncGenerator<RowChange[]> {
  const schema = await reportedSchema(connection, source)
  for (const change of order.filter((one) => source.kinds.includes(one))) {
    signal?.throwIfAborted()
    await connection.run(doing, 'close all')
    const statements = statementsOf(source, schema, change)
    for (const [at, { text }] of statements.entries())
      await connection.run(doing, `declare terrane_change_${at} no scroll cursor for ${text}`)
    while (true) {
      signal?.throwIfAborted()
      const sides: Partial<Record<Side, FeatureBatch>> = {}
      let ids: TextRow[] = []
      for (const [at, statement] of statements.entries()) {
        const rows = await fetchRows(connection, `terrane_change_${at}`)
        if (at === 0) ids = rows
        for (const [side, first] of statement.sides)
          sides[side] = batchOfRows(schema, rows, first, (_row, index) => index + 1)
      }
      if (ids.length === 0) break
      yield toChanges(ids, sides, change)
    }
  }
  await connection.run(doing, 'close all')
}

async function fetchRows(connection: Connection, cursor: string): Promise<TextRow[]> {
  const { rows } = await connection.client.query<TextRow>({
    text: `fetch ${rowsEach} from ${cursor}`,
    rowMode: 'array',
    types: textTypes,
  })
  return rows
}

interface Statement {
  text: string
  /** The sides that the statement selects, each with the index of its first column. */
  sides: [Side, number][]
}

/**
 * Returns the statements that select the changes, with the id as first column: one statement, or one for each
 * side if both sides together have too many columns for a result.
 */
function statementsOf(source: ChangeSource, schema: Schema, change: RowChange['change']): Statement[] {
  const lists: [Side, string[]][] = sidesOf(change).map((side) => [
    side,
    sideList(source, schema, change, side),
  ])
  const width = lists[0]?.[1].length ?? 0
  const select = (list: string[], order = ''): string =>
    `select ${[source.id(change), ...list].join(', ')} ${source.from(change)} ${order}`
  if (1 + width * lists.length <= maxSelected) {
    const text = select(lists.flatMap(([, list]) => list))
    return [{ text, sides: lists.map(([side], at) => [side, 1 + at * width]) }]
  }
  return lists.map(([side, list]) => ({ text: select(list, source.changedOrder), sides: [[side, 1]] }))
}

function sidesOf(change: RowChange['change']): Side[] {
  if (change === 'changed') return ['before', 'after']
  return [change === 'removed' ? 'before' : 'after']
}

async function reportedSchema(connection: Connection, { facts, columns }: ChangeSource): Promise<Schema> {
  const { schema } = await schemaOf(connection.client, facts)
  const attributes = facts.columns
    .filter(({ name }) => columns.includes(name))
    .map(({ name, attribute }) => attribute ?? { name, type: 'text' as const })
  const hasGeometry = columns.includes(schema.geometry?.name ?? '')
  return { attributes, geometry: hasGeometry ? schema.geometry : undefined }
}

function sideList(
  { facts, keptColumns }: ChangeSource,
  { attributes, geometry }: Schema,
  change: RowChange['change'],
  side: Side,
): string[] {
  const aliasOf = (name: string): string => (side === 'after' && keptColumns.includes(name) ? 'before' : side)
  const isKnown = (name: string): boolean => !(change === 'added' && keptColumns.includes(name))
  const list = attributes.map(({ name, type }) => {
    const sqlType = facts.columns.find((column) => column.name === name)?.sqlType ?? ''
    return isKnown(name) ? attributeSql(`${aliasOf(name)}.${quoteIdentifier(name)}`, type, sqlType) : 'null'
  })
  if (geometry === undefined) return list
  const { name } = geometry
  const isGeography = facts.geometry?.isGeography ?? false
  return [
    ...list,
    isKnown(name) ? geometrySql(`${aliasOf(name)}.${quoteIdentifier(name)}`, isGeography) : 'null',
  ]
}

function toChanges(
  ids: TextRow[],
  { before, after }: Partial<Record<Side, FeatureBatch>>,
  change: RowChange['change'],
): RowChange[] {
  return ids.map(([id], index) => ({
    change,
    featureId: id == null ? undefined : id,
    before: before === undefined ? undefined : rowOf(before, index),
    after: after === undefined ? undefined : rowOf(after, index),
  }))
}

function rowOf(batch: FeatureBatch, row: number): NonNullable<RowChange['before']> {
  const { schema, columns, geometry } = batch
  const values = Object.fromEntries(
    schema.attributes.map(({ name }, index) => {
      const column = columns[index]
      return [name, column === undefined ? null : columnValue(column, row)]
    }),
  )
  if (geometry === undefined || !isValid(geometry.validity, row)) return { values }
  return {
    values,
    geometry: Uint8Array.from(geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])),
  }
}

/** Returns a join of a table, under an alias, with the locations in the table of changes. */
export function placeJoin(facts: TableFacts, alias: string): string {
  return `join ${quoteTable(facts.schema, facts.name)} ${alias} on ${alias}.ctid = change.tid and ${alias}.tableoid = change.toid`
}
