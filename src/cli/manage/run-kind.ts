import { loadSettings } from '../../core/config/settings.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import { hasValues } from '../../core/values/defined.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import type { Environment } from '../options.ts'
import { accessFlags, jsonFlag, readAccess, readFlags, refuseMoreWords, UsageError } from '../options.ts'
import type { RestClient, RestRequests } from '../rest-client.ts'
import { withClient } from '../server-access.ts'
import { printProgress, standardStream } from '../standard-streams.ts'

/** Options of any action. */
const flags = {
  workspace: { type: 'string', short: 'w' },
  public: { type: 'boolean' },
  private: { type: 'boolean' },
  inherit: { type: 'boolean' },
  default: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  resource: { type: 'string' },
  'quota-bytes': { type: 'string' },
  'quota-layers': { type: 'string' },
  'quota-versions': { type: 'string' },
  recurse: { type: 'boolean' },
  title: { type: 'string' },
  abstract: { type: 'string' },
  style: { type: 'string' },
  what: { type: 'string' },
  against: { type: 'string' },
  kind: { type: 'string' },
  problem: { type: 'boolean' },
  sort: { type: 'string' },
  description: { type: 'string' },
  database: { type: 'string', short: 'd' },
  parameter: { type: 'string', multiple: true },
  enable: { type: 'boolean' },
  disable: { type: 'boolean' },
  role: { type: 'string' },
  email: { type: 'string' },
  password: { type: 'boolean' },
  'keep-tokens': { type: 'boolean' },
  expires: { type: 'string' },
  output: { type: 'string', short: 'o' },
  accept: { type: 'string' },
  task: { type: 'string' },
  lat: { type: 'string' },
  lon: { type: 'string' },
  x: { type: 'string' },
  y: { type: 'string' },
  srs: { type: 'string' },
  'table-only': { type: 'boolean' },
  name: { type: 'string' },
  limit: { type: 'string' },
  keyword: { type: 'string', multiple: true },
  attribution: { type: 'string' },
  licence: { type: 'string' },
  contact: { type: 'string' },
  owner: { type: 'string' },
  citation: { type: 'string' },
  doi: { type: 'string' },
  'further-style': { type: 'string', multiple: true },
  format: { type: 'string', short: 'f' },
  store: { type: 'string' },
  all: { type: 'boolean' },
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  managed: { type: 'string' },
  raster: { type: 'string' },
  discover: { type: 'string', multiple: true },
  'no-discovery': { type: 'boolean' },
  naming: { type: 'string' },
  member: { type: 'string', multiple: true },
} as const

export type OptionName = keyof typeof flags
type Values = Omit<ReturnType<typeof readAll>['values'], 'json' | 'user' | 'url'>

// The result type is what `parseArgs` infers from the flags.
function readAll(command: string, args: string[]) {
  return readFlags(command, args, { ...flags, ...jsonFlag, ...accessFlags })
}

export interface ManageContext {
  client: RestRequests
  /** Connects now instead of at the first request: prompts for the login before anything else. */
  connect(): Promise<Pick<RestClient, 'password'>>
  values: Values
  env: Environment
}

/** Result of an action, as JSON and as text. */
interface CommandOutput {
  json: unknown
  text: string
  /** True if it was not done, or not completely. */
  isFailed?: boolean
  /** True if standard output contains a file: messages then go to standard error. */
  hasOutput?: boolean
}

export interface Action {
  /** Names of its positional arguments, such as `NAME`. */
  words: string[]
  /** True if the last argument may be missing. */
  hasOptionalWord?: boolean
  options: OptionName[]
  /** True if a token is not sufficient. */
  needsPassword?: boolean
  run(context: ManageContext, words: string[]): Promise<CommandOutput>
}

/** A kind of object that a server manages. */
export interface ManagedType {
  command: string
  actions: Record<string, Action>
}

const synonyms = new Map([
  ['add', 'create'],
  ['remove', 'delete'],
  ['get', 'show'],
  ['update', 'change'],
])

/** `terrane <kind> [ACTION] ...`: lists the objects if no action is named. */
export async function runKind(
  { command, actions }: ManagedType,
  args: string[],
  env: Environment,
): Promise<number> {
  const { values, positionals } = readAll(command, args)
  const [word = 'list', ...words] = positionals
  const name = synonyms.get(word) ?? word
  const action = ownValue(actions, name)
  if (action === undefined) throw unknownAction(command, word, Object.keys(actions))
  const whole = `${command} ${name}`
  const required = action.hasOptionalWord === true ? action.words.slice(0, -1) : action.words
  const missing = required[words.length]
  if (missing !== undefined) throw new UsageError(`\`terrane ${whole}\` needs ${missing}`)
  refuseMoreWords(whole, words, action.words.length)
  refuseOtherOptions(whole, values, action.options)
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const access = { ...readAccess(values), needsPassword: action.needsPassword ?? false }
  const { json, text, isFailed, hasOutput } = await withClient(settings, access, env, (client, connect) =>
    action.run({ client, connect, values, env }, words),
  )
  printProgress(
    hasOutput === true ? standardStream : undefined,
    values.json ? JSON.stringify(json, null, 2) : text,
  )
  return isFailed === true ? 1 : 0
}

function unknownAction(command: string, word: string, known: string[]): UsageError {
  const nearest = nearestWord(word, known)
  const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`
  return new UsageError(`\`terrane ${command}\` knows ${known.join(', ')}; found "${word}"${hint}`)
}

function refuseOtherOptions(whole: string, values: Values, known: OptionName[]): void {
  const names = Object.keys(flags) as OptionName[]
  const other = names.find((name) => values[name] !== undefined && !known.includes(name))
  if (other !== undefined) throw new UsageError(`\`terrane ${whole}\` takes no --${other}`)
}

/** Returns the value of two mutually exclusive options. */
export function eitherOption(values: Values, yes: OptionName, no: OptionName): boolean | undefined {
  if (values[yes] === true && values[no] === true)
    throw new UsageError(`--${yes} and --${no} exclude one another`)
  return values[yes] === true ? true : values[no] === true ? false : undefined
}

/** Throws `UsageError` if no change is given. */
export function requireChange(whole: string, change: object, options: string): void {
  if (!hasValues(change)) throw new UsageError(`\`terrane ${whole}\` needs what to change: ${options}`)
}

/** Returns what may change a table published in place, as the API names it. */
export function readManaged({ managed }: Values): false | 'edit' | 'load' | undefined {
  if (managed === undefined || managed === 'edit' || managed === 'load') return managed
  if (managed === 'false' || managed === 'none') return false
  throw new UsageError(`--managed is none, edit or load; found "${managed}"`)
}

/** Returns only the defined values. */
export function givenOptions<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}
