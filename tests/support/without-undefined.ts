import assert from 'node:assert/strict'

/** Copies plain objects and arrays without members whose value is undefined, for comparisons with `deepEqual`. */
export function withoutUndefined<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutUndefined) as T
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutUndefined(one)])) as T
}

/** Asserts that the values are deeply equal. A member that is undefined equals an absent one. */
export function sameValues(actual: unknown, expected: unknown, message?: string): void {
  assert.deepEqual(withoutUndefined(actual), withoutUndefined(expected), message)
}
