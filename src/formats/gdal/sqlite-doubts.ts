import type { AttributeType, Schema } from '../../geo/schema.ts'
import { FormatError } from '../format.ts'
import { quoteName } from '../geopackage/sql-names.ts'
import type { GdalSource } from './gdal-programs.ts'

/** A value that GDAL silently replaces by another one, or by null. */
export interface Doubt {
  /** Attribute index. */
  attribute: number
  /** The start of its text. */
  text: string
  /** True if GDAL may nevertheless have read the value correctly: then only a null is wrong. */
  isMaybeRead: boolean
}

/** Doubtful values by feature id. */
export type Doubts = ReadonlyMap<string, Doubt[]>

const maxDoubts = 10_000
const shownBytes = 200
const rowForm =
  / r \(Integer(?:64)?\) = (-?\d+)\n +c \(Integer(?:64)?\) = (\d+)\n +v \(String\) = ([0-9A-F]*)/g

/** Returns SQL for the values of a column that do not match its type; undefined if every value does. */
function doubtOf(type: AttributeType, name: string): string | undefined {
  if (type === 'boolean') return `typeof(${name}) <> 'integer' OR ${name} NOT IN (0, 1)`
  // GDAL itself reports values that are too large for a column.
  if (type === 'int16' || type === 'int32' || type === 'int64') return `typeof(${name}) <> 'integer'`
  if (type === 'float32' || type === 'float64') return `typeof(${name}) NOT IN ('real', 'integer')`
  if (type === 'text') return `typeof(${name}) = 'blob'`
  if (type === 'date' || type === 'timestamp') return `${name} <> '' AND datetime(${name}) IS NULL`
  return type === 'time' ? `${name} <> '' AND time(${name}) IS NULL` : undefined
}

/**
 * Finds values in an SQLite table that do not match the type of their column, since SQLite stores any kind of
 * value in any column. Throws `FormatError` if there are very many. Undefined for a view, which has no
 * rowids.
 */
export async function findDoubts(
  source: GdalSource,
  table: string,
  { attributes }: Schema,
): Promise<Doubts | undefined> {
  const from = quoteName(table)
  const queries = attributes.flatMap(({ name, type }, index) => {
    const column = quoteName(name)
    const doubt = doubtOf(type, column)
    if (doubt === undefined) return []
    const value = `hex(substr(CAST(${column} AS TEXT), 1, ${shownBytes}))`
    return [
      `SELECT rowid AS r, ${index} AS c, ${value} AS v FROM ${from} WHERE ${column} IS NOT NULL AND (${doubt})`,
    ]
  })
  if (queries.length === 0) return new Map()
  const sql = `${queries.join(' UNION ALL ')} LIMIT ${maxDoubts + 1}`
  const reported = await source.info(['-q', '-sql', sql], []).catch((error: unknown) => {
    if (error instanceof FormatError) return undefined
    throw error
  })
  return reported === undefined || reported === '' ? undefined : gather(reported, attributes)
}

function gather(reported: string, attributes: Schema['attributes']): Doubts {
  const doubts = new Map<string, Doubt[]>()
  let count = 0
  for (const [, feature = '', index = '', hex = ''] of reported.matchAll(rowForm)) {
    const attribute = Number(index)
    const type = attributes[attribute]?.type
    const isMaybeRead = type === 'date' || type === 'time' || type === 'timestamp'
    const doubt = { attribute, text: Buffer.from(hex, 'hex').toString('utf8'), isMaybeRead }
    const known = doubts.get(feature)
    if (known === undefined) doubts.set(feature, [doubt])
    else known.push(doubt)
    count += 1
  }
  if (count > maxDoubts) {
    const message = `More than ${maxDoubts} values are none of their column's type: declare the columns as they are`
    throw new FormatError(message, { code: 'gdal-failed' })
  }
  return doubts
}
