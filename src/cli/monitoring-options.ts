import type { AccessOptions, Environment } from './options.ts'
import { accessFlags, jsonFlag, readAccess, readFlags, UsageError } from './options.ts'
import type { RestRequests } from './rest-client.ts'

const flags = {
  ...accessFlags,
  ...jsonFlag,
  type: { type: 'string' },
  host: { type: 'string' },
  kind: { type: 'string' },
  log: { type: 'string' },
  source: { type: 'string' },
  'source-user': { type: 'string' },
  address: { type: 'string' },
  interval: { type: 'string' },
} as const

const ofServices = ['type', 'host', 'kind', 'log', 'source', 'source-user', 'address', 'interval'] as const

export interface MonitoringOptions {
  /** The subcommand, such as `services add`. */
  words: string[]
  access: AccessOptions
  /** True to print the server response as JSON. */
  isJson: boolean
  /** Options of `services add`. */
  service: Partial<Record<(typeof ofServices)[number], string>>
}

/** Options of `terrane monitoring`; throws `UsageError`. */
export function parseMonitoringOptions(args: string[]): MonitoringOptions {
  const { values, positionals: words } = readFlags('monitoring', args, flags)
  const given = ofServices.filter((name) => values[name] !== undefined)
  const [first] = given
  if (first !== undefined && words.slice(0, 2).join(' ') !== 'services add')
    throw new UsageError(`--${first} goes with \`terrane monitoring services add\``)
  return {
    words,
    access: readAccess(values),
    isJson: values.json,
    service: Object.fromEntries(given.map((name) => [name, values[name]])),
  }
}

export interface MonitoringContext {
  client: RestRequests
  options: MonitoringOptions
  env: Environment
  /** Prints a line. */
  say(text: string): void
}

/** Receives the remaining arguments; returns the exit code. */
export type MonitoringCommand = (context: MonitoringContext, words: string[]) => Promise<number>
