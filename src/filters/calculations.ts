import type { Schema } from '../geo/schema.ts'
import type { ArithmeticOperator, NumberFunction, NumberType, NumberValue } from './calculate.ts'
import { calculate, digitsOf, isArithmetic, valueOfDigits } from './calculate.ts'
import type { NumberOperand } from './filter.ts'

/**
 * An operator or a function applied to numbers: their result where all are written, so that an index of what it is compared
 * with is of use. `/` and `^` are of doubles; so are others unless all operands are integers.
 */
export function calculation(
  operator: ArithmeticOperator | NumberFunction,
  of: NumberOperand[],
  schema: Schema,
): NumberOperand {
  const type = typeOfCalculation(operator, of, schema)
  const [a, b] = of.map(constantOf)
  const isConstant = a !== undefined && (of.length === 1 || b !== undefined)
  const result = isConstant ? calculate(operator, type, a, b) : undefined
  if (result !== undefined) return { digits: digitsOf(result) }
  const isOfReals = isArithmetic(operator) && type === 'real'
  return { calculate: operator, of: isOfReals ? of.map(asReal) : of, type }
}

/** Two numbers as they are compared: where one is calculated, both are integers or both are doubles. */
export function comparable(
  left: NumberOperand,
  right: NumberOperand,
  schema: Schema,
): { left: NumberOperand; right: NumberOperand } {
  const sides = [left, right]
  const areIntegers = sides.every((side) => typeOf(side, schema) === 'integer')
  if (areIntegers || !sides.some(isCalculated)) return { left, right }
  return { left: asReal(left), right: asReal(right) }
}

function typeOfCalculation(
  operator: ArithmeticOperator | NumberFunction,
  of: readonly NumberOperand[],
  schema: Schema,
): NumberType {
  const [first, second] = of.map((one) => typeOf(one, schema))
  if (!isArithmetic(operator)) return first ?? 'real'
  const areIntegers = first === 'integer' && second === 'integer'
  return areIntegers && operator !== '/' && operator !== '^' ? 'integer' : 'real'
}

function typeOf(operand: NumberOperand, { attributes }: Schema): NumberType {
  if ('calculate' in operand) return operand.type
  if ('lengthOf' in operand) return 'integer'
  if ('digits' in operand) return typeof constantOf(operand) === 'bigint' ? 'integer' : 'real'
  const type = attributes.find(({ name }) => name === operand.attribute)?.type
  if (type === 'decimal') return type
  return type?.startsWith('int') === true ? 'integer' : 'real'
}

/** A whole number of 64 bits, or a double; undefined for what is not a literal. */
function constantOf(operand: NumberOperand): NumberValue | undefined {
  if (!('digits' in operand)) return undefined
  const value = valueOfDigits(operand.digits)
  return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value ? Number(value) : value
}

/** By an arithmetic operator, or from such a number. */
function isCalculated(operand: NumberOperand): boolean {
  if (!('calculate' in operand)) return false
  return isArithmetic(operand.calculate) || operand.of.some(isCalculated)
}

function asReal(operand: NumberOperand): NumberOperand {
  if ('calculate' in operand && operand.type === 'real' && isArithmetic(operand.calculate)) return operand
  return { calculate: 'real', of: [operand], type: 'real' }
}
