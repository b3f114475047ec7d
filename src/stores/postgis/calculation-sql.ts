import type { NumberType } from '../../filters/calculate.ts'
import { largestLogarithm, minReal, realLimit } from '../../filters/calculate.ts'
import type { Calculation } from '../../filters/filter.ts'

/**
 * Maximum length of operands that are repeated: computing a short expression twice is faster than a subquery.
 */
const maxRepeated = 150

/**
 * Returns SQL that computes the same as `calculate`, from expressions of type `numeric`, or of type `float8`
 * for real numbers. PostgreSQL raises an error for divisions by zero, overflows and underflows. The
 * conditions that prevent these errors repeat the operands, so longer operands become columns of a subquery;
 * `offset 0` prevents the planner from merging it.
 */
export function calculationSql(
  operator: Calculation['calculate'],
  type: NumberType,
  [a = '', b = '']: string[],
): string {
  if (operator === 'abs') return `abs(${a})`
  if (operator === 'round' && type !== 'real') return `round(${a})`
  if (a.length + b.length <= maxRepeated) return `(${checked(operator, type, a, b)})`
  const operands = b === '' ? `${a} as a` : `${a} as a, ${b} as b`
  return `(select ${checked(operator, type, 'a', 'b')} from (select ${operands} offset 0) operands)`
}

/** Returns SQL for the result, or null if it is out of range. */
function checked(operator: Calculation['calculate'], type: NumberType, a: string, b: string): string {
  const result = resultSql(operator, type === 'integer', a, b)
  if (operator === 'round') return result
  return type === 'integer'
    ? `case when ${result} between -9223372036854775808 and 9223372036854775807 then ${result} end`
    : `case when abs(${result}) < ${minReal} then 0 when abs(${result}) < ${realLimit} then ${result} end`
}

/**
 * PostgreSQL rounds halves of `float8` to even numbers, has no remainder operator for `float8`, and rounds
 * quotients of `numeric`.
 */
function resultSql(operator: Calculation['calculate'], isInteger: boolean, a: string, b: string): string {
  switch (operator) {
    case 'real':
      return a
    case 'round':
      return `trunc(${a}) + case when abs(${a} - trunc(${a})) >= 0.5 then sign(${a}) else 0 end`
    case '/':
      return `(${a} / nullif(${b}, 0))`
    case 'div':
      return isInteger ? `div(${a}, nullif(${b}, 0))` : `trunc(${a} / nullif(${b}, 0))`
    case '%':
      return isInteger ? `(${a} % nullif(${b}, 0))` : `(${a} - ${b} * trunc(${a} / nullif(${b}, 0)))`
    case '^':
      return powerSql(a, b)
    default:
      return `(${a} ${operator} ${b})`
  }
}

/**
 * PostgreSQL computes constant parts before it evaluates their conditions, so that no constant part may fail.
 */
function powerSql(a: string, b: string): string {
  const logarithm = `${b} * ln(abs(${a}))`
  return `(case when ${a} = 0 then case when ${b} > 0 then 0 when ${b} = 0 then 1 end
    when ${a} < 0 and ${b} <> trunc(${b}) then null
    when ${b} = 2 then ${a} * ${a} when ${b} = 0.5 then sqrt(abs(${a}))
    when abs(${logarithm}) < ${largestLogarithm} then power(${a}, ${b}) when ${logarithm} < 0 then 0 end)`
}
