import type { Columns } from '../geo/coordinate-columns.ts'
import { readStopIf } from './import-limits.ts'
import { accessFlags, jsonFlag, readAccess, readChoice, readFlags, UsageError } from './options.ts'
import { standardStream } from './standard-streams.ts'

const importModes = ['create', 'replace', 'append', 'upsert'] as const
export type ImportMode = (typeof importModes)[number]

export interface ImportOptions {
  paths: string[]
  /** Name of the file that is read from standard input (`-`). */
  inputName?: string
  workspace?: string
  /** True to create a missing workspace. */
  createsWorkspace: boolean
  store?: string
  srs?: string
  /** Target CRS for data whose own CRS has no code. */
  reproject?: string
  /** Absent: `create`; prompts at a terminal if the layer exists. */
  mode?: ImportMode
  /** Columns with the coordinates of data without geometry. */
  coordinates?: Columns
  /** True if data without geometry may become tables. */
  takesTables: boolean
  /** True if anonymous users may read the imported layers. */
  isPublic: boolean
  /** True if a replace that reads no row may empty the layer. */
  allowsEmpty: boolean
  /** Key columns. */
  keys: string[]
  /** True if an upsert deletes rows that are missing in the data. */
  deletesMissing: boolean
  /** Limits that stop a load before its commit, in the form of the API. */
  stopIf?: Record<string, unknown>
  /** True for a dry run: everything except the commit. */
  isDryRun: boolean
  isJson: boolean
  /** URL of a running server; absent: the server with these settings, or one started for this import. */
  url?: string
  user: string
  /** A database to import from, in place of paths. */
  database?: string
  /** Its tables to import; empty: all. */
  tables: string[]
}

const flags = {
  workspace: { type: 'string', short: 'w' },
  'create-workspace': { type: 'boolean', default: false },
  store: { type: 'string', short: 's' },
  srs: { type: 'string' },
  reproject: { type: 'string' },
  mode: { type: 'string', short: 'm' },
  lat: { type: 'string' },
  lon: { type: 'string' },
  x: { type: 'string' },
  y: { type: 'string' },
  'table-only': { type: 'boolean', default: false },
  'allow-empty': { type: 'boolean', default: false },
  keys: { type: 'string', short: 'k' },
  'delete-missing': { type: 'boolean', default: false },
  'stop-if': { type: 'string', multiple: true, default: [] as string[] },
  'dry-run': { type: 'boolean', default: false },
  public: { type: 'boolean', default: false },
  database: { type: 'string', short: 'd' },
  name: { type: 'string' },
  table: { type: 'string', short: 't', multiple: true, default: [] as string[] },
  ...jsonFlag,
  ...accessFlags,
} as const

/** Options of `terrane import`; throws `UsageError`. */
export function parseImportOptions(args: string[]): ImportOptions {
  const { values, positionals: paths } = readFlags('import', args, flags)
  const { workspace, store, database, table: tables } = values
  checkSource(paths, values)
  if (values['create-workspace'] && workspace === undefined)
    throw new UsageError('--create-workspace needs --workspace, which names it')
  const coordinates = readColumnOptions(values)
  if (coordinates !== undefined && values['table-only'])
    throw new UsageError('--table-only loads without geometry: it does not go with columns of coordinates')
  const srs = values.srs ?? (values.lat === undefined ? undefined : 'EPSG:4326')
  return {
    paths,
    tables,
    workspace,
    inputName: values.name,
    createsWorkspace: values['create-workspace'],
    store,
    srs,
    reproject: values.reproject,
    mode: values.mode === undefined ? undefined : readChoice('--mode', values.mode, importModes),
    coordinates,
    takesTables: values['table-only'],
    allowsEmpty: values['allow-empty'],
    ...readUpsert(values),
    stopIf: readStopIf(values['stop-if']),
    isDryRun: values['dry-run'],
    isPublic: values.public,
    isJson: values.json,
    ...readAccess(values),
    database,
  }
}

interface UpsertValues {
  mode?: string
  keys?: string
  'delete-missing': boolean
}

function readUpsert(values: UpsertValues): Pick<ImportOptions, 'keys' | 'deletesMissing'> {
  const keys = (values.keys ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
  const isUpsert = values.mode === 'upsert'
  if (values['delete-missing'] && !isUpsert) throw new UsageError('--delete-missing goes with --mode upsert')
  return { keys, deletesMissing: values['delete-missing'] }
}

interface ColumnValues {
  lat?: string | undefined
  lon?: string | undefined
  x?: string | undefined
  y?: string | undefined
  srs?: string | undefined
}

/** `--lat` with `--lon`, or `--x` with `--y`. */
export function readColumnOptions({ lat, lon, x, y, srs }: ColumnValues): Columns | undefined {
  if (lat === undefined && lon === undefined && x === undefined && y === undefined) return undefined
  if (lat !== undefined && lon !== undefined && x === undefined && y === undefined) return { x: lon, y: lat }
  if (x === undefined || y === undefined || lat !== undefined || lon !== undefined)
    throw new UsageError('Columns with coordinates are named by --lat and --lon, or by --x and --y')
  if (srs === undefined) throw new UsageError('--x and --y need --srs EPSG:n: what system they are in')
  return { x, y }
}

function checkSource(
  paths: string[],
  { database, table, name }: { database?: string; table: string[]; name?: string },
): void {
  if (database === undefined && paths.length === 0) {
    throw new UsageError('`terrane import` needs at least one file or folder, or --database')
  }
  if (paths.filter((path) => path === standardStream).length > 1)
    throw new UsageError('Standard input (-) is one file')
  if (name !== undefined && !paths.includes(standardStream))
    throw new UsageError('--name goes with standard input: `terrane import - --name survey.csv`')
  if (database === undefined && table.length > 0) throw new UsageError('--table goes with --database')
  if (database !== undefined && paths.length > 0) {
    throw new UsageError('--database takes no files: name its tables by --table')
  }
}
