/** What attributes are called, what a new table would call their columns, and the columns that are there. */
interface MatchedNames {
  attributes: readonly string[]
  made: readonly string[]
  columns: readonly string[]
}

/**
 * The column of an existing table that each attribute goes into: by name without case, else by the name that a new table would
 * have given it. A table that was made of data with these names takes each where it went then. No column is taken twice.
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
