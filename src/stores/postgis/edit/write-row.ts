import { conflict, invalid } from '../../../core/errors/errors.ts'
import { statementFailure } from '../../../core/postgres/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../core/postgres/quote.ts'
import type { FeatureBatch } from '../../../geo/batch.ts'
import type { Column } from '../../../geo/column.ts'
import { columnValue, isValid } from '../../../geo/column.ts'
import { dateText, timestampText, timeText } from '../../../geo/time-text.ts'
import { fitGeometry } from '../../fit-geometry.ts'
import { findTableRules } from '../constraints.ts'
import { conditionsOf } from '../read-conditions.ts'
import type { Connection } from '../session.ts'
import type { TableFacts } from '../table-facts.ts'
import type { EditedRows } from './edited-table.ts'

const doing = 'changing the feature'

/** Returns the first value of a column in the form that PostgreSQL reads for its type. */
function inputOf(column: Column): unknown {
  const value = columnValue(column, 0)
  if (value === null) return null
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (column.type === 'date') return dateText(Number(value))
  if (column.type === 'timestamp') return timestampText(BigInt(value))
  if (column.type === 'time') return timeText(BigInt(value))
  return String(value)
}

interface Written {
  names: string[]
  /** Expressions over the values, which are bound from `$1` on. */
  expressions: string[]
  values: unknown[]
}

function writtenColumns({ facts }: EditedRows, row: FeatureBatch): Written {
  const written: Written = { names: [], expressions: [], values: [] }
  row.schema.attributes.forEach(({ name }, index) => {
    const column = row.columns[index]
    if (column === undefined) return
    written.values.push(inputOf(column))
    written.names.push(quoteIdentifier(name))
    written.expressions.push(`$${written.values.length}`)
  })
  if (row.schema.geometry !== undefined && facts.geometry !== undefined) {
    written.values.push(geometryInput(facts.geometry, row))
    written.names.push(quoteIdentifier(facts.geometry.name))
    const made = `ST_SetSRID(ST_GeomFromWKB($${written.values.length}::bytea), ${facts.geometry.srid})`
    written.expressions.push(facts.geometry.isGeography ? `${made}::geography` : made)
  }
  return written
}

function geometryInput(
  { rules }: NonNullable<TableFacts['geometry']>,
  { geometry }: FeatureBatch,
): Buffer | null {
  if (geometry === undefined || !isValid(geometry.validity, 0)) return null
  const wkb = geometry.bytes.subarray(geometry.offsets[0], geometry.offsets[1])
  return Buffer.from(fitGeometry(rules, wkb))
}

/** Inserts a row; returns its id. */
export async function addRow(connection: Connection, rows: EditedRows, row: FeatureBatch): Promise<string> {
  const { facts } = rows
  const { names, expressions, values } = writtenColumns(rows, row)
  const given =
    names.length === 0 ? 'default values' : `(${names.join(', ')}) values (${expressions.join(', ')})`
  const found = await write<{ id: string }>(
    connection,
    `insert into ${quoteTable(facts.schema, facts.name)} ${given} returning ${quoteIdentifier(facts.primaryKey)}::text as id`,
    values,
  )
  requireOne(facts, found.length, 'added')
  return found[0]?.id ?? ''
}

export async function changeRow(
  connection: Connection,
  rows: EditedRows,
  featureId: string,
  row: FeatureBatch,
): Promise<void> {
  const { facts } = rows
  const { names, expressions, values } = writtenColumns(rows, row)
  if (names.length === 0) return
  const set = names.map((name, at) => `${name} = ${expressions[at]}`).join(', ')
  const found = await write(
    connection,
    `update ${quoteTable(facts.schema, facts.name)} set ${set} ${placeOf(facts, featureId, values)} returning 1`,
    values,
  )
  requireOne(facts, found.length, 'changed')
}

/** Throws `Failure` if rows of other tables would be removed too, since they could not be restored. */
export async function removeRow(connection: Connection, rows: EditedRows, featureId: string): Promise<void> {
  const { facts } = rows
  const { cascades } = await findTableRules(connection, facts, [], [])
  if (cascades.length > 0)
    throw conflict(
      'table-referenced',
      `Rows of other tables would be deleted or emptied with a row of "${facts.name}": foreign key ${cascades.join(', ')}`,
    )
  const values: unknown[] = []
  const found = await write(
    connection,
    `delete from ${quoteTable(facts.schema, facts.name)} ${placeOf(facts, featureId, values)} returning 1`,
    values,
  )
  requireOne(facts, found.length, 'removed')
}

/** Returns the condition for the row; adds bound values to `values`. */
function placeOf(facts: TableFacts, featureId: string, values: unknown[]): string {
  const { sql, values: bound } = conditionsOf(facts, { table: facts.name, featureId })
  const expression = sql.replace(/\$1(?!\d)/g, `$${values.length + 1}`)
  values.push(...bound)
  return expression
}

function requireOne({ name }: TableFacts, found: number, what: string): void {
  if (found === 1) return
  throw conflict(
    'rows-lost',
    `The feature was not ${what}: triggers, rules or policies of "${name}" keep it from that`,
  )
}

/** Runs a statement; constraint errors become a `Failure` with PostgreSQL's text. */
async function write<Row extends object>(
  connection: Connection,
  sql: string,
  values: unknown[],
): Promise<Row[]> {
  try {
    const { rows } = await connection.client.query<Row & Record<string, unknown>>(sql, values)
    await connection.client.query('set constraints all immediate')
    return rows
  } catch (error) {
    throw writeFailure(error)
  }
}

function writeFailure(error: unknown): Error {
  const { code = '', message } = error as { code?: string; message: string }
  // Class 22: data exceptions. P0001 and 44000: errors of triggers and views.
  if (code.startsWith('22'))
    return invalid('invalid-property', `PostgreSQL does not take a value: ${message}`, { cause: error })
  if (code === 'P0001' || code === '44000')
    return conflict('constraint-violated', `The table is against it: ${message}`, { cause: error })
  return statementFailure(error, doing)
}
