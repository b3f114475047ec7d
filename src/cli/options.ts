import type { ParseArgsOptionsConfig } from 'node:util'
import { parseArgs } from 'node:util'
import { nearestWord } from '../core/text/nearest-word.ts'
import { ownValue } from '../core/values/record-keys.ts'

/** The error for an invalid command line; the message says what was expected. */
export class UsageError extends Error {}

/** Server URL and user. */
export interface AccessOptions {
  url?: string
  user: string
  /** True if a token is not sufficient for the request, so that the user's own password is needed. */
  needsPassword?: boolean
}

/** Options of every command that accesses a server. */
export const accessFlags = {
  url: { type: 'string' },
  user: { type: 'string', short: 'u', default: 'admin' },
} as const

/** Prints the server response. */
export const jsonFlag = { json: { type: 'boolean', default: false } } as const

/** The values of `accessFlags`; throws `UsageError`. */
export function readAccess({ url, user }: { url?: string; user: string }): AccessOptions {
  if (url === undefined) return { user }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--url is an http or https address; found "${url}"`)
  return { user, url: url.replace(/\/+$/, '') }
}

/**
 * Reads the options and arguments of a command; an error is a `UsageError` that names the most similar
 * option.
 */
// The result type is what `parseArgs` infers from the flags.
export function readFlags<T extends ParseArgsOptionsConfig>(command: string, args: string[], options: T) {
  refuseMistakes(command, args, options)
  return parseArgs({ args, options, allowPositionals: true })
}

function refuseMistakes(command: string, args: string[], options: ParseArgsOptionsConfig): void {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = ownValue(options, name)
    if (option === undefined) throw new UsageError(unknownOption(command, rawName, name, options))
    if (option.type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value`)
    if (option.type === 'string' && !hasValue(value, inlineValue))
      throw new UsageError(`${rawName} needs a value`)
  }
}

/** A value that looks like an option indicates a missing value. */
function hasValue(value: string | undefined, isInline: boolean | undefined): boolean {
  if (value === undefined || value === '') return false
  return isInline === true || !/^-./.test(value)
}

function unknownOption(
  command: string,
  rawName: string,
  name: string,
  options: ParseArgsOptionsConfig,
): string {
  const nearest = rawName.startsWith('--') ? nearestWord(name, Object.keys(options)) : undefined
  const hint = nearest === undefined ? '' : `: did you mean --${nearest}?`
  return `\`terrane ${command}\` has no option ${rawName}${hint}`
}

/** Throws if there are more than `most` arguments. */
export function refuseMoreWords(command: string, words: string[], most: number): void {
  const extra = words[most]
  if (extra !== undefined) throw new UsageError(`\`terrane ${command}\` takes no "${extra}"`)
}

/** Reads one of several words; throws a `UsageError` that lists them and the most similar one. */
export function readChoice<T extends string>(what: string, found: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === found.toLowerCase())
  if (choice !== undefined) return choice
  const nearest = nearestWord(found, choices)
  const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`
  throw new UsageError(`${what} is ${choices.join(', ')}; found "${found}"${hint}`)
}

/** Environment variables of the process. */
export type Environment = Record<string, string | undefined>
