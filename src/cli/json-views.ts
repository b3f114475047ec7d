/** Returns a field of a server response; undefined if missing. */
export function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

export function listOf(value: unknown, name: string): unknown[] {
  const list = readField(value, name)
  return Array.isArray(list) ? list : []
}

/** Returns the value as text; empty if absent. */
export function readString(value: unknown, name: string): string {
  const found = readField(value, name)
  return found == null ? '' : String(found)
}

export function readNumber(value: unknown, name: string): number {
  const found = readField(value, name)
  return typeof found === 'number' ? found : 0
}
