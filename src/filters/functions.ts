/** Types of a function's arguments and result. */
export type ValueType = 'text' | 'number' | 'integer'

/** Types of the arguments of a function and of its result. */
export interface Signature {
  args: readonly [ValueType]
  returns: ValueType
  description: string
}

/** Functions that a filter may call, by the names that all notations have for them. */
export const filterFunctions = {
  casei: {
    args: ['text'],
    returns: 'text',
    description: 'A text whose case does not matter in a comparison',
  },
  accenti: {
    args: ['text'],
    returns: 'text',
    description: 'A text whose accents do not matter in a comparison',
  },
  lower: { args: ['text'], returns: 'text', description: 'A text in small letters by the rules of Unicode' },
  upper: {
    args: ['text'],
    returns: 'text',
    description: 'A text in capital letters by the rules of Unicode',
  },
  length: { args: ['text'], returns: 'integer', description: 'The number of characters of a text' },
  abs: { args: ['number'], returns: 'number', description: 'The absolute value of a number' },
  round: {
    args: ['number'],
    returns: 'number',
    description: 'The whole number nearest to a number; halves are rounded away from zero',
  },
} as const satisfies Record<string, Signature>

/** The name of a function. */
export type FilterFunction = keyof typeof filterFunctions

/** Functions that are not part of the grammar of CQL2 itself, as `casei` and `accenti` are. */
export const customFunctions = Object.entries<Signature>(filterFunctions).filter(
  ([name]) => name !== 'casei' && name !== 'accenti',
)

/** True for the name of a function that a filter may call. */
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
