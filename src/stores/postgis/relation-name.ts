import type { ClientBase } from 'pg'

/** A table, and the geometry column that is read where that is not its first one. */
export interface GeometryTable {
  table: string
  geometry?: string
}

/** Returns the name under which a further geometry column of a table is read, as GDAL names it. */
export function geometryTableName(table: string, column: string): string {
  return `${table}(${column})`
}

/**
 * Returns table and geometry column of a name. A table whose own name has this form comes first; only such
 * names need a query.
 */
export async function parseRelationName(
  client: ClientBase,
  schema: string,
  name: string,
): Promise<GeometryTable> {
  const [, table, geometry] = /^(.+)\((.+)\)$/s.exec(name) ?? []
  if (table === undefined || geometry === undefined) return { table: name }
  const { rows } = await client.query(
    'select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2',
    [schema, name],
  )
  return rows.length > 0 ? { table: name } : { table, geometry }
}
