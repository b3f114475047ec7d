import type { LoadMode } from './store.ts'

/** Names of attributes, their column names in a new table, and the existing columns. */
interface MatchedNames {
  attributes: readonly string[]
  made: readonly string[]
  columns: readonly string[]
}

/**
 * Returns the column of an existing table for each attribute: by name without case, else by the name that a
 * new table would have. A table created from data with these names uses the same columns again. No column is
 * used twice.
 */
export function matchColumns({ attributes, made, columns }: MatchedNames): (string | undefined)[] {
  const find = (name: string): string | undefined =>
    columns.find((column) => column === name) ?? columns.find((column) => fold(column) === fold(name))
  const named = attributes.map(find)
  const asMade = made.map(find)
  const isOwn =
    asMade.every((column) => column !== undefined) &&
    named.every((column) => column === undefined || asMade.includes(column))
  const matched = isOwn ? asMade : named.map((column, at) => column ?? free(asMade[at], named))
  const isFirst = (column: string | undefined, at: number): boolean => {
    const exact = isOwn || column === undefined ? -1 : attributes.indexOf(column)
    return (exact >= 0 ? exact : matched.indexOf(column)) === at
  }
  return matched.map((column, at) => (isFirst(column, at) ? column : undefined))
}

function free(column: string | undefined, taken: readonly (string | undefined)[]): string | undefined {
  return taken.includes(column) ? undefined : column
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** Returns a message that a load assigns other ids than those in the identity column of the source. */
export function explainNewIds(mode: LoadMode, column: string): string {
  return mode === 'UPSERT'
    ? `New rows get new ids: the ids in "${column}" are taken over only where "${column}" is the key`
    : `The rows get new ids: ${mode} does not reuse the ids in "${column}"`
}
