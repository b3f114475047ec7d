import { parseArgs } from 'node:util'

/** The command line is wrong; the message says what was expected. */
export class UsageError extends Error {}

export const importModes = ['create', 'replace', 'append'] as const

export interface ImportOptions {
  paths: string[]
  workspace?: string
  store?: string
  srs?: string
  mode: (typeof importModes)[number]
  /** A running server; absent: the one of these settings, or one started for this import. */
  url?: string
  user: string
  /** A database to import from, in place of paths. */
  database?: string
  /** Tables of it; none: all. */
  tables: string[]
}

const importFlags = {
  workspace: { type: 'string', short: 'w' },
  store: { type: 'string', short: 's' },
  srs: { type: 'string' },
  mode: { type: 'string', short: 'm', default: 'create' },
  url: { type: 'string' },
  database: { type: 'string', short: 'd' },
  table: { type: 'string', short: 't', multiple: true, default: [] as string[] },
  user: { type: 'string', short: 'u', default: 'admin' },
} as const

/** Options of `terrane import`; throws `UsageError`. */
export function parseImportOptions(args: string[]): ImportOptions {
  const { values, positionals } = parse(args)
  const mode = importModes.find((one) => one === values.mode.toLowerCase())
  if (mode === undefined) throw new UsageError(`--mode is ${importModes.join(', ')}; found "${values.mode}"`)
  checkSource(positionals, values)
  if (values.url !== undefined && !/^https?:\/\//.test(values.url)) {
    throw new UsageError(`--url is an http or https address; found "${values.url}"`)
  }
  const { mode: _text, url, table: tables, ...rest } = values
  const address = url === undefined ? {} : { url: url.replace(/\/+$/, '') }
  return { paths: positionals, mode, tables, ...rest, ...address }
}

function checkSource(paths: string[], { database, table }: { database?: string; table: string[] }): void {
  if (database === undefined && paths.length === 0) {
    throw new UsageError('`terrane import` needs at least one file or folder, or --database')
  }
  if (database === undefined && table.length > 0) throw new UsageError('--table goes with --database')
  if (database !== undefined && paths.length > 0) {
    throw new UsageError('--database takes no files: name its tables by --table')
  }
}

function parse(args: string[]): ReturnType<typeof parseImportArgs> {
  try {
    return parseImportArgs(args)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

// Its result type is what `parseArgs` works out of the flags.
function parseImportArgs(args: string[]) {
  return parseArgs({ args, options: importFlags, allowPositionals: true })
}

/** For commands that take no options. */
export function expectNoArguments(command: string, args: string[]): void {
  if (args.length > 0) throw new UsageError(`\`terrane ${command}\` takes no "${args[0]}"`)
}
