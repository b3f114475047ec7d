import type { FeatureBatch } from '../../../geo/batch.ts'
import { columnValue, isValid } from '../../../geo/column.ts'
import type { Schema } from '../../../geo/schema.ts'
import { quoteIdentifier, quoteTable } from '../../../lib/postgres/quote.ts'
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
  /** Those that the new row takes from the old one. */
  keptColumns: readonly string[]
  /** Returns the feature id as text. */
  id(change: RowChange['change']): string
}

/** Yields the changes in pages, removed rows first, within the open transaction. */
export async function* readChanges(
  connection: Connection,
  source: ChangeSource,
  signal?: AbortSignal,
): AsyncGenerator<RowChange[]> {
  const schema = await toldSchema(connection, source)
  for (const change of order.filter((one) => source.kinds.includes(one))) {
    signal?.throwIfAborted()
    const text = `select ${[source.id(change), ...sideList(source, schema, change, 'before'), ...sideList(source, schema, change, 'after')].join(', ')} ${source.from(change)}`
    await connection.run(doing, 'close all')
    await connection.run(doing, `declare terrane_change no scroll cursor for ${text}`)
    while (true) {
      signal?.throwIfAborted()
      const { rows } = await connection.client.query<TextRow>({
        text: `fetch ${rowsEach} from terrane_change`,
        rowMode: 'array',
        types: textTypes,
      })
      if (rows.length === 0) break
      yield toChanges(rows, schema, change)
    }
  }
  await connection.run(doing, 'close all')
}

async function toldSchema(connection: Connection, { facts, columns }: ChangeSource): Promise<Schema> {
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
  side: 'before' | 'after',
): string[] {
  const isThere = change === 'changed' || (change === 'removed') === (side === 'before')
  const aliasOf = (name: string): string => (side === 'after' && keptColumns.includes(name) ? 'before' : side)
  const isKnown = (name: string): boolean => isThere && !(change === 'added' && keptColumns.includes(name))
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

function toChanges(rows: TextRow[], schema: Schema, change: RowChange['change']): RowChange[] {
  const width = schema.attributes.length + (schema.geometry === undefined ? 0 : 1)
  const before = batchOfRows(schema, rows, 1, (_row, index) => index + 1)
  const after = batchOfRows(schema, rows, 1 + width, (_row, index) => index + 1)
  return rows.map((row, index) => ({
    change,
    ...(row[0] == null ? {} : { featureId: row[0] }),
    ...(change === 'added' ? {} : { before: rowOf(before, index) }),
    ...(change === 'removed' ? {} : { after: rowOf(after, index) }),
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
