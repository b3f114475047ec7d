import { readFileSync, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { plainReason } from '../errors/plain-reason.ts'
import { nearestWord } from '../text/nearest-word.ts'
import type { Reader, SettingDescription } from './parse.ts'
import { secretFileSuffix } from './parse.ts'

/** Setting with the path of the file; default: the file in the working directory, if it exists. */
const pathSetting = 'TERRANE_CONFIG'
const defaultFile = 'terrane.toml'
const prefix = 'TERRANE_'
const maxBytes = 1 << 20
/** Permission bit for reading by users other than owner and group. */
const othersMayRead = 0o004

type Environment = Record<string, string | undefined>

/** A setting in the file: its key, and its value in the form of an environment variable. */
interface FileValue {
  key: string
  text: string
}

/** The settings in `terrane.toml`, by the name of their environment variable. */
export interface SettingsFile {
  /** Absolute path; undefined if there is no file. */
  path?: string
  values: ReadonlyMap<string, FileValue>
  /** Mistakes of the file itself, such as its syntax. */
  problems: string[]
  mode: number
}

/** Registers the setting that names the file, so that it is documented and known. */
export function describeSettingsFile(read: Reader): void {
  read.text(pathSetting, { type: 'path', default: '`terrane.toml` in the working directory, if it exists' })
}

/**
 * Reads the settings file. A table is a prefix of names: `[max]` with `upload` is `TERRANE_MAX_UPLOAD`. An
 * unreadable file is a problem, unless it is the default file and does not exist.
 */
export function readSettingsFile(env: Environment): SettingsFile {
  const named = env[pathSetting]?.trim() ?? ''
  const path = resolve(named === '' ? defaultFile : named)
  const nothing = { values: new Map<string, FileValue>(), mode: 0 }
  try {
    const stats = statSync(path)
    if (stats.size > maxBytes) return { ...nothing, path, problems: [`${path} is larger than 1 MiB`] }
    const values = new Map<string, FileValue>()
    const problems: string[] = []
    collect(parse(readFileSync(path, 'utf8')), [], values, problems)
    return { path, values, problems: problems.map((one) => `${path}: ${one}`), mode: stats.mode }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && named === '') return { ...nothing, problems: [] }
    return { ...nothing, path, problems: [`${path} cannot be read: ${reasonOf(error, code)}`] }
  }
}

/**
 * Returns only the first line of the parser's message: lines of the file follow, which may contain secrets.
 */
function reasonOf(error: unknown, code: string | undefined): string {
  if (error instanceof TomlError)
    return `line ${error.line}, column ${error.column}: ${error.message.split('\n')[0]}`
  return plainReason(Object.assign(new Error(), { code })) ?? 'it is not a settings file'
}

/** Settings whose tables are documents of their own. */
const documents = ['TERRANE_MAP_SERVERS', 'TERRANE_SERVICE_TRANSLATIONS']
const separators: ReadonlyMap<string, string> = new Map([['TERRANE_IMPORT_ROOTS', delimiter]])

function collect(table: object, path: string[], values: Map<string, FileValue>, problems: string[]): void {
  for (const [word, value] of Object.entries(table)) {
    const keys = [...path, word]
    const key = keys.join('.')
    const name = prefix + keys.join('_').replaceAll('-', '_').toUpperCase()
    if (values.has(name)) problems.push(`${key} sets ${name}, which ${values.get(name)?.key} sets already`)
    else if (documents.includes(name) && typeof value === 'object')
      values.set(name, { key, text: JSON.stringify(value) })
    else if (isTable(value)) collect(value, keys, values, problems)
    else {
      const text = textOf(value, separators.get(name) ?? ',')
      if (text === undefined) problems.push(`${key} must be a text, a number, a switch or a list of texts`)
      else values.set(name, { key, text })
    }
  }
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function textOf(value: unknown, separator: string): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isList ? value.join(separator) : undefined
}

/** Returns the environment with the values of the file for settings that the environment does not have. */
export function mergeSettings(file: SettingsFile, env: Environment): Environment {
  const merged = { ...env }
  for (const [name, { text }] of file.values) if (!isInEnvironment(name, env)) merged[name] = text
  return merged
}

/**
 * True if the environment has the setting. A secret has two names: either of them in the environment replaces
 * both in the file.
 */
function isInEnvironment(name: string, env: Environment): boolean {
  const base = name.endsWith(secretFileSuffix) ? name.slice(0, -secretFileSuffix.length) : name
  return [name, base, base + secretFileSuffix].some((one) => (env[one]?.trim() ?? '') !== '')
}

/** Returns a message for each key of the file that is not a setting. */
export function unknownKeys(file: SettingsFile, known: readonly string[]): string[] {
  const names = known.filter((name) => name !== pathSetting)
  const words = names.map((name) => name.slice(prefix.length))
  return [...file.values]
    .filter(([name]) => !names.includes(name))
    .map(([name, { key }]) => {
      const nearest = nearestWord(name.slice(prefix.length), words)
      const hint = nearest === undefined ? '' : `: did you mean ${nearest.toLowerCase()}?`
      return `${file.path}: ${key} is not a setting${hint}`
    })
}

/** Returns a warning if the file has secrets and every user of the machine may read it. */
export function secretNotices(
  file: SettingsFile,
  descriptions: ReadonlyMap<string, SettingDescription>,
): string[] {
  const secrets = [...file.values].filter(([name]) => descriptions.get(name)?.type === 'secret')
  if (secrets.length === 0 || (file.mode & othersMayRead) === 0) return []
  const keys = secrets.map(([, { key }]) => key).join(', ')
  return [`${file.path} has secrets (${keys}) and all users may read it: chmod o-r ${file.path}`]
}

/** Adds the key in the file to problems of values from the file. */
export function nameKeys(problems: readonly string[], file: SettingsFile, env: Environment): string[] {
  return problems.map((problem) => {
    const name = problem.split(' ', 1)[0] ?? ''
    const value = isInEnvironment(name, env) ? undefined : file.values.get(name)
    return value === undefined ? problem : `${problem} (${value.key} in ${file.path})`
  })
}

/** Returns the origin of the value of a setting. */
export function sourceOf(
  name: string,
  file: SettingsFile,
  env: Environment,
): 'environment' | 'file' | 'default' {
  if (isInEnvironment(name, env)) return 'environment'
  return file.values.has(name) || file.values.has(name + secretFileSuffix) ? 'file' : 'default'
}
