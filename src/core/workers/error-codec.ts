import { Failure, FieldFailure } from '../errors/errors.ts'

/** An error in the form that crosses threads and processes. */
export interface ErrorData {
  /** Its class and those above it, the nearest first. */
  classes: string[]
  message: string
  stack?: string
  cause?: ErrorData
  /** Further fields: plain data only. */
  facts: Record<string, unknown>
}

type ErrorClass = abstract new (...parameters: never[]) => Error

const maxCauses = 10
const maxDepth = 4
const maxText = 64 << 10
const reported = new Set(['message', 'stack', 'cause'])
const known = new Map<string, ErrorClass>()

/**
 * Registers an error class that keeps its class on the other side, if its module is loaded there. Fields are
 * copied; the constructor is not called.
 */
export function crossesThreads(errorClass: ErrorClass): void {
  known.set(errorClass.name, errorClass)
}

crossesThreads(Failure)
crossesThreads(FieldFailure)

/** Converts any thrown value to data; long texts are cut, and values other than plain data are omitted. */
export function packError(thrown: unknown, depth = 0): ErrorData {
  if (!(thrown instanceof Error)) return { classes: ['Error'], message: cut(String(thrown)), facts: {} }
  const { message, stack, cause } = thrown
  const facts: Record<string, unknown> = {}
  for (const [key, value] of Object.entries({ ...thrown })) {
    const plain = reported.has(key) ? undefined : plainCopy(value)
    if (plain !== undefined) facts[key] = plain
  }
  facts['name'] = thrown.name
  return {
    classes: classesOf(thrown),
    message: cut(message),
    facts,
    stack: stack === undefined ? undefined : cut(stack),
    cause: cause == null || depth >= maxCauses ? undefined : packError(cause, depth + 1),
  }
}

/**
 * Recreates the error: of its class if `crossesThreads` registered that class or a superclass, otherwise a
 * plain `Error` with its fields.
 */
export function unpackError({ classes, message, stack, cause, facts }: ErrorData): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause: unpackError(cause) })
  const errorClass = classes.map((name) => known.get(name)).find((one) => one !== undefined)
  if (errorClass !== undefined) Object.setPrototypeOf(error, errorClass.prototype)
  Object.defineProperty(error, 'stack', { value: stack ?? `${classes[0]}: ${message}`, writable: true })
  for (const [key, value] of Object.entries(facts)) {
    Object.defineProperty(error, key, {
      value,
      enumerable: key !== 'name',
      writable: true,
      configurable: true,
    })
  }
  return error
}

function classesOf(error: Error): string[] {
  const names: string[] = []
  for (let at = Object.getPrototypeOf(error); at !== null && names.length < maxCauses; ) {
    if (typeof at.constructor?.name === 'string') names.push(at.constructor.name)
    if (at === Error.prototype) break
    at = Object.getPrototypeOf(at)
  }
  return names
}

function plainCopy(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cut(value)
  if (value === null || ['number', 'boolean', 'bigint'].includes(typeof value)) return value
  if (typeof value !== 'object' || depth >= maxDepth) return undefined
  if (Array.isArray(value)) return value.map((one) => plainCopy(one, depth + 1))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const entries = Object.entries(value).map(([key, one]) => [key, plainCopy(one, depth + 1)] as const)
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined))
}

function cut(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}
