import { asciiText } from '../../lib/decimal.ts'
import type { TextToken } from './xml-scanner.ts'

const longest = 400

function textOf({ textBytes, textStart, textEnd }: TextToken): string {
  return asciiText(textBytes, textStart, Math.min(textEnd, textStart + longest))
}

/** A 64-bit integer that may have a plus sign or leading zeros (XML Schema 1.1, part 2, `xs:integer`). */
export function looseInteger(text: TextToken): bigint | undefined {
  const literal = textOf(text)
  if (!/^[+-]?\d{1,300}$/.test(literal)) return undefined
  const value = BigInt(literal.replace('+', ''))
  return BigInt.asIntN(64, value) === value ? value : undefined
}

/** A finite number as `xs:double` writes it; NaN for anything else. */
export function looseNumber(text: TextToken): number {
  const literal = textOf(text)
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(literal)) return Number.NaN
  const value = Number(literal)
  return Number.isFinite(value) ? value : Number.NaN
}
