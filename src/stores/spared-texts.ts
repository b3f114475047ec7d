import type { AttributeType } from '../geo/schema.ts'
import type { UpsertRules } from './changes.ts'

const integers: readonly string[] = ['int16', 'int32', 'int64'] satisfies AttributeType[]
const floats: readonly string[] = ['float32', 'float64'] satisfies AttributeType[]
/** Beyond this value stores format floats differently. */
const maxPlain = 1e15

/**
 * Rows of a table that an `UPSERT` deletes: none, or those missing in the data except those with one of these
 * keys.
 */
export type Missing = 'none' | { spared: string[][] }

/**
 * Returns the rows to delete, with the spared keys in the text form of columns of these types: an integral
 * float has no decimal point. `undefined` is a type with unknown text form: any row of it could have the key.
 */
export function missingRows(rules: UpsertRules, types: readonly (string | undefined)[]): Missing {
  if (!rules.deletesMissing) return 'none'
  const { keys, hasUnknown } = rules.spared?.() ?? { keys: [], hasUnknown: false }
  if (hasUnknown) return 'none'
  const spared: string[][] = []
  for (const key of keys) {
    const texts = key.map((value, at) => textIn(types[at], value))
    if (texts.includes(undefined)) return 'none'
    if (!texts.includes(null)) spared.push(texts.flatMap((text) => text ?? []))
  }
  return { spared }
}

/** Returns null if no value of the type has that text; undefined if that cannot be determined. */
function textIn(type: string | undefined, value: string): string | null | undefined {
  if (type === 'text') return value
  if (type === undefined || !(integers.includes(type) || floats.includes(type))) return undefined
  const text = value.trim()
  const [, sign = '', digits] = /^([+-]?)0*(\d+)(?:\.0*)?$/.exec(text) ?? []
  if (digits !== undefined) {
    if (floats.includes(type) && Number(digits) >= maxPlain) return undefined
    return sign === '-' && digits !== '0' ? `-${digits}` : digits
  }
  return integers.includes(type) || text === '' || Number.isNaN(Number(text)) ? null : undefined
}
