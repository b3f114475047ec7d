/** True if a parsed JSON value is an object with named members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True if it is an integer. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
