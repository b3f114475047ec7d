import { asciiText } from '../../core/values/decimal.ts'
import { isIntegerLiteral, parseLiteral } from '../../core/values/number-text.ts'
import type { TextToken } from './xml-scanner.ts'

const longest = 400
const longestInteger = 301

function textOf({ textBytes, textStart, textEnd }: TextToken): string {
  return asciiText(textBytes, textStart, Math.min(textEnd, textStart + longest))
}

/**
 * Parses a 64-bit integer that may have a plus sign or leading zeros (XML Schema 1.1, part 2, `xs:integer`).
 */
export function looseInteger(text: TextToken): bigint | undefined {
  const literal = textOf(text)
  if (!isIntegerLiteral(literal) || literal.length > longestInteger) return undefined
  const value = BigInt(literal.replace('+', ''))
  return BigInt.asIntN(64, value) === value ? value : undefined
}

/** Parses a finite `xs:double`; NaN for anything else. */
export function looseNumber(text: TextToken): number {
  return parseLiteral(textOf(text)) ?? Number.NaN
}
