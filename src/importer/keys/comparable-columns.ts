import type { Attribute, AttributeType, Schema } from '../../geo/schema.ts'
import { identityAttribute } from '../../geo/schema.ts'
import type { TableDescription } from '../../stores/index.ts'

/** Method of comparing the values of two columns. */
export type KeyForm = 'number' | 'float32' | 'text' | 'date' | 'time' | 'timestamp'

/** A data column and a table column with the same name and comparable values. */
export interface ComparableColumn {
  /** Name in the table. */
  name: string
  /** Name in the data, at the end of their transformations. */
  source: string
  form: KeyForm
  type: AttributeType
  /** Set if it contains the identity column of the data. */
  isIdentity?: true
  /** True if the column contains the feature ids, which are not an attribute of the table. */
  isId?: true
}

const integers: readonly AttributeType[] = ['int16', 'int32', 'int64']
const numbers: readonly AttributeType[] = [...integers, 'float32', 'float64', 'decimal']
const times = ['date', 'time', 'timestamp'] as const

/**
 * Returns the columns that could match rows of data with those of a table. Boolean and binary columns are
 * excluded.
 */
export function comparableColumns(
  data: Schema,
  { schema, primaryKey }: Pick<TableDescription, 'schema' | 'primaryKey'>,
): ComparableColumn[] {
  const columns = schema.attributes.flatMap((column): ComparableColumn[] => {
    const source = findLike(data.attributes, column.name)
    const form = source && formOf(source.type, column.type)
    if (source === undefined || form === undefined) return []
    const isIdentity = source.isIdentity === true
    const compared = { name: column.name, source: source.name, form, type: column.type }
    return [isIdentity ? { ...compared, isIdentity } : compared]
  })
  return [...idColumns(data, schema, primaryKey), ...columns]
}

/** Returns the feature ids of the table, if the identity column of the data has their name. */
function idColumns(data: Schema, { attributes }: Schema, primaryKey: string | undefined): ComparableColumn[] {
  const identity = identityAttribute(data)
  if (primaryKey === undefined || identity === undefined || !integers.includes(identity.type)) return []
  const isId = fold(identity.name) === fold(primaryKey) && attributes.every(({ name }) => name !== primaryKey)
  if (!isId) return []
  const { name: source } = identity
  return [{ name: primaryKey, source, form: 'number', type: 'int64', isIdentity: true, isId: true }]
}

/** Matches names without case, with `_` equal to a blank, like loads do. */
function findLike(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const folded = fold(name)
  return attributes.find((one) => one.name === name) ?? attributes.find((one) => fold(one.name) === folded)
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase().replace(/\s/gu, '_')
}

/**
 * Returns the form in which values of both types can be compared, or undefined if equal values would differ.
 */
function formOf(source: AttributeType, target: AttributeType): KeyForm | undefined {
  if (target === 'text')
    return source === 'text' || integers.includes(source) || source === 'decimal' ? 'text' : undefined
  if (numbers.includes(target)) {
    if (!numbers.includes(source)) return undefined
    return target === 'float32' || source === 'float32' ? 'float32' : 'number'
  }
  return times.find((time) => time === source && time === target)
}
