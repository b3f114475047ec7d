import { ownValue } from '../core/values/record-keys.ts'
import { CalendarFields, field } from './calendar-fields.ts'
import type { NamedValue } from './date-names.ts'
import { eras, halfDays, matchName, months, weekdays, zones } from './date-names.ts'

/**
 * Patterns of java.text.SimpleDateFormat, parsed strictly (not lenient), in English and UTC. Before
 * 1582-10-15, where that class uses the Julian calendar, the Gregorian one is used here, so that a date
 * preserves its text.
 */
export interface DateFormat {
  /** True if the pattern contains a time of day. */
  hasTime: boolean
  /** Parses the whole text in UTF-8 to milliseconds since 1970-01-01T00:00Z, NaN if it does not match. */
  parse(bytes: Uint8Array, start: number, end: number): number
}

/** The error for an invalid pattern; the message gives the reason. */
export class DatePatternError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DatePatternError'
  }
}

const letters = 'GyYMLwWDdFEuaHkKhmsSzZX'
const timeLetters = 'aHkKhmsSzZX'
/** Numeric fields that end at their own digit count if another numeric field follows. */
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

/**
 * Compiles a pattern; throws `DatePatternError`. `now` determines the century of two-digit years: from 80
 * years ago.
 */
export function compileDateFormat(pattern: string, now: Date): DateFormat {
  const tokens = tokenize(pattern)
  const parser = new Parser(tokens.map(toStep), now)
  const hasTime = tokens.some(({ letter }) => letter !== '' && timeLetters.includes(letter))
  return { hasTime, parse: (bytes, start, end) => parser.parse(bytes, start, end) }
}

/** Action at a position of the pattern, prepared for all values. */
interface Step {
  kind: 'literal' | 'number' | 'month' | 'name' | 'zone' | 'isoZone'
  literal: Uint8Array
  count: number
  /** True if the number of digits is limited to the number of letters, since more digits follow. */
  obeysCount: boolean
  target: number
  names: readonly NamedValue[]
  /** The pattern letter, if numbers need further processing. */
  special: '' | 'y' | 'Y' | 'k' | 'h' | 'u'
}

const nameLetters: Record<string, { names: readonly NamedValue[]; target: number }> = {
  G: { names: eras, target: field.era },
  E: { names: weekdays, target: field.dayOfWeek },
  a: { names: halfDays, target: field.amPm },
}

function toStep({ letter, count, literal }: Token, index: number, tokens: Token[]): Step {
  const next = tokens[index + 1]
  const obeysCount = next !== undefined && isCounted(next)
  const step: Step = { kind: 'number', literal, count, obeysCount, target: 0, names: [], special: '' }
  if (letter === '') return { ...step, kind: 'literal' }
  if (letter === 'M' || letter === 'L') {
    const kind = count <= 2 ? 'month' : 'name'
    return { ...step, kind, target: field.month, names: months }
  }
  const named = ownValue(nameLetters, letter)
  if (named !== undefined) return { ...step, kind: 'name', ...named }
  if (letter === 'z' || letter === 'Z') return { ...step, kind: 'zone' }
  if (letter === 'X') return { ...step, kind: 'isoZone' }
  const special = 'yYkhu'.includes(letter) ? (letter as Step['special']) : ''
  return { ...step, target: ownValue(calendarField, letter) as number, special }
}

class Parser {
  readonly #steps: Step[]
  readonly #fields = new CalendarFields()
  readonly #centuryStart: number
  readonly #startYear: number
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  #end = 0
  #isAmbiguous = false

  constructor(steps: Step[], now: Date) {
    this.#steps = steps
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
    const steps = this.#steps
    for (let index = 0; index < steps.length; index += 1) {
      if (!this.#take(steps[index] as Step)) return Number.NaN
    }
    if (this.#at !== end) return Number.NaN
    const time = this.#fields.resolve()
    if (!this.#isAmbiguous || !(time < this.#centuryStart)) return time
    this.#fields.addYears(100)
    return this.#fields.resolve()
  }

  #take(step: Step): boolean {
    if (step.kind === 'literal') return this.#literal(step.literal)
    const limit = step.obeysCount ? this.#at + step.count : this.#end
    while (this.#at < this.#end && (this.#bytes[this.#at] === 0x20 || this.#bytes[this.#at] === 0x09))
      this.#at += 1
    if (this.#at >= this.#end) return false
    if (step.kind === 'number') return this.#numberField(step, limit)
    if (step.kind === 'month') return this.#month(limit)
    if (step.kind === 'name') return this.#name(step.names, step.target)
    return step.kind === 'zone' ? this.#zone() : this.#isoZone(step.count)
  }

  #literal(literal: Uint8Array): boolean {
    if (this.#at + literal.length > this.#end) return false
    for (let i = 0; i < literal.length; i += 1) {
      if (this.#bytes[this.#at + i] !== literal[i]) return false
    }
    this.#at += literal.length
    return true
  }

  #month(limit: number): boolean {
    const value = this.#number(limit)
    this.#fields.set(field.month, value - 1)
    return !Number.isNaN(value)
  }

  #numberField({ special, target, count }: Step, limit: number): boolean {
    const start = this.#at
    const value = this.#number(limit)
    if (Number.isNaN(value)) return false
    if (special === '') {
      this.#fields.set(target, value)
      return true
    }
    return this.#specialField(special, target, value, count <= 2 && this.#isTwoDigits(start))
  }

  #isTwoDigits(start: number): boolean {
    return this.#at - start === 2 && this.#bytes[start] !== 0x2d
  }

  #specialField(special: Step['special'], target: number, value: number, isShortYear: boolean): boolean {
    let result = value
    if (special === 'u') {
      if (value < 1 || value > 7) return false
      result = (value % 7) + 1
    } else if (special === 'k' || special === 'h') {
      const most = special === 'k' ? 24 : 12
      if (value < 1 || value > most) return false
      result = value === most ? 0 : value
    } else {
      if (isShortYear) result = this.#century(value)
      if (special === 'y' && result < 1) return false
    }
    this.#fields.set(target, result)
    return true
  }

  #century(value: number): number {
    const pivot = this.#startYear % 100
    this.#isAmbiguous = value === pivot
    return value + this.#startYear - pivot + (value < pivot ? 100 : 0)
  }

  /** Parses digits with an optional minus before `limit`; NaN without digits or out of the integer range. */
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

  /** Parses `GMT`, `GMT+h:mm`, `+hhmm`, or an abbreviation. */
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

  /**
   * Parses a sign and `hh`, `hhmm` or `hh:mm`; `count` 1 accepts hours only, 0 allows a single hour digit.
   */
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
