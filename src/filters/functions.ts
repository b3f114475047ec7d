/** Functions that a filter may call, by their names in both notations, and their result types. */
export const filterFunctions = {
  casei: 'text',
  accenti: 'text',
  lower: 'text',
  upper: 'text',
  length: 'number',
  abs: 'number',
  round: 'number',
} as const

/** The name of a function. */
export type FilterFunction = keyof typeof filterFunctions

/** True if a filter may call a function of this name. */
export function isFilterFunction(name: string): name is FilterFunction {
  return Object.hasOwn(filterFunctions, name)
}

/**
 * Returns the nearest integer; of two equally near ones the one further from zero. Exact: 0.49999999999999994
 * is 0.
 */
export function roundNumber(value: number): number {
  const whole = Math.trunc(value)
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole
}
