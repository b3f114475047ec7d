import { conflict } from '../../core/errors/errors.ts'
import { quoteIdentifier } from '../../core/postgres/quote.ts'
import { freeIdentifier } from './identifiers.ts'
import type { Connection } from './session.ts'

/**
 * Returns a function that returns an unused name in the schema for each object of a table, as similar to the
 * requested name as possible. Throws `Failure` with code `table-exists` if the name of the table itself is
 * taken.
 */
export async function findFreeNames(
  connection: Connection,
  doing: string,
  { schema, table }: { schema: string; table: string },
): Promise<(requested: string) => string> {
  const { rows } = await connection.run<{ name: string }>(
    doing,
    'select relname as name from pg_class where relnamespace = $1::regnamespace',
    [quoteIdentifier(schema)],
  )
  const taken = new Set(rows.map(({ name }) => name))
  if (taken.has(table)) throw conflict('table-exists', `"${table}" exists in schema "${schema}"`)
  taken.add(table)
  return (requested) => {
    const chosen = freeIdentifier(requested, (candidate) => taken.has(candidate))
    taken.add(chosen)
    return chosen
  }
}
