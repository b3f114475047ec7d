import type { FieldMessages } from '../errors/errors.ts'
import { FieldFailure } from '../errors/errors.ts'

const flagWords = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
const defaultMaxLength = 2000
const maxEchoLength = 100

/** Parses a time to milliseconds since 1970; undefined for other texts. */
export type ParseTime = (text: string) => number | undefined

const noTime: ParseTime = () => undefined

/** Minimum and maximum of a number; absent: no limit. */
export interface NumberBounds {
  min?: number
  max?: number
}

/**
 * Reads the fields of a query or a body one by one. Collects all faults; `finish` throws them together. A
 * field that is absent, empty or invalid reads as undefined.
 */
export class Fields {
  readonly #values: Record<string, unknown>
  readonly #parseTime: ParseTime
  readonly #prefix: string
  readonly #errors: Map<string, string[]>

  constructor(
    values: unknown,
    parseTime: ParseTime = noTime,
    within: { prefix: string; errors: Map<string, string[]> } = { prefix: '', errors: new Map() },
  ) {
    this.#values = isRecord(values) ? values : {}
    this.#parseTime = parseTime
    this.#prefix = within.prefix
    this.#errors = within.errors
  }

  /** Names of the fields in the request. */
  get names(): string[] {
    return Object.keys(this.#values)
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name)
  }

  /** Returns the value unchanged; undefined if it is absent. */
  raw(name: string): unknown {
    return this.has(name) ? this.#values[name] : undefined
  }

  /** Records a fault of a field; `__all__` for a fault of several fields. */
  fail(name: string, message: string): undefined {
    const path = name === '__all__' ? name : this.#prefix + name
    const messages = this.#errors.get(path) ?? []
    this.#errors.set(path, messages)
    if (!messages.includes(message)) messages.push(message)
    return undefined
  }

  /** Throws a `FieldFailure` that lists all problems, if there are any. */
  finish(): void {
    if (this.#errors.size === 0) return
    const fields: FieldMessages = Object.fromEntries(this.#errors)
    throw new FieldFailure(fields)
  }

  text(name: string, { maxLength = defaultMaxLength, keepsEmpty = false } = {}): string | undefined {
    const value = this.#single(name)
    if (value === undefined || (value === '' && !keepsEmpty)) return undefined
    if (typeof value !== 'string' && typeof value !== 'number') return this.fail(name, 'Enter text.')
    const text = String(value)
    if (text.includes('\0')) return this.fail(name, 'Null characters are not allowed.')
    if (text.length <= maxLength) return text
    const message = `Ensure this value has at most ${maxLength} characters (it has ${text.length}).`
    return this.fail(name, message)
  }

  /** Reads a single-line text without control characters. */
  name(name: string, maxLength: number): string | undefined {
    const text = this.text(name, { maxLength })?.trim()
    if (text === undefined || text === '') return undefined
    return /\p{Cc}/u.test(text) ? this.fail(name, 'Enter text without control characters.') : text
  }

  /** Returns an empty text if the field is invalid or absent; `finish` reports the fault. */
  requiredText(name: string, options: { maxLength?: number } = {}): string {
    return this.required(name, this.text(name, options)) ?? ''
  }

  /** Records a missing field if its value is undefined and it has no other fault. */
  required<T>(name: string, value: T | undefined): T | undefined {
    if (value === undefined && !this.#errors.has(this.#prefix + name))
      this.fail(name, 'This field is required.')
    return value
  }

  integer(name: string, bounds: NumberBounds = {}): number | undefined {
    const text = this.#numeric(name)
    if (text === undefined) return undefined
    if (!/^[+-]?\d{1,15}(?:\.0*)?$/.test(text)) return this.fail(name, 'Enter a whole number.')
    return this.#within(name, Number(text), bounds)
  }

  number(name: string, bounds: NumberBounds = {}): number | undefined {
    const text = this.#numeric(name)
    if (text === undefined) return undefined
    if (!/^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/.test(text)) return this.fail(name, 'Enter a number.')
    return this.#within(name, Number(text), bounds)
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    return choices.find((one) => one === text) ?? this.failChoice(name, text)
  }

  failChoice(name: string, text: string): undefined {
    const shown = text.length <= maxEchoLength ? text : `${text.slice(0, maxEchoLength)}...`
    return this.fail(name, `Select a valid choice. ${shown} is not one of the available choices.`)
  }

  /** Reads `true`, `false`, `0` or `1`, in any case. */
  flag(name: string): boolean | undefined {
    const value = this.#single(name)
    if (typeof value === 'boolean') return value
    const text = this.text(name)
    if (text === undefined) return undefined
    return flagWords.get(text.toLowerCase()) ?? this.failChoice(name, text)
  }

  /** Reads a time as milliseconds since 1970. */
  time(name: string): number | undefined {
    const text = this.text(name)?.trim()
    if (text === undefined || text === '') return undefined
    return this.#parseTime(text) ?? this.fail(name, 'Enter a valid date/time.')
  }

  /** Returns the fields of a nested object; in a form their names are like `source.kind`. */
  inside(name: string): Fields {
    const value = this.#values[name]
    if (value !== undefined && !isRecord(value)) this.fail(name, 'Enter an object.')
    const inner = isRecord(value) ? value : this.#dotted(`${name}.`)
    return new Fields(inner, this.#parseTime, { prefix: `${this.#prefix}${name}.`, errors: this.#errors })
  }

  /** True if an object with this name was sent with at least one member. */
  hasInside(name: string): boolean {
    return this.has(name) || Object.keys(this.#dotted(`${name}.`)).length > 0
  }

  #dotted(start: string): Record<string, unknown> {
    const found = Object.entries(this.#values).filter(([name]) => name.startsWith(start))
    return Object.fromEntries(found.map(([name, value]) => [name.slice(start.length), value]))
  }

  #single(name: string): unknown {
    const value = this.raw(name)
    if (Array.isArray(value))
      return this.fail(name, `Enter one value: this one was given ${value.length} times.`)
    return value
  }

  #numeric(name: string): string | undefined {
    const text = this.text(name)?.trim()
    return text === '' ? undefined : text
  }

  #within(name: string, value: number, { min, max }: NumberBounds): number | undefined {
    if (min !== undefined && value < min)
      return this.fail(name, `Ensure this value is greater than or equal to ${min}.`)
    if (max !== undefined && value > max)
      return this.fail(name, `Ensure this value is less than or equal to ${max}.`)
    return value
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the fields of a body; none for an absent body. Throws `FieldFailure` if the body is not an object.
 */
export function bodyRecord(body: unknown): Record<string, unknown> {
  if (body == null || isRecord(body)) return body ?? {}
  throw new FieldFailure({ __all__: ['The body must be a form or a JSON object.'] })
}
