import { seededNumbers } from './seeded-numbers.ts'

/** The value of a calculation; undefined where it has none. */
export type Calculated = bigint | number | undefined

/** A row of the columns that calculations are made of. */
export type CalculatedRow = Record<string, bigint | number | string | null>

/** A calculation in CQL2 text, and its value by JavaScript's own operators. */
export interface ArbitraryCalculation {
  text: string
  isInteger: boolean
  isConstant: boolean
  value(row: CalculatedRow): Calculated
}

const integers = ['a', 'i', 'b']
const reals = ['f', 's', 'dec']
const numbers = [
  '0',
  '1',
  '2',
  '-3',
  '7',
  '10',
  '1000003',
  '9223372036854775807',
  '0.5',
  '-0.1',
  '1e140',
  '1e-120',
  '2.75',
]
const operators = ['+', '-', '*', '/', '%', 'div', '^'] as const

/** Doubles of calculations: the largest and the smallest are as `docs/filters.md` says. */
function real(value: number): number | undefined {
  if (Math.abs(value) < 1e-130) return 0
  return Math.abs(value) < 1e150 ? value : undefined
}

function ofIntegers(operator: string, a: bigint, b: bigint): Calculated {
  if (b === 0n && (operator === 'div' || operator === '%')) return undefined
  const result = { '+': a + b, '-': a - b, '*': a * b, div: b && a / b, '%': b && a % b }[operator]
  return result !== undefined && result >= -(2n ** 63n) && result < 2n ** 63n ? result : undefined
}

function ofReals(operator: string, a: number, b: number): Calculated {
  if (operator === '^') {
    if (b === 0) return 1
    return real(b === 2 ? a * a : b === 0.5 ? Math.sqrt(a) : a ** b)
  }
  if (operator === '+') return real(a + b)
  if (operator === '-') return real(a - b)
  if (operator === '*') return real(a * b)
  if (b === 0) return undefined
  if (operator === '/') return real(a / b)
  return real(operator === 'div' ? Math.trunc(a / b) : a - b * Math.trunc(a / b))
}

function joined(
  operator: string,
  left: ArbitraryCalculation,
  right: ArbitraryCalculation,
): ArbitraryCalculation {
  const isInteger = left.isInteger && right.isInteger && operator !== '/' && operator !== '^'
  return wholeIfConstant({
    isInteger,
    isConstant: left.isConstant && right.isConstant,
    text: `(${left.text} ${operator} ${right.text})`,
    value: (row) => {
      const [a, b] = [left.value(row), right.value(row)]
      if (a === undefined || b === undefined) return undefined
      if (isInteger) return ofIntegers(operator, BigInt(a), BigInt(b))
      const [x, y] = [real(Number(a)), real(Number(b))]
      return x === undefined || y === undefined ? undefined : ofReals(operator, x, y)
    },
  })
}

/** A whole result of constants is an integer. */
function wholeIfConstant(calculation: ArbitraryCalculation): ArbitraryCalculation {
  const value = calculation.isConstant ? calculation.value({}) : undefined
  if (!Number.isInteger(value) || Math.abs(Number(value)) >= 2 ** 63) return calculation
  return { ...calculation, isInteger: true, value: () => BigInt(value as number) }
}

function applied(name: 'ABS' | 'ROUND', of: ArbitraryCalculation): ArbitraryCalculation {
  return wholeIfConstant({
    isInteger: of.isInteger,
    isConstant: of.isConstant,
    text: `${name}(${of.text})`,
    value: (row) => {
      const value = of.value(row)
      if (value === undefined || (name === 'ROUND' && of.isInteger)) return value
      if (name === 'ABS') return value < 0 ? -value : value
      const size = Math.abs(Number(value))
      const whole = size - Math.floor(size) >= 0.5 ? Math.floor(size) + 1 : Math.floor(size)
      return Number(value) < 0 ? -whole : whole
    },
  })
}

function column(name: string): ArbitraryCalculation {
  return {
    isInteger: integers.includes(name),
    isConstant: false,
    text: name,
    value: (row) => {
      const value = row[name] ?? undefined
      return typeof value === 'string' ? Number(value) : value
    },
  }
}

function literal(text: string): ArbitraryCalculation {
  const isInteger = /^-?\d+$/.test(text)
  const value = isInteger ? BigInt(text) : Number(text)
  return { isInteger, isConstant: true, text, value: () => value }
}

const length: ArbitraryCalculation = {
  isInteger: true,
  isConstant: false,
  text: 'LENGTH(name)',
  value: ({ name }) => (typeof name === 'string' ? BigInt(name.length) : undefined),
}

/** Calculations of up to three levels, the same in each run. The operator at the top is each in turn. */
export function someCalculations(count: number, seed = 3): ArbitraryCalculation[] {
  const random = seededNumbers(seed)
  const pick = <Value>(of: readonly Value[]): Value => of[Math.floor(random() * of.length)] as Value
  const operand = (depth: number): ArbitraryCalculation => {
    const kind = Math.floor(random() * (depth > 0 ? 7 : 4))
    if (kind === 0) return column(pick(integers))
    if (kind === 1) return column(pick(reals))
    if (kind === 2) return literal(pick(numbers))
    if (kind === 3) return random() < 0.3 ? length : column(pick([...integers, ...reals]))
    if (kind === 4) return applied(pick(['ABS', 'ROUND']), operand(depth - 1))
    return joined(pick(operators), operand(depth - 1), operand(depth - 1))
  }
  return Array.from({ length: count }, (_, at) =>
    joined(operators[at % operators.length] ?? '+', operand(2), operand(2)),
  )
}
