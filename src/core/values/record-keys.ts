/** Returns the value of an untrusted key; undefined for inherited keys. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** Returns the keys of a record in their order, with their literal types. */
export function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(record) as K[]
}

/** Returns the keys of a record by their numbers. */
export function keysById<K extends string>(record: Readonly<Record<K, number>>): ReadonlyMap<number, K> {
  return new Map(keysOf(record).map((key) => [record[key], key]))
}

/** True if a parsed JSON value is an object with named members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True if a value is an integer. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
