import { asciiText, exactMantissa } from '../../core/values/decimal.ts'
import type { Attribute, AttributeType } from '../../geo/schema.ts'
import type { JsonScanner } from './json-scanner.ts'

const int32 = 1
const int64 = 2
/** An integer that a double cannot represent exactly. */
const unsafe = 4
const float = 8
/**
 * A number that neither int64 nor float64 represents: out of range, or with more than 17 significant digits.
 */
const long = 16
/** A number with an exponent or more than 1000 digits, which `decimal` does not support. */
const unplain = 32
const boolean = 64
const text = 128
const json = 256

const maxDecimalDigits = 1000
const exampleLength = 80

function significantDigits(literal: string): number {
  const mantissa = literal
    .replace(/[eE].*$/, '')
    .replace(/^-?[0.]*/, '')
    .replace('.', '')
  return mantissa.replace(/0+$/, '').length
}

function longNumberKind(literal: string, isInteger: boolean): number {
  const plain = literal.length > maxDecimalDigits || /[eE]/.test(literal) ? unplain : 0
  if (isInteger) {
    if (literal.length > 20) return long | plain
    const value = BigInt(literal)
    if (BigInt.asIntN(64, value) !== value) return long | plain
    return BigInt(Number(literal)) === value ? int64 : int64 | unsafe
  }
  const value = Number(literal)
  const isVanished = value === 0 && significantDigits(literal) > 0
  const fits = Number.isFinite(value) && !isVanished && significantDigits(literal) <= 17
  return (fits ? float : long) | plain
}

/** Returns the kind of the number that the scanner read last, whose value is `value`. */
function numberKind(scanner: JsonScanner, value: number): number {
  if (scanner.mantissa < exactMantissa && !scanner.hasExponent) {
    if (!scanner.isInteger || Object.is(value, -0)) return float
    return value === (value | 0) ? int32 : int64
  }
  return longNumberKind(asciiText(scanner.bytes, scanner.tokenStart, scanner.tokenEnd), scanner.isInteger)
}

function typeOfKinds(kinds: number): AttributeType {
  const isNumber = (kinds & (int32 | int64 | float | long)) !== 0
  const others = kinds & (boolean | text | json)
  if (others === boolean && !isNumber) return 'boolean'
  if (others !== 0 || !isNumber) return 'text'
  const isDecimal = (kinds & long) !== 0 || (kinds & (float | unsafe)) === (float | unsafe)
  if (isDecimal) return (kinds & unplain) === 0 ? 'decimal' : 'text'
  if ((kinds & float) !== 0) return 'float64'
  return (kinds & int64) !== 0 ? 'int64' : 'int32'
}

/**
 * Type of one property over all its values, without loss: int32 or int64 if every value is an integer in
 * range; float64 for numbers of up to 17 significant digits (the full length of a double); decimal for longer
 * ones; text for mixed values, and for objects and arrays as written.
 */
export class PropertyType {
  #kinds = 0
  #example: string | undefined

  /** Reads the value at the scanner and leaves the scanner after it. */
  observe(scanner: JsonScanner): void {
    const start = scanner.at
    const byte = scanner.bytes[start] as number
    if (byte === 0x22) {
      scanner.string()
      this.#kinds |= text
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const value = scanner.number()
      this.#kinds |= numberKind(scanner, value)
    } else if (byte === 0x7b || byte === 0x5b) {
      scanner.value()
      this.#kinds |= json
    } else if (byte !== 0x74 && byte !== 0x66 && scanner.isAtNotFinite) {
      scanner.number()
      this.#kinds |= float
    } else if (scanner.literal() === 0x6e) return
    else this.#kinds |= boolean
    this.#example ??= exampleText(scanner.bytes, start, scanner.at)
  }

  attribute(name: string): Attribute {
    const type = typeOfKinds(this.#kinds)
    return this.#example === undefined ? { name, type } : { name, type, example: this.#example }
  }
}

function exampleText(bytes: Uint8Array, start: number, end: number): string {
  const from = bytes[start] === 0x22 ? start + 1 : start
  const to = from > start ? end - 1 : end
  return new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + exampleLength)))
}
