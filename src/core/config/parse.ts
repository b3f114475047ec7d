import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { plainReason } from '../errors/plain-reason.ts'
import { Secret } from '../secrets/secret.ts'
import { ownValue } from '../values/record-keys.ts'

/** Upper limits of at least this value only protect the parser and are not documented. */
const unbounded = 1e9

/** Suffix of settings with the path of a file that contains a secret. */
export const secretFileSuffix = '_FILE'

/** Description of a setting for `docs/settings.md`. */
export interface SettingDescription {
  type: 'text' | 'secret' | 'path' | 'URL' | 'JSON' | 'integer' | 'size' | 'choice' | 'switch' | 'list'
  /** Default as text; absent: empty. */
  default?: string
  /** Unit and range, or the allowed values. */
  range?: string
}

interface TextOptions {
  type?: 'path' | 'URL' | 'JSON' | 'list'
  /** Description of the default. */
  default?: string
}

interface IntegerOptions {
  fallback: number
  min: number
  max: number
  unit?: string
  /** Description of a default that depends on the machine. */
  default?: string
}

/** Parses values of an environment and collects all problems. Records a description of each setting that is read. */
export interface Reader {
  text(name: string, options?: TextOptions): string | undefined
  /** Reads a value that is never shown; `<name>_FILE` names a file that has it. */
  secret(name: string, options?: Pick<TextOptions, 'default'>): Secret | undefined
  integer(name: string, options: IntegerOptions): number
  /** Reads a size in bytes: digits, or with a unit as in `500 MB` or `10 GiB`. */
  bytes(name: string, fallback: number, limits?: { min: number }): number
  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T
  /** Reads `on` or `off` (also true/false, yes/no, 1/0). */
  flag(name: string, fallback: boolean): boolean
  /** Reads a list separated by commas or blanks; empty if unset. */
  list(name: string): string[]
  problem(name: string, message: string): void
  /** Descriptions of the settings that were read so far, by name. */
  descriptions(): ReadonlyMap<string, SettingDescription>
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
  const described = new Map<string, SettingDescription>()
  const readValue = (name: string, description: SettingDescription): string | undefined => {
    described.set(name, description)
    const value = env[name]?.trim()
    return value === undefined || value === '' ? undefined : value
  }
  const text: Reader['text'] = (name, options) => readValue(name, { type: 'text', ...options })
  const secret: Reader['secret'] = (name, options) => {
    const value = readValue(name, { type: 'secret', ...options })
    const path = env[name + secretFileSuffix]?.trim() ?? ''
    if (path === '') return value === undefined ? undefined : new Secret(value)
    if (value !== undefined) problem(name, `and ${name}${secretFileSuffix} are both set: unset one`)
    try {
      const text = readFileSync(path, 'utf8').trim()
      if (text !== '') return new Secret(text)
      problem(name + secretFileSuffix, `names the file ${path}, which is empty`)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const reason = plainReason(Object.assign(new Error(), { code })) ?? String(error)
      problem(name + secretFileSuffix, `names the file ${path}, which cannot be read: ${reason}`)
    }
    return undefined
  }
  const integer: Reader['integer'] = (name, { fallback, min, max, unit, default: absent }) => {
    const range = [unit ?? [], max < unbounded ? `${min} to ${max}` : `at least ${min}`].flat().join(', ')
    const value = readValue(name, { type: 'integer', default: absent ?? String(fallback), range })
    if (value === undefined) return fallback
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    problem(name, `must be a whole number from ${min} to ${max}, found "${value}"`)
    return fallback
  }
  const bytes: Reader['bytes'] = (name, fallback, { min } = { min: 1 }) => {
    const value = readValue(name, { type: 'size', default: sizeText(fallback), range: 'bytes' })
    if (value === undefined) return fallback
    const [, amount, unit] = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(value) ?? []
    const factor = ownValue(unitBytes, (unit ?? '?').toLowerCase())
    const size = Math.round(Number(amount) * (factor ?? Number.NaN))
    if (Number.isSafeInteger(size) && size >= min) return size
    problem(name, `must be a size such as 500MB or 10GiB, found "${value}"`)
    return fallback
  }
  const choice: Reader['choice'] = (name, choices, fallback) => {
    const range = choices.map((one) => `\`${one}\``).join(', ')
    const value = readValue(name, { type: 'choice', default: fallback, range })
    if (value === undefined) return fallback
    const found = choices.find((one) => one === value.toLowerCase())
    if (found !== undefined) return found
    problem(name, `must be one of ${choices.join(', ')}, found "${value}"`)
    return fallback
  }
  const flag: Reader['flag'] = (name, fallback) => {
    const value = readValue(name, { type: 'switch', default: fallback ? 'on' : 'off', range: '`on`, `off`' })
    if (value === undefined) return fallback
    const found = ownValue(flagWords, value.toLowerCase())
    if (found === undefined) problem(name, `must be on or off, found "${value}"`)
    return found ?? fallback
  }
  const list: Reader['list'] = (name) =>
    (text(name, { type: 'list' }) ?? '').split(/[\s,]+/).filter((one) => one !== '')
  return { text, secret, integer, bytes, choice, flag, list, problem, descriptions: () => described }
}

/** Formats a size with the largest binary unit that divides it. */
function sizeText(size: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let exponent = 0
  while (exponent < 4 && size >= 1024 && size % 1024 === 0) {
    size /= 1024
    exponent += 1
  }
  return `${size} ${units[exponent]}`
}

/** Parses an http or https URL without credentials. Returns `undefined` for all other text. */
export function parseWebUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' ? url : undefined
}

/** Reads addresses, networks, and names for some of them. */
export function readNetworks(read: Reader, name: string, names: readonly string[] = []): string[] {
  return read.list(name).filter((one) => {
    const [address, prefix, ...rest] = one.split('/')
    const bits = isIP(address ?? '') === 6 ? 128 : 32
    const isNetwork =
      isIP(address ?? '') !== 0 &&
      rest.length === 0 &&
      (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
    if (isNetwork || names.includes(one)) return true
    read.problem(name, `must list addresses or networks such as 10.0.0.0/8, found "${one}"`)
    return false
  })
}
