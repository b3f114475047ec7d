import { conflict } from '../../core/errors/errors.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import type { LoadHooks, LoadRequest } from '../store.ts'
import type { StoredTable } from './row-file.ts'

/** Source column and name of each column of the table. */
export interface TablePlan {
  schema: Schema
  /** For each attribute of the table the data's column; undefined where they have none. */
  sources: (number | undefined)[]
  renamed: Record<string, string>
}

/** Plans a load into an existing or new table; throws `Failure` if it is not possible. */
export function planTable(
  request: LoadRequest,
  existing: StoredTable | undefined,
  onMessage: LoadHooks['onMessage'],
): TablePlan {
  const { mode, table, schema } = request
  if (mode === 'CREATE' && existing !== undefined) {
    throw conflict('table-exists', `The file has a table "${table}" already`)
  }
  if (mode === 'APPEND' && existing === undefined) {
    throw conflict('table-missing', `The file has no table "${table}" to append to`)
  }
  return existing === undefined ? planNew(schema) : planExisting(schema, existing, onMessage)
}

/** Names that differ in their letter case alone would be one column for a later load: the second gets a number. */
function planNew({ attributes, geometry }: Schema): TablePlan {
  const renamed: Record<string, string> = {}
  const taken = new Set<string>()
  const free = (requested: string, fallback: string): string => {
    let name = requested === '' ? fallback : requested
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${requested}_${number}`
    taken.add(name.toLowerCase())
    if (name !== requested) renamed[requested] = name
    return name
  }
  const field = geometry && { ...geometry, name: free(geometry.name, 'geom') }
  const columns = attributes.map((attribute) => ({ ...attribute, name: free(attribute.name, 'column') }))
  return { schema: { attributes: columns, geometry: field }, sources: attributes.map((_, at) => at), renamed }
}

function planExisting(
  { attributes }: Schema,
  { name, schema }: StoredTable,
  onMessage: LoadHooks['onMessage'],
): TablePlan {
  const sources = schema.attributes.map((column) => sourceOf(attributes, column))
  const stored = schema.attributes.map((column, at) => [attributes[sources[at] ?? -1]?.name, column.name])
  const renamed = Object.fromEntries(stored.filter(([given, kept]) => given !== undefined && given !== kept))
  tell(
    attributes.filter((_, at) => !sources.includes(at)),
    (names) => `The table "${name}" has no column for ${names}: left out`,
    { code: 'attributes-not-in-table', onMessage },
  )
  tell(
    schema.attributes.filter((_, at) => sources[at] === undefined),
    (names) => `The data have no attribute for ${names} of the table "${name}": left empty`,
    { code: 'columns-not-in-data', onMessage },
  )
  return { schema, sources, renamed }
}

/** By the very name, or by one that differs in its letter case. */
function sourceOf(attributes: Attribute[], { name }: Attribute): number | undefined {
  const exact = attributes.findIndex((attribute) => attribute.name === name)
  const alike = attributes.findIndex((attribute) => attribute.name.toLowerCase() === name.toLowerCase())
  const found = exact === -1 ? alike : exact
  return found === -1 ? undefined : found
}

function tell(
  unmatched: Attribute[],
  message: (names: string) => string,
  { code, onMessage }: { code: string; onMessage: LoadHooks['onMessage'] },
): void {
  const names = unmatched.map(({ name }) => `"${name}"`).join(', ')
  if (names !== '') onMessage({ level: 'warning', code, message: message(names) })
}
