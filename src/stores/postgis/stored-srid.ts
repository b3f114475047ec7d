import type { ClientBase } from 'pg'
import { explain, Failure, invalid } from '../../core/errors/errors.ts'
import { statementFailure } from '../../core/postgres/errors.ts'
import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import type { TableFacts } from './table-facts.ts'

/** Codes of failures that do not come from the table itself, and of different SRIDs. */
const passedOn = new Set(['foreign-server', 'table-locked', 'store-lost', 'mixed-crs'])
/** Rows whose SRIDs are compared. */
const sampledRows = 100
/** Limit for reading the first rows of a view or foreign table before it is published, in milliseconds. */
const probeMs = 10_000

/**
 * Adds the SRID of the first geometry if the column type declares none, as in most views. Comparisons with
 * geometries of another SRID fail.
 */
export async function withStoredSrid(client: ClientBase, facts: TableFacts): Promise<TableFacts> {
  const { geometry } = facts
  if (geometry === undefined || geometry.srid > 0 || geometry.isGeography) return facts
  const column = quoteIdentifier(geometry.name)
  const { rows } = await client.query<{ srid: number }>(
    `select ST_SRID(${column}) as srid from ${quoteTable(facts.schema, facts.name)} where ${column} is not null limit 1`,
  )
  const srid = rows[0]?.srid ?? 0
  return srid > 0 ? { ...facts, geometry: { ...geometry, srid } } : facts
}

/**
 * Reads the first rows of a view, a foreign table, or a table with a geometry column without declared SRID.
 * Throws `Failure` (`invalid`) if the rows cannot be read or have different SRIDs.
 */
export async function probeTable(client: ClientBase, facts: TableFacts): Promise<void> {
  const { geometry, kind, name } = facts
  const isUndeclared = geometry !== undefined && geometry.srid <= 0 && !geometry.isGeography
  if (kind === 'table' && !isUndeclared) return
  const table = quoteTable(facts.schema, name)
  const columns = facts.columns.filter(({ isReadable }) => isReadable).map((column) => column.name)
  if (geometry !== undefined) columns.push(geometry.name)
  await client.query('begin read only')
  try {
    await client.query(`set local statement_timeout = ${probeMs}`)
    // The planner skips expressions of a view that nothing selects.
    await client.query(`select ${columns.map(quoteIdentifier).join(', ')} from ${table} limit 1`)
    if (!isUndeclared) return
    const column = quoteIdentifier(geometry.name)
    const { rows } = await client.query<{ srid: number }>(
      `select distinct srid from (
         select ST_SRID(${column}) as srid from ${table} where ${column} is not null limit ${sampledRows}) sample
       order by srid`,
    )
    if (rows.length > 1)
      throw invalid(
        'mixed-crs',
        `Column "${geometry.name}" of "${name}" has geometries of SRID ${rows.map(({ srid }) => srid).join(' and ')}: give all of them the same with ST_Transform or ST_SetSRID, or publish a view that selects one`,
      )
  } catch (error) {
    const failure = statementFailure(error, `"${name}" is read`)
    if (failure instanceof Failure && passedOn.has(failure.code)) throw failure
    throw invalid('unreadable-table', `"${name}" cannot be read: ${explain(error)}`, { cause: error })
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}
