import { CalendarFields, field } from './calendar-fields.ts'
import type { NamedValue } from './date-names.ts'
import { eras, halfDays, matchName, months, weekdays, zones } from './date-names.ts'

/**
 * Patterns of java.text.SimpleDateFormat, parsed strictly (not lenient), in English and UTC. Where that class turns
 * to the Julian calendar, before 1582-10-15, the Gregorian one goes on here, so that a date keeps its text.
 */
export interface DateFormat {
  /** Whether the pattern says anything of the time of day. */
  hasTime: boolean
  /** Milliseconds since 1970-01-01T00:00Z of the whole text in UTF-8, NaN when it does not match. */
  parse(bytes: Uint8Array, start: number, end: number): number
}

/** The pattern cannot be read; the message says why. */
export class DatePatternError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DatePatternError'
  }
}

const letters = 'GyYMLwWDdFEuaHkKhmsSzZX'
const timeLetters = 'aHkKhmsSzZX'
/** Fields of digits that give up digits to a neighbour of digits: those end at their own count. */
const countedLetters = 'yYwWDdFuHkKhmsS'
const maxPattern = 200

const calendarField: Record<string, number> = {
  y: field.year,
  Y: field.weekYear,
  w: field.weekOfYear,
  W: field.weekOfMonth,
  D: field.dayOfYear,
  d: field.dayOfMonth,
  F: field.dayOfWeekInMonth,
  u: field.dayOfWeek,
  H: field.hourOfDay,
  k: field.hourOfDay,
  K: field.hour,
  h: field.hour,
  m: field.minute,
  s: field.second,
  S: field.millisecond,
}

interface Token {
  /** A pattern letter, or empty for literal text. */
  letter: string
  count: number
  literal: Uint8Array
}

function tokenize(pattern: string): Token[] {
  if (pattern.length > maxPattern)
    throw new DatePatternError(`The pattern is longer than ${maxPattern} characters`)
  const tokens: Token[] = []
  let literal = ''
  let isQuoted = false
  const flush = (): void => {
    if (literal !== '') tokens.push({ letter: '', count: 0, literal: Buffer.from(literal) })
    literal = ''
  }
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] as string
    if (char === "'") {
      if (pattern[at + 1] === "'") {
        literal += "'"
        at += 1
      } else isQuoted = !isQuoted
    } else if (isQuoted || !/[A-Za-z]/.test(char)) literal += char
    else {
      if (!letters.includes(char)) throw new DatePatternError(`Unknown pattern letter "${char}"`)
      flush()
      let count = 1
      while (pattern[at + count] === char) count += 1
      at += count - 1
      if (char === 'X' && count > 3) throw new DatePatternError('At most three X may follow each other')
      tokens.push({ letter: char, count, literal: new Uint8Array(0) })
    }
  }
  if (isQuoted) throw new DatePatternError('A quote is not closed')
  flush()
  return tokens
}

function isCounted({ letter, count }: Token): boolean {
  return countedLetters.includes(letter) ? letter !== '' : (letter === 'M' || letter === 'L') && count <= 2
}

/** Compiles a pattern; throws `DatePatternError`. `now` settles the century of two-digit years: 80 years back. */
export function compileDateFormat(pattern: string, now: Date): DateFormat {
  const tokens = tokenize(pattern)
  const parser = new Parser(tokens, now)
  const hasTime = tokens.some(({ letter }) => letter !== '' && timeLetters.includes(letter))
  return { hasTime, parse: (bytes, start, end) => parser.parse(bytes, start, end) }
}

class Parser {
  readonly #tokens: { token: Token; obeysCount: boolean }[]
  readonly #fields = new CalendarFields()
  readonly #centuryStart: number
  readonly #startYear: number
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  #end = 0
  #isAmbiguous = false

  constructor(tokens: Token[], now: Date) {
    this.#tokens = tokens.map((token, index) => {
      const next = tokens[index + 1]
      return { token, obeysCount: next !== undefined && isCounted(next) }
    })
    this.#startYear = now.getUTCFullYear() - 80
    const start = new Date(now)
    start.setUTCFullYear(this.#startYear)
    this.#centuryStart = start.getTime()
  }

  parse(bytes: Uint8Array, start: number, end: number): number {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
    this.#isAmbiguous = false
    this.#fields.clear()
    for (const { token, obeysCount } of this.#tokens) {
      if (!(token.letter === '' ? this.#literal(token.literal) : this.#field(token, obeysCount)))
        return Number.NaN
    }
    if (this.#at !== end) return Number.NaN
    const time = this.#fields.resolve()
    if (!this.#isAmbiguous || !(time < this.#centuryStart)) return time
    this.#fields.addYears(100)
    return this.#fields.resolve()
  }

  #literal(literal: Uint8Array): boolean {
    for (const byte of literal) {
      if (this.#at >= this.#end || this.#bytes[this.#at] !== byte) return false
      this.#at += 1
    }
    return true
  }

  #field({ letter, count }: Token, obeysCount: boolean): boolean {
    const limit = obeysCount ? this.#at + count : this.#end
    while (this.#at < this.#end && (this.#bytes[this.#at] === 0x20 || this.#bytes[this.#at] === 0x09))
      this.#at += 1
    if (this.#at >= this.#end) return false
    if (letter === 'M' || letter === 'L') {
      return count <= 2 ? this.#month(limit) : this.#name(months, field.month)
    }
    if (letter === 'G') return this.#name(eras, field.era)
    if (letter === 'E') return this.#name(weekdays, field.dayOfWeek)
    if (letter === 'a') return this.#name(halfDays, field.amPm)
    if (letter === 'z' || letter === 'Z') return this.#zone()
    if (letter === 'X') return this.#isoZone(count)
    return this.#numberField(letter, count, limit)
  }

  #month(limit: number): boolean {
    const value = this.#number(limit)
    this.#fields.set(field.month, value - 1)
    return !Number.isNaN(value)
  }

  #numberField(letter: string, count: number, limit: number): boolean {
    const start = this.#at
    let value = this.#number(limit)
    if (Number.isNaN(value)) return false
    if (letter === 'k' && (value < 1 || value > 24)) return false
    if (letter === 'h' && (value < 1 || value > 12)) return false
    if ((letter === 'k' && value === 24) || (letter === 'h' && value === 12)) value = 0
    if (letter === 'u') {
      if (value < 1 || value > 7) return false
      value = (value % 7) + 1
    }
    const isTwoDigits = this.#at - start === 2 && this.#bytes[start] !== 0x2d
    if ((letter === 'y' || letter === 'Y') && count <= 2 && isTwoDigits) value = this.#century(value)
    if (letter === 'y' && value < 1) return false
    this.#fields.set(calendarField[letter] as number, value)
    return true
  }

  #century(value: number): number {
    const pivot = this.#startYear % 100
    this.#isAmbiguous = value === pivot
    return value + this.#startYear - pivot + (value < pivot ? 100 : 0)
  }

  /** Digits with an optional minus before `limit`; NaN for none or more than an integer holds. */
  #number(limit: number): number {
    const stop = Math.min(limit, this.#end)
    if (limit > this.#end) return Number.NaN
    const isNegative = this.#at < stop && this.#bytes[this.#at] === 0x2d
    const start = isNegative ? this.#at + 1 : this.#at
    let value = 0
    let at = start
    for (; at < stop; at += 1) {
      const digit = (this.#bytes[at] as number) - 48
      if (digit < 0 || digit > 9) break
      value = value * 10 + digit
    }
    if (at === start || value > 0x7fffffff) return Number.NaN
    this.#at = at
    return isNegative ? -value : value
  }

  #name(names: readonly NamedValue[], target: number): boolean {
    const found = matchName(names, this.#bytes, this.#at, this.#end)
    if (found === undefined) return false
    this.#at += found.bytes.length
    this.#fields.set(target, found.value)
    return true
  }

  /** `GMT`, `GMT+h:mm`, `+hhmm`, or an abbreviation. */
  #zone(): boolean {
    if (this.#sign() !== 0) return this.#offset(2, false)
    const gmt = matchName([greenwich], this.#bytes, this.#at, this.#end)
    if (gmt !== undefined) {
      this.#at += 3
      if (this.#sign() !== 0) return this.#offset(0, true)
      this.#fields.set(field.zoneOffset, 0)
      return true
    }
    const found = matchName(zones, this.#bytes, this.#at, this.#end)
    if (found === undefined) return false
    this.#at += found.bytes.length
    this.#fields.set(field.zoneOffset, found.value * 60_000)
    return true
  }

  #isoZone(count: number): boolean {
    if (this.#bytes[this.#at] === 0x5a) {
      this.#at += 1
      this.#fields.set(field.zoneOffset, 0)
      return true
    }
    return this.#sign() !== 0 && this.#offset(count, count === 3)
  }

  #sign(): number {
    if (this.#at >= this.#end) return 0
    const byte = this.#bytes[this.#at]
    return byte === 0x2b ? 1 : byte === 0x2d ? -1 : 0
  }

  #digit(): number {
    const digit = this.#at < this.#end ? (this.#bytes[this.#at] as number) - 48 : -1
    if (digit < 0 || digit > 9) return -1
    this.#at += 1
    return digit
  }

  /** A sign and `hh`, `hhmm` or `hh:mm`; `count` 1 takes hours alone, 0 allows one digit of them. */
  #offset(count: number, hasColon: boolean): boolean {
    const sign = this.#sign()
    this.#at += 1
    let hours = this.#digit()
    if (hours < 0) return false
    const second = this.#digit()
    if (second >= 0) hours = hours * 10 + second
    else if (count > 0) return false
    let minutes = 0
    if (count !== 1) {
      if (hasColon && !this.#literal(colon)) return false
      const tens = this.#digit()
      const ones = this.#digit()
      if (tens < 0 || ones < 0) return false
      minutes = tens * 10 + ones
    }
    if (hours > 23 || minutes > 59) return false
    this.#fields.set(field.zoneOffset, sign * (hours * 60 + minutes) * 60_000)
    return true
  }
}

const colon = Buffer.from(':')
const greenwich: NamedValue = { bytes: Buffer.from('GMT'), value: 0 }
