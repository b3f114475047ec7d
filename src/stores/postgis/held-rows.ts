import type { Envelope } from '../../geo/envelope.ts'
import { invalid } from '../../lib/errors.ts'
import { quoteIdentifier } from '../../lib/postgres/quote.ts'
import type { UpsertRules } from '../changes.ts'
import type { ColumnFacts, TableFacts } from './table-facts.ts'

/** Rows in a table of their own, in the column types of the table that they are meant for. */
export interface HeldRows {
  /** The table that holds them, quoted. */
  relation: string
  /** The table that they are meant for; where there is none yet, what holds them. */
  facts: TableFacts
  /** The columns of that table whose values they have, the geometry among them. */
  columns: string[]
  /** The column that has the values of the identity column of the source. */
  identity?: string
  /** How many they are, where that is known without a look. */
  rowCount?: number
}

/** Staged rows with what is to become of them. */
export interface ComparedRows extends HeldRows {
  rowCount: number
  /** Their exact bounds, where these are known without a look. */
  bounds?: Envelope
  /** Whether the rows that are there stay, whatever comes. */
  isAddition: boolean
  upsert?: UpsertRules
  /** What cannot be tried, known to who staged them. */
  notTried: string[]
}

/** A column by whose values two rows are told apart. */
export interface ComparedColumn {
  name: string
  /** An expression over the column of `alias` that is equal, and hashed alike, exactly where the stored values are. */
  valueIn(alias: string): string
}

/**
 * The columns that tell whether two rows are the same: all that are held but the ids that the store gives and those of the source,
 * unless these are a key.
 */
export function comparedColumns(
  { facts, columns, identity }: HeldRows,
  keys: readonly string[],
): ComparedColumn[] {
  const compared: ComparedColumn[] = facts.columns
    .filter(({ name, isGenerated }) => columns.includes(name) && !isGenerated)
    .filter((column) => {
      const isId = column.name === identity || isGivenId(facts, column)
      return !isId || keys.includes(column.name)
    })
    .map((column) => ({ name: column.name, valueIn: (alias) => attributeValue(alias, column) }))
  const { geometry } = facts
  if (geometry !== undefined && columns.includes(geometry.name)) {
    const name = quoteIdentifier(geometry.name)
    const cast = geometry.isGeography ? '::geometry' : ''
    compared.push({ name: geometry.name, valueIn: (alias) => `${alias}.${name}${cast}` })
  }
  return compared
}

/** Whether a column holds the feature ids, which the server gives. */
export function isGivenId(facts: TableFacts, { name, isNumbered }: ColumnFacts): boolean {
  return isNumbered && name === facts.primaryKey
}

/** Text by its bytes: collations and types as `citext` call some equal that are not. */
function attributeValue(alias: string, { name, attribute, sqlType }: ColumnFacts): string {
  const column = `${alias}.${quoteIdentifier(name)}`
  if (attribute?.type === 'text') return `${column} collate "C"`
  return attribute === undefined && sqlType !== 'jsonb' ? `${column}::text collate "C"` : column
}

/** What types the values of keys have; undefined of those that no attribute has. */
export function keyTypes({ columns }: TableFacts, keys: readonly string[]): (string | undefined)[] {
  return keys.map((key) => columns.find(({ name }) => name === key)?.attribute?.type)
}

/** Throws `Failure` where a key is no column whose values the rows have. */
export function requireKeys({ facts, columns }: HeldRows, keys: readonly string[]): void {
  const known = facts.columns.map(({ name }) => name).filter((name) => columns.includes(name))
  const missing = keys.find((key) => !known.includes(key))
  if (keys.length > 0 && missing === undefined) return
  throw invalid(
    'invalid-keys',
    `Rows of "${facts.name}" cannot be told by ${missing === undefined ? 'no column' : `"${missing}"`}: both need it, and it may be no geometry. There ${known.length === 0 ? 'is none that the data have' : `are ${known.join(', ')}`}`,
  )
}
