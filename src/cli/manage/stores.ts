import { parseDatabase } from '../import-database.ts'
import type { Environment } from '../options.ts'
import { UsageError } from '../options.ts'
import type { RestRequests } from '../rest-client.ts'
import { listOf, RestError, readField, readString } from '../rest-client.ts'
import { fieldsText, listText } from '../text-table.ts'
import type { Action, ManageContext, ManagedType } from './run-kind.ts'
import { eitherOption, givenOptions, readManaged, requireChange, runKind } from './run-kind.ts'
import { defaultWorkspace, workspaceNames, workspacePath } from './workspaces.ts'

/** Member name of a store in responses, its collection, and the member name of the list. */
const kinds = [
  { item: 'dataStore', path: 'datastores', list: 'dataStores' },
  { item: 'coverageStore', path: 'coveragestores', list: 'coverageStores' },
] as const

interface Location {
  workspace: string
  name: string
}

/** Reads `NAME` with `--workspace`, or `WORKSPACE:NAME`; else uses the default workspace. */
export async function readStoreName({ client, values }: ManageContext, text: string): Promise<Location> {
  const colon = text.indexOf(':')
  if (colon < 0) return { workspace: values.workspace ?? (await defaultWorkspace(client)), name: text }
  const workspace = text.slice(0, colon)
  if (values.workspace !== undefined && values.workspace !== workspace)
    throw new UsageError(`"${text}" names another workspace than --workspace ${values.workspace}`)
  return { workspace, name: text.slice(colon + 1) }
}

/** Finds a store of either kind and its path. */
export async function findStore(client: RestRequests, { workspace, name }: Location) {
  for (const kind of kinds) {
    const path = `${workspacePath(workspace)}/${kind.path}/${encodeURIComponent(name)}`
    try {
      return { path, kind, response: await client.get(path) }
    } catch (error) {
      if (!(error instanceof RestError) || error.status !== 404 || kind === kinds[1]) throw error
    }
  }
  throw new Error('unreachable')
}

const list: Action = {
  words: [],
  options: ['workspace'],
  run: async ({ client, values }) => {
    const stores: object[] = []
    const workspaces = values.workspace === undefined ? await workspaceNames(client) : [values.workspace]
    for (const workspace of workspaces) {
      for (const kind of kinds) {
        const response = await client.get(`${workspacePath(workspace)}/${kind.path}`)
        for (const one of listOf(readField(response, kind.list), kind.item))
          stores.push({ name: `${workspace}:${readString(one, 'name')}`, kind: kind.item })
      }
    }
    return { json: { stores }, text: listText('stores', ['name', 'kind'], stores) }
  },
}

const show: Action = {
  words: ['NAME'],
  options: ['workspace'],
  run: async (context, [name = '']) => {
    const { response, kind } = await findStore(context.client, await readStoreName(context, name))
    return describe(response, kind.item)
  },
}

/** Returns the connection parameters of `--database` and `--parameter`. */
function parametersOf({ values, env }: ManageContext): Record<string, string | number> {
  const named = (values.parameter ?? []).map((text): [string, string] => {
    const at = text.indexOf('=')
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
    throw new UsageError(`--parameter has the form NAME=VALUE; found "${text}"`)
  })
  const ofDatabase = values.database === undefined ? {} : parseDatabase(values.database, env).parameters
  return { ...ofDatabase, ...Object.fromEntries(named) }
}

/** Returns the tables that are published as soon as they exist, if any are named. */
function discoveryOf(values: ManageContext['values']) {
  const { discover: include, exclude, naming } = values
  if (include === undefined) {
    if (exclude !== undefined || naming !== undefined || values.managed !== undefined)
      throw new UsageError('--exclude, --naming and --managed of a store need --discover PATTERN')
    return undefined
  }
  return givenOptions({ include, exclude, naming, managed: readManaged(values) })
}

const create: Action = {
  words: ['NAME'],
  options: [
    'workspace',
    'database',
    'raster',
    'parameter',
    'description',
    'disable',
    'discover',
    'exclude',
    'naming',
    'managed',
  ],
  run: async (context, [text = '']) => {
    const { workspace, name } = await readStoreName(context, text)
    const { description, disable, raster, database } = context.values
    const parameters = parametersOf(context)
    const enabled = disable === true ? false : undefined
    const discovery = discoveryOf(context.values)
    if (raster !== undefined) {
      if (database !== undefined) throw new UsageError('--raster does not go with --database')
      const coverageStore = { name, url: raster, ...givenOptions({ description, enabled, discovery }) }
      const made = await context.client.post(`${workspacePath(workspace)}/coveragestores`, { coverageStore })
      return describe(made, 'coverageStore')
    }
    const store = {
      name,
      connectionParameters: parameters,
      ...givenOptions({ description, enabled, discovery }),
    }
    const response = await context.client.post(`${workspacePath(workspace)}/datastores`, { dataStore: store })
    return describe(response, 'dataStore')
  },
}

const change: Action = {
  words: ['NAME'],
  options: [
    'workspace',
    'database',
    'parameter',
    'description',
    'enable',
    'disable',
    'discover',
    'exclude',
    'naming',
    'managed',
    'no-discovery',
  ],
  run: async (context, [name = '']) => {
    const { values, client } = context
    const parameters = parametersOf(context)
    const requested = givenOptions({
      description: values.description,
      enabled: eitherOption(values, 'enable', 'disable'),
      connectionParameters: Object.keys(parameters).length === 0 ? undefined : parameters,
      discovery: values['no-discovery'] === true ? null : discoveryOf(values),
    })
    const options = '--description, --enable, --disable, --database, --parameter, --discover, --no-discovery'
    requireChange('stores change', requested, options)
    const { path, kind } = await findStore(client, await readStoreName(context, name))
    return describe(await client.put(path, { [kind.item]: requested }), kind.item)
  },
}

const remove: Action = {
  words: ['NAME'],
  options: ['workspace', 'recurse'],
  run: async (context, [name = '']) => {
    const storeName = await readStoreName(context, name)
    const { path } = await findStore(context.client, storeName)
    await context.client.delete(`${path}${context.values.recurse === true ? '?recurse=true' : ''}`)
    const deleted = `${storeName.workspace}:${storeName.name}`
    return { json: { deleted }, text: `Store ${deleted} is deleted` }
  },
}

const tables: Action = {
  words: ['NAME'],
  options: ['workspace'],
  run: async (context, [text = '']) => {
    const { workspace, name } = await readStoreName(context, text)
    const path = `${workspacePath(workspace)}/datastores/${encodeURIComponent(name)}/tables`
    const response = await context.client.get(path)
    const rows = listOf(response, 'tables').map((table) => {
      const geometry = readField(table, 'geometry')
      return {
        name: readString(table, 'name'),
        kind: readString(table, 'kind'),
        geometry: readString(geometry, 'type'),
        srs: readString(geometry, 'srs'),
        key: readString(table, 'key'),
        'rows (estimate)': readString(table, 'rows'),
        layer: readString(table, 'published'),
        problems: listOf(table, 'problems')
          .map((problem) => readString(problem, 'code'))
          .join(', '),
      }
    })
    const columns = ['name', 'kind', 'geometry', 'srs', 'key', 'rows (estimate)', 'layer', 'problems']
    return { json: response, text: listText('tables', columns, rows) }
  },
}

const rasters: Action = {
  words: ['NAME'],
  options: ['workspace'],
  run: async (context, [text = '']) => {
    const { workspace, name } = await readStoreName(context, text)
    const path = `${workspacePath(workspace)}/coveragestores/${encodeURIComponent(name)}/rasters`
    const response = await context.client.get(path)
    const rows = listOf(response, 'rasters').map((raster) => {
      const [width, height] = [readString(raster, 'width'), readString(raster, 'height')]
      return {
        name: readString(raster, 'name'),
        format: readString(raster, 'format'),
        size: width === '' ? '' : `${width} x ${height}`,
        bands: listOf(raster, 'bands')
          .map((band) => readString(band, 'dataType'))
          .join(', '),
        srs: readString(raster, 'srs'),
        layer: readString(raster, 'published'),
        problems: listOf(raster, 'problems')
          .map((problem) => readString(problem, 'code'))
          .join(', '),
      }
    })
    const columns = ['name', 'format', 'size', 'bands', 'srs', 'layer', 'problems']
    return { json: response, text: listText('rasters', columns, rows) }
  },
}

function describe(response: unknown, item: string) {
  const store = readField(response, item)
  const entries = listOf(readField(store, 'connectionParameters'), 'entry')
  const text = fieldsText([
    ['name', `${readString(readField(store, 'workspace'), 'name')}:${readString(store, 'name')}`],
    ...['type', 'enabled', 'description', 'url', 'dateCreated', 'dateModified'].map(
      (name): [string, string] => [name, readString(store, name)],
    ),
    ...entries.map((one): [string, string] => [readString(one, '@key'), readString(one, '$')]),
  ])
  return { json: response, text }
}

const stores: ManagedType = {
  command: 'stores',
  actions: { list, show, create, change, delete: remove, tables, rasters },
}

/** `terrane stores` */
export function runStores(args: string[], env: Environment): Promise<number> {
  // The command line in the process list may contain a password, so it is replaced as early as possible.
  process.title = 'terrane stores'
  return runKind(stores, args, env)
}
