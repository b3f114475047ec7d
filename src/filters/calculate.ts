import { roundNumber } from './functions.ts'

/** Arithmetic operators (OGC 21-065r2, Annex B), by the names that CQL2 JSON has for them. */
export const arithmeticOperators = ['+', '-', '*', '/', '%', 'div', '^'] as const
/** An arithmetic operator. */
export type ArithmeticOperator = (typeof arithmeticOperators)[number]

/** Functions of one number; `real` converts a number to a double for arithmetic. */
export type NumberFunction = 'abs' | 'round' | 'real'

/** Arithmetic of a calculation: 64-bit integers, doubles, or the decimals of a store. */
export type NumberType = 'integer' | 'real' | 'decimal'

/** An exact integer, or a double. */
export type NumberValue = bigint | number

/** Doubles of arithmetic are smaller than this, so that no product or quotient of two of them overflows. */
export const realLimit = 1e150
/** Doubles of arithmetic that are closer to zero than this are zero, so that no product of two of them underflows. */
export const minReal = 1e-130
/** Natural logarithms of powers beyond `realLimit` and below `minReal` that a double still holds. */
export const largestLogarithm = 600

/** True for an operator that takes two numbers. */
export function isArithmetic(operator: string): operator is ArithmeticOperator {
  return (arithmeticOperators as readonly string[]).includes(operator)
}

/** Returns the result, or undefined for a division by zero, an overflow, or a power that is not a real number. */
export function calculate(
  operator: ArithmeticOperator | NumberFunction,
  type: NumberType,
  a: NumberValue,
  b: NumberValue = 0,
): NumberValue | undefined {
  if (operator === 'abs') return a < 0 ? -a : a
  if (operator === 'round') return typeof a === 'number' ? roundNumber(a) : a
  if (operator === 'real') return toReal(Number(a))
  return type === 'integer' ? ofIntegers(operator, a, b) : toReal(ofReals(operator, Number(a), Number(b)))
}

function ofIntegers(
  operator: ArithmeticOperator,
  first: NumberValue,
  second: NumberValue,
): bigint | undefined {
  const [a, b] = [toInteger(first), toInteger(second)]
  if (a === undefined || b === undefined) return undefined
  if (b === 0n && (operator === 'div' || operator === '%')) return undefined
  const value =
    operator === '+'
      ? a + b
      : operator === '-'
        ? a - b
        : operator === '*'
          ? a * b
          : operator === 'div'
            ? a / b
            : a % b
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function toInteger(value: NumberValue): bigint | undefined {
  if (typeof value === 'bigint') return value
  return Number.isInteger(value) ? BigInt(value) : undefined
}

function ofReals(operator: ArithmeticOperator, a: number, b: number): number {
  if (operator === '+') return a + b
  if (operator === '-') return a - b
  if (operator === '*') return a * b
  if (operator === '^') return power(a, b)
  if (b === 0) return Number.NaN
  if (operator === '/') return a / b
  const whole = Math.trunc(a / b)
  return operator === 'div' ? whole : a - b * whole
}

/** Squares and square roots are computed exactly: math libraries differ in the last digit of other powers. */
function power(a: number, b: number): number {
  if (a === 0) return b > 0 ? 0 : b === 0 ? 1 : Number.NaN
  if (a < 0 && !Number.isInteger(b)) return Number.NaN
  if (b === 2) return a * a
  if (b === 0.5) return Math.sqrt(a)
  const logarithm = b * Math.log(Math.abs(a))
  if (Math.abs(logarithm) < largestLogarithm) return a ** b
  return logarithm < 0 ? 0 : Number.NaN
}

function toReal(value: number): number | undefined {
  const size = Math.abs(value)
  if (size < minReal) return 0
  return size < realLimit ? value : undefined
}

/** Returns the digits of a result. */
export function digitsOf(value: NumberValue): string {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63
    ? String(BigInt(value))
    : String(value)
}

/** Parses digits: an integer exactly, any other number as a double. */
export function valueOfDigits(digits: string): NumberValue {
  return /^[-+]?\d+$/.test(digits) ? BigInt(digits.replace(/^\+/, '')) : Number(digits)
}
