import { ownValue } from '../lib/own-value.ts'
/** Reads values from an environment and collects all problems, to report them together. */
export interface Reader {
  text(name: string): string | undefined
  integer(name: string, limits: { fallback: number; min: number; max: number }): number
  /** A size in bytes: digits, or with a unit as in `500 MB` or `10 GiB`. */
  bytes(name: string, fallback: number, limits?: { min: number }): number
  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T
  /** Reads `on` or `off` (also true/false, yes/no, 1/0). */
  flag(name: string, fallback: boolean): boolean
  /** Reads a list separated by commas or blanks; empty if unset. */
  list(name: string): string[]
  problem(name: string, message: string): void
  /** Returns the names read so far. */
  names(): Iterable<string>
}

const unitBytes: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

const flagWords: Record<string, boolean> = {
  on: true,
  true: true,
  yes: true,
  1: true,
  off: false,
  false: false,
  no: false,
  0: false,
}

export function environmentReader(env: Record<string, string | undefined>, problems: string[]): Reader {
  const problem = (name: string, message: string): void => {
    problems.push(`${name} ${message}`)
  }
  const names = new Set<string>()
  const text = (name: string): string | undefined => {
    names.add(name)
    const value = env[name]?.trim()
    return value === undefined || value === '' ? undefined : value
  }
  const integer: Reader['integer'] = (name, { fallback, min, max }) => {
    const value = text(name)
    if (value === undefined) return fallback
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    problem(name, `must be a whole number from ${min} to ${max}, found "${value}"`)
    return fallback
  }
  const bytes: Reader['bytes'] = (name, fallback, { min } = { min: 1 }) => {
    const value = text(name)
    if (value === undefined) return fallback
    const [, amount, unit] = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(value) ?? []
    const factor = ownValue(unitBytes, (unit ?? '?').toLowerCase())
    const size = Math.round(Number(amount) * (factor ?? Number.NaN))
    if (Number.isSafeInteger(size) && size >= min) return size
    problem(name, `must be a size such as 500MB or 10GiB, found "${value}"`)
    return fallback
  }
  const choice: Reader['choice'] = (name, choices, fallback) => {
    const value = text(name)
    if (value === undefined) return fallback
    const found = choices.find((one) => one === value.toLowerCase())
    if (found !== undefined) return found
    problem(name, `must be one of ${choices.join(', ')}, found "${value}"`)
    return fallback
  }
  const flag: Reader['flag'] = (name, fallback) => {
    const value = text(name)
    if (value === undefined) return fallback
    const found = ownValue(flagWords, value.toLowerCase())
    if (found === undefined) problem(name, `must be on or off, found "${value}"`)
    return found ?? fallback
  }
  const list: Reader['list'] = (name) => (text(name) ?? '').split(/[\s,]+/).filter((one) => one !== '')
  return { text, integer, bytes, choice, flag, list, problem, names: () => names }
}
