import type { Attribute, AttributeType, Schema } from '../../geo/schema.ts'
import { identityAttribute } from '../../geo/schema.ts'
import type { TableDescription } from '../../stores/store.ts'

/** As what values of two columns are compared. */
export type KeyForm = 'number' | 'float32' | 'text' | 'date' | 'time' | 'timestamp'

/** A column of the data that a column of the table is named like, whose values may be the same. */
export interface ComparableColumn {
  /** In the table. */
  name: string
  /** In the data, at the end of their transformations. */
  source: string
  form: KeyForm
  type: AttributeType
  /** It has the values of the identity column of the data. */
  isIdentity?: true
  /** It holds the feature ids, which are no attribute of the table. */
  isId?: true
}

const integers: readonly AttributeType[] = ['int16', 'int32', 'int64']
const numbers: readonly AttributeType[] = [...integers, 'float32', 'float64', 'decimal']
const times = ['date', 'time', 'timestamp'] as const

/** The columns by which rows of data and of a table could be matched. Truth values and bytes name no row. */
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

/** The feature ids of the table, where the identity column of the data is called like them. */
function idColumns(data: Schema, { attributes }: Schema, primaryKey: string | undefined): ComparableColumn[] {
  const identity = identityAttribute(data)
  if (primaryKey === undefined || identity === undefined || !integers.includes(identity.type)) return []
  const isId = fold(identity.name) === fold(primaryKey) && attributes.every(({ name }) => name !== primaryKey)
  if (!isId) return []
  const { name: source } = identity
  return [{ name: primaryKey, source, form: 'number', type: 'int64', isIdentity: true, isId: true }]
}

/** By name without case, with a blank for each `_`, as loads match them. */
function findLike(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const folded = fold(name)
  return attributes.find((one) => one.name === name) ?? attributes.find((one) => fold(one.name) === folded)
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase().replace(/\s/gu, '_')
}

/** The form in which a table holds what comes; undefined where values would not be the same. */
function formOf(source: AttributeType, target: AttributeType): KeyForm | undefined {
  if (target === 'text')
    return source === 'text' || integers.includes(source) || source === 'decimal' ? 'text' : undefined
  if (numbers.includes(target)) {
    if (!numbers.includes(source)) return undefined
    return target === 'float32' || source === 'float32' ? 'float32' : 'number'
  }
  return times.find((time) => time === source && time === target)
}
