import { quoteIdentifier, quoteTable } from '../../core/postgres/quote.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { Connection } from './session.ts'
import type { TableFacts } from './table-facts.ts'

/** Returns the exact bounds of a table; `undefined` without geometry or if every geometry is empty. */
export async function findExtent(connection: Connection, facts: TableFacts): Promise<Envelope | undefined> {
  if (facts.geometry === undefined) return undefined
  const { rows } = await connection.run<Record<string, number | null>>(
    'reading the bounds',
    `select ST_XMin(e) as minx, ST_YMin(e) as miny, ST_XMax(e) as maxx, ST_YMax(e) as maxy
     from (select ${extentSql(facts)} as e from ${quoteTable(facts.schema, facts.name)}) bounds`,
  )
  return extentOfRow(rows[0])
}

/** Returns an aggregate for the bounds of the geometry column. */
export function extentSql(facts: TableFacts): string {
  if (facts.geometry === undefined) return 'null::box3d'
  const column = quoteIdentifier(facts.geometry.name)
  return `ST_3DExtent(${facts.geometry.isGeography ? `${column}::geometry` : column})`
}

export function extentOfRow(row: Record<string, unknown> | undefined): Envelope | undefined {
  const { minx, miny, maxx, maxy } = row ?? {}
  if (typeof minx !== 'number' || typeof miny !== 'number') return undefined
  if (typeof maxx !== 'number' || typeof maxy !== 'number') return undefined
  // Adding zero converts −0 to 0.
  return { minX: minx + 0, minY: miny + 0, maxX: maxx + 0, maxY: maxy + 0 }
}
