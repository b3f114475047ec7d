/** Whether a value that was kept as JSON is an object with names. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether it is a whole number. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
