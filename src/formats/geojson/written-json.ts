import { invalid } from '../../core/errors/errors.ts'

/** A number as written, if JavaScript would write it differently. */
export class WrittenNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A JSON value whose numbers preserve their digits. */
export type WrittenJson =
  | null
  | boolean
  | string
  | number
  | WrittenNumber
  | WrittenJson[]
  | { [name: string]: WrittenJson }

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

const deepest = 100

/**
 * Parses JSON and preserves the digits of numbers; throws `malformed-json` for invalid JSON or UTF-8. `what`
 * names the text in messages.
 */
export function parseWritten(json: Uint8Array | string, what: string): WrittenJson {
  const keepDigits: Reviver = (key, value, { source }) => {
    if (key === '__proto__') throw invalid('malformed-json', `${what} has a key "__proto__"`)
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? new WrittenNumber(source)
      : value
  }
  try {
    const text = typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal: true }).decode(json)
    const parsed = JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]) as WrittenJson
    requireFlat(parsed, what, 0)
    return parsed
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError))
      throw error
    throw invalid('malformed-json', `${what} is not JSON: ${error.message.slice(0, 200)}`, { cause: error })
  }
}

function requireFlat(value: WrittenJson, what: string, depth: number): void {
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) return
  if (depth > deepest) throw invalid('malformed-json', `${what} is nested deeper than ${deepest} levels`)
  for (const inner of Object.values(value)) requireFlat(inner, what, depth + 1)
}

/** True if a value is an object and not an array. */
export function isWrittenObject(value: WrittenJson | undefined): value is Record<string, WrittenJson> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber)
  )
}

/** Converts to plain JSON: numbers as doubles. */
export function plainJson(value: WrittenJson): unknown {
  if (value instanceof WrittenNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(plainJson)
  if (!isWrittenObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainJson(inner)]))
}

/** Applies a JSON Merge Patch to a document (RFC 7396, section 2). */
export function mergePatch(target: WrittenJson | undefined, patch: WrittenJson): WrittenJson {
  if (!isWrittenObject(patch)) return patch
  const merged: Record<string, WrittenJson> = isWrittenObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}
