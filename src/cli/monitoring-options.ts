import { parseArgs } from 'node:util'
import { UsageError } from './options.ts'
import type { AccessOptions } from './server-access.ts'

const flags = {
  url: { type: 'string' },
  user: { type: 'string', short: 'u', default: 'admin' },
  json: { type: 'boolean', default: false },
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
  /** What to do, such as `services add`. */
  words: string[]
  access: AccessOptions
  /** Print what the server answers, as JSON. */
  isJson: boolean
  /** Of `services add`. */
  service: Partial<Record<(typeof ofServices)[number], string>>
}

/** Options of `terrane monitoring`; throws `UsageError`. */
export function parseMonitoringOptions(args: string[]): MonitoringOptions {
  const { values, positionals: words } = parse(args)
  const { url, user, json } = values
  if (url !== undefined && !/^https?:\/\//.test(url))
    throw new UsageError(`--url is an http or https address; found "${url}"`)
  const given = ofServices.filter((name) => values[name] !== undefined)
  const [first] = given
  if (first !== undefined && words.slice(0, 2).join(' ') !== 'services add')
    throw new UsageError(`--${first} goes with \`terrane monitoring services add\``)
  return {
    words,
    access: { user, ...(url === undefined ? {} : { url: url.replace(/\/+$/, '') }) },
    isJson: json,
    service: Object.fromEntries(given.map((name) => [name, values[name]])),
  }
}

function parse(args: string[]): ReturnType<typeof parseFlags> {
  try {
    return parseFlags(args)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

// Its result type is what `parseArgs` works out of the flags.
function parseFlags(args: string[]) {
  return parseArgs({ args, options: flags, allowPositionals: true })
}
