import { asciiText, exactMantissa } from '../../core/values/decimal.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import { RowError } from '../reject-writer.ts'
import type { JsonScanner } from './json-scanner.ts'
import { checkText, decodeToken } from './json-text.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Appends the JSON value at the scanner to a column of the type that `describe` found for it. */
export function appendJsonValue(scanner: JsonScanner, column: ColumnBuilder): void {
  const byte = scanner.bytes[scanner.at] as number
  if (byte === 0x6e && !scanner.isAtNotFinite) {
    scanner.literal()
    column.appendNull()
  } else if (column.kind === 'var') appendWide(scanner, column, byte)
  else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) appendNumber(scanner, column)
  else if (byte !== 0x74 && byte !== 0x66 && scanner.isAtNotFinite) appendNumber(scanner, column)
  else appendBoolean(scanner, column, byte)
}

function appendWide(scanner: JsonScanner, column: VarBuilder, byte: number): void {
  if (byte === 0x22 && column.type === 'text') {
    appendText(scanner, column)
    return
  }
  const start = scanner.at
  scanner.notFinite.length = 0
  if (byte === 0x7b || byte === 0x5b) {
    scanner.value()
    scanner.tokenStart = start
    scanner.tokenEnd = scanner.at
    scanner.isAscii = false
    checkText(scanner)
  } else scanner.scalar(byte)
  if (scanner.notFinite.length > 0) {
    appendNotFinite(scanner, column, start)
    return
  }
  if (column.type === 'decimal' && !isPlainNumber(scanner, byte)) refuse(scanner, start, 'a decimal number')
  column.appendBytes(scanner.bytes, start, scanner.at)
}

/**
 * Appends a text that contains NaN or infinite numbers: with normalized spelling, and null within arrays and
 * objects, which remain JSON.
 */
function appendNotFinite(scanner: JsonScanner, column: VarBuilder, start: number): void {
  const { bytes, notFinite } = scanner
  const word = (from: number): string =>
    bytes[from] === 0x2d ? '-Infinity' : ((bytes[from] as number) | 0x20) === 0x6e ? 'NaN' : 'Infinity'
  const isWhole = notFinite[0] === start
  let text = ''
  let at = start
  for (let index = 0; index < notFinite.length; index += 2) {
    const from = notFinite[index] as number
    text += decoder.decode(bytes.subarray(at, from)) + (isWhole ? word(from) : 'null')
    at = notFinite[index + 1] as number
  }
  column.appendString(text + decoder.decode(bytes.subarray(at, scanner.at)))
}

function isPlainNumber(scanner: JsonScanner, byte: number): boolean {
  return (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) && !scanner.hasExponent
}

function appendText(scanner: JsonScanner, column: VarBuilder): void {
  scanner.string()
  checkText(scanner)
  const { bytes, tokenStart, tokenEnd } = scanner
  if (!scanner.hasEscapes) {
    column.appendBytes(bytes, tokenStart, tokenEnd)
    return
  }
  const target = column.reserve(tokenEnd - tokenStart)
  const from = column.byteLength
  column.commit(decodeToken(scanner, target, from) - from)
}

function appendNumber(scanner: JsonScanner, column: FixedBuilder | BigBuilder): void {
  const start = scanner.at
  const value = scanner.number()
  if (column.kind === 'big') {
    appendInt64(scanner, column, value)
    return
  }
  if (column.type === 'int32') {
    if (!scanner.isInteger || value !== (value | 0)) refuse(scanner, start, 'a 32-bit integer')
  } else if (column.type !== 'float64') refuse(scanner, start, `a ${column.type}`)
  column.append(value)
}

function appendInt64(scanner: JsonScanner, column: BigBuilder, value: number): void {
  if (scanner.isInteger && scanner.mantissa < exactMantissa) {
    column.appendNumber(value)
    return
  }
  const literal = asciiText(
    scanner.bytes,
    scanner.tokenStart,
    Math.min(scanner.tokenEnd, scanner.tokenStart + 21),
  )
  const big = scanner.isInteger ? BigInt(literal) : undefined
  if (big === undefined || BigInt.asIntN(64, big) !== big)
    refuse(scanner, scanner.tokenStart, 'a 64-bit integer')
  column.append(big)
}

function appendBoolean(scanner: JsonScanner, column: FixedBuilder | BigBuilder, byte: number): void {
  const start = scanner.at
  if (byte !== 0x74 && byte !== 0x66) {
    scanner.value()
    refuse(scanner, start, `a ${column.type}`)
  }
  scanner.literal()
  if (column.kind !== 'fixed' || column.type !== 'boolean') refuse(scanner, start, `a ${column.type}`)
  column.append(byte === 0x74 ? 1 : 0)
}

/** Values differ from those that `describe` saw only if the file was changed in between. */
function refuse(scanner: JsonScanner, start: number, expected: string): never {
  const value = new TextDecoder().decode(scanner.bytes.subarray(start, Math.min(scanner.at, start + 200)))
  throw new RowError(`The value is not ${expected}; the file was changed since it was examined`, { value })
}
