import { ownValue } from '../../core/values/record-keys.ts'

const maxNames = 20
const maxBytes = 1024

type Node = Record<string, unknown>

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The branches of a schema: itself without choices, or every choice. */
function branches(schema: Node): Node[] {
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) =>
    Array.isArray(schema[key]) ? schema[key].filter(isNode) : [],
  )
  return choices.length === 0 ? [schema] : [schema, ...choices.flatMap(branches)]
}

/**
 * Returns the dotted names of keys in `value` that the schema does not define. Free-form objects define every
 * key.
 */
export function unknownKeys(schema: unknown, value: unknown): string[] {
  const names: string[] = []
  // Most requests have no parameters: skips the schema.
  const isEmpty = isNode(value) && Object.keys(value).length === 0
  if (isNode(schema) && !isEmpty) visit([schema], value, '', names)
  return names
}

function visit(schemas: Node[], value: unknown, path: string, names: string[]): void {
  if (names.length > maxNames) return
  const known = schemas.flatMap(branches)
  if (Array.isArray(value)) {
    const items = known.map((one) => one.items).filter(isNode)
    if (items.length > 0) for (const item of value) visit(items, item, path, names)
  } else if (isNode(value)) {
    visitObject(known, value, path, names)
  }
}

function visitObject(known: Node[], value: Node, path: string, names: string[]): void {
  const objects = known.filter((one) => isNode(one.properties))
  const isOpen = known.some(
    (one) =>
      isNode(one.patternProperties) ||
      (one.additionalProperties !== undefined && one.additionalProperties !== false) ||
      (one.type === 'object' && one.properties === undefined),
  )
  if (objects.length === 0) return
  for (const [key, item] of Object.entries(value)) {
    if (names.length > maxNames) return
    const inner = objects.map((one) => ownValue(one.properties as Node, key)).filter(isNode)
    if (inner.length > 0) visit(inner, item, `${path}${key}.`, names)
    else if (!isOpen && !names.includes(path + key)) names.push(path + key)
  }
}

/** The value of `Terrane-Ignored`: percent-encoded, at most 20 names and 1 KiB. */
export function ignoredHeader(names: Iterable<string>): string {
  let header = ''
  let count = 0
  for (const name of names) {
    const encoded = encodeURIComponent(name.toWellFormed())
    const next = header === '' ? encoded : `${header}, ${encoded}`
    if (count === maxNames || next.length > maxBytes) break
    header = next
    count += 1
  }
  return header
}
