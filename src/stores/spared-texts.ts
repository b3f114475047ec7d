import type { AttributeType } from '../geo/schema.ts'
import type { UpsertRules } from './changes.ts'

const integers: readonly string[] = ['int16', 'int32', 'int64'] satisfies AttributeType[]
const floats: readonly string[] = ['float32', 'float64'] satisfies AttributeType[]
/** Beyond that stores write floats in different ways. */
const mostPlain = 1e15

/** Which rows of a table an `UPSERT` deletes: none, or those that do not come but for those with one of these keys. */
export type Missing = 'none' | { spared: string[][] }

/**
 * What is missing, with the keys that are spared as `text` of columns of these types: of a float that is whole without a point.
 * `undefined` is a type whose text nobody knows: a row of it could be any.
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

/** Null where no value of the type has that text; undefined where that cannot be told. */
function textIn(type: string | undefined, value: string): string | null | undefined {
  if (type === 'text') return value
  if (type === undefined || !(integers.includes(type) || floats.includes(type))) return undefined
  const text = value.trim()
  const [, sign = '', digits] = /^([+-]?)0*(\d+)(?:\.0*)?$/.exec(text) ?? []
  if (digits !== undefined) {
    if (floats.includes(type) && Number(digits) >= mostPlain) return undefined
    return sign === '-' && digits !== '0' ? `-${digits}` : digits
  }
  return integers.includes(type) || text === '' || Number.isNaN(Number(text)) ? null : undefined
}
