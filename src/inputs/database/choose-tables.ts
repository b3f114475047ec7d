import { invalid } from '../../core/errors/errors.ts'
import type { LayerDescription } from '../../formats/worker.ts'
import type { DescribeOptions } from './database.ts'

const shownTables = 20

/** Lists names for a message, at most 20 of them. */
export function listNames(names: readonly string[]): string {
  const rest = names.length - shownTables
  return names.slice(0, shownTables).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** Throws if requested tables do not exist; `place` names the database in the message. */
export function requireTables(requested: readonly string[], found: readonly string[], place: string): void {
  const missing = requested.filter((name) => !found.includes(name)).map((name) => `"${name}"`)
  if (missing.length === 0) return
  const there = found.length === 0 ? 'it has none' : `there are ${listNames(found)}`
  throw invalid('unknown-table', `${place} has no table ${missing.join(', ')}: ${there}`)
}

/** Returns the requested tables of a database file, ordered by name. */
export function chooseTables(
  found: LayerDescription[],
  database: string,
  { tables: requested, maxTables }: DescribeOptions,
): LayerDescription[] {
  const names = found.map(({ name }) => name)
  if (names.length === 0) throw invalid('no-tables', `Database "${database}" has no tables`)
  requireTables(requested ?? [], names, `Database "${database}"`)
  const chosen = requested === undefined ? [...found] : found.filter(({ name }) => requested.includes(name))
  if (chosen.length > maxTables) {
    throw invalid(
      'too-many-tables',
      `Database "${database}" has more than ${maxTables} tables: list the tables to import`,
    )
  }
  return chosen.sort((a, b) => (a.name < b.name ? -1 : 1))
}
