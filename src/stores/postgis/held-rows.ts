import { invalid } from '../../core/errors/errors.ts'
import { quoteIdentifier } from '../../core/postgres/quote.ts'
import type { Envelope } from '../../geo/envelope.ts'
import type { UpsertRules } from '../changes.ts'
import type { ColumnFacts, TableFacts } from './table-facts.ts'

/** Rows in a table of their own, with the column types of the target table. */
export interface HeldRows {
  /** Quoted name of the table that contains the rows. */
  relation: string
  /** The target table; if it does not exist yet, the table that contains the rows. */
  facts: TableFacts
  /** Columns of the target table for which the rows have values, including the geometry. */
  columns: string[]
  /** Column with the values of the identity column of the source. */
  identity?: string
  /** Number of rows, if known without counting. */
  rowCount?: number
}

/** Staged rows and how they will be placed. */
export interface ComparedRows extends HeldRows {
  rowCount: number
  /** Their exact bounds, if known without reading them. */
  bounds?: Envelope
  /** True if all existing rows remain, whatever is staged. */
  isAddition: boolean
  upsert?: UpsertRules
  /** Effects that cannot be predicted, as known from staging. */
  notTried: string[]
}

/** A column whose values distinguish two rows. */
export interface ComparedColumn {
  name: string
  /**
   * Returns an expression for the column of `alias`. Two expressions are equal, with equal hashes, exactly if
   * the stored values are equal.
   */
  valueIn(alias: string): string
}

/**
 * Returns the columns that decide whether two rows are equal: all stored ones except ids assigned by the
 * store and ids of the source, unless these are a key.
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

/** True if a column contains the feature ids, which the server assigns. */
export function isGivenId(facts: TableFacts, { name, isNumbered }: ColumnFacts): boolean {
  return isNumbered && name === facts.primaryKey
}

/** Compares text bytewise: collations and types such as `citext` treat different texts as equal. */
function attributeValue(alias: string, { name, attribute, sqlType }: ColumnFacts): string {
  const column = `${alias}.${quoteIdentifier(name)}`
  if (attribute?.type === 'text') return `${column} collate "C"`
  return attribute === undefined && sqlType !== 'jsonb' ? `${column}::text collate "C"` : column
}

/** Returns the types of key values; undefined for columns that no attribute type represents. */
export function keyTypes({ columns }: TableFacts, keys: readonly string[]): (string | undefined)[] {
  return keys.map((key) => columns.find(({ name }) => name === key)?.attribute?.type)
}

/** Throws `Failure` if a key is not a column of the rows. */
export function requireKeys({ facts, columns }: HeldRows, keys: readonly string[]): void {
  const known = facts.columns.map(({ name }) => name).filter((name) => columns.includes(name))
  const missing = keys.find((key) => !known.includes(key))
  if (keys.length > 0 && missing === undefined) return
  throw invalid(
    'invalid-keys',
    `Rows of "${facts.name}" cannot be told by ${missing === undefined ? 'no column' : `"${missing}"`}: both need it, and it may be no geometry. There ${known.length === 0 ? 'is none that the data have' : `are ${known.join(', ')}`}`,
  )
}
