import { readFile, writeFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import { without } from '../../core/values/defined.ts'
import type { Environment } from '../options.ts'
import { UsageError } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import { standardStream } from '../standard-streams.ts'
import { fieldsText, listText } from '../text-table.ts'
import type { Action, ManageContext, ManagedType } from './run-kind.ts'
import { runKind } from './run-kind.ts'

const collection = '/rest/sources'
const columns = ['name', 'state', 'data', 'layer', 'nextRun', 'lastRun', 'outcome']
const runColumns = [
  'id',
  'due',
  'ended',
  'trigger',
  'outcome',
  'rows',
  'added',
  'changed',
  'removed',
  'message',
]
const usualLimit = '20'

function sourcePath(name: string): string {
  return `${collection}/${encodeURIComponent(name)}`
}

function rowOf(source: unknown) {
  const last = readField(source, 'lastRun')
  return {
    name: readString(source, 'name'),
    state: readString(source, 'state'),
    data: readString(readField(source, 'data'), 'type'),
    layer: readString(readField(source, 'target'), 'layer'),
    nextRun: readString(source, 'nextRun'),
    lastRun: readString(last, 'ended'),
    outcome: readString(last, 'outcome'),
  }
}

const list: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const response = await client.get(collection)
    return { json: response, text: listText('sources', columns, listOf(response, 'sources').map(rowOf)) }
  },
}

const show: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => {
    const response = await client.get(sourcePath(name))
    const source = readField(response, 'source')
    const facts = fieldsText(Object.entries(rowOf(source)))
    const message = readString(readField(source, 'lastRun'), 'message')
    return { json: response, text: message === '' ? facts : `${facts}\n\n${message}` }
  },
}

/** Creates a source from a YAML or JSON file. */
const create: Action = {
  words: ['FILE'],
  options: [],
  run: async (context, [file = '']) => importSources(context, file),
}

const run: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => {
    const response = await client.post(`${sourcePath(name)}/run`, {})
    const id = readString(readField(response, 'run'), 'id')
    return {
      json: response,
      text: `Run ${id} of source ${name} is started: \`terrane sources history ${name}\``,
    }
  },
}

function switching(enabled: boolean): Action {
  return {
    words: ['NAME'],
    options: [],
    run: async ({ client }, [name = '']) => {
      const response = await client.put(sourcePath(name), { source: { enabled } })
      return { json: response, text: `Source ${name} is ${enabled ? 'switched on' : 'paused'}` }
    },
  }
}

const history: Action = {
  words: ['NAME'],
  options: ['limit'],
  run: async ({ client, values: { limit = usualLimit } }, [name = '']) => {
    const response = await client.get(`${sourcePath(name)}/runs?limit=${encodeURIComponent(limit)}`)
    const rows = listOf(response, 'runs').map((one) => {
      const changes = readField(one, 'changes')
      const counts = ['added', 'changed', 'removed'].map((key) => [key, readString(changes, key)])
      const facts = ['id', 'due', 'ended', 'trigger', 'outcome', 'rows', 'message']
      return Object.fromEntries([...facts.map((key) => [key, readString(one, key)]), ...counts])
    })
    return { json: response, text: listText('runs', runColumns, rows) }
  },
}

const remove: Action = {
  words: ['NAME'],
  options: [],
  run: async ({ client }, [name = '']) => {
    await client.delete(sourcePath(name))
    return { json: { deleted: name }, text: `Source ${name} is deleted; its layers stay` }
  },
}

/** Members of a source that are no settings. */
const stateMembers = [
  'href',
  'state',
  'nextRun',
  'lastRun',
  'lastSuccess',
  'owner',
  'layers',
  'problem',
] as const

/** Writes all sources as YAML, without passwords. */
const exportAll: Action = {
  words: [],
  options: ['output'],
  run: async ({ client, values: { output = standardStream } }) => {
    const response = await client.get(collection)
    const settings = listOf(response, 'sources').map(toSettings)
    const text = stringify({ sources: settings })
    if (output === standardStream) return { json: { sources: settings }, text: text.trimEnd() }
    await writeFile(output, text)
    return { json: { file: output, sources: settings.length }, text: `${output}: ${settings.length} sources` }
  },
}

function toSettings(source: unknown): object {
  const settings = without(source as Record<string, unknown>, ...stateMembers)
  const data = withoutHidden(settings['data'])
  return { ...settings, data }
}

/** The server shows a stored password as asterisks. */
function withoutHidden(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  const { password: _password, parameters, ...rest } = data as Record<string, unknown>
  if (typeof parameters !== 'object' || parameters === null) return rest
  const { passwd: _passwd, ...place } = parameters as Record<string, unknown>
  return { ...rest, parameters: place }
}

/** Creates and changes the sources that a file lists; other sources remain unchanged. */
const importAll: Action = {
  words: ['FILE'],
  options: [],
  run: async (context, [file = '']) => importSources(context, file),
}

async function importSources({ client }: ManageContext, file: string) {
  const sources = readSources(await readFile(file, 'utf8'), file)
  const known = new Set(listOf(await client.get(collection), 'sources').map((one) => readString(one, 'name')))
  const created: string[] = []
  const changed: string[] = []
  for (const source of sources) {
    const { name } = source
    if (known.has(name)) await client.put(sourcePath(name), { source })
    else await client.post(collection, { source })
    ;(known.has(name) ? changed : created).push(name)
  }
  const text = [
    ...(created.length === 0 ? [] : [`Created: ${created.join(', ')}`]),
    ...(changed.length === 0 ? [] : [`Changed: ${changed.join(', ')}`]),
  ].join('\n')
  return { json: { created, changed }, text: text === '' ? `${file} has no sources` : text }
}

function readSources(text: string, file: string): ({ name: string } & Record<string, unknown>)[] {
  let content: unknown
  try {
    content = parse(text, { maxAliasCount: 100 })
  } catch (error) {
    throw new UsageError(`${file} is not YAML: ${error instanceof Error ? error.message : String(error)}`)
  }
  const single = readField(content, 'source')
  const found = single === undefined ? listOf(content, 'sources') : [single]
  return found.map((one) => {
    const name = readString(one, 'name')
    if (name === '') throw new UsageError(`${file}: each source needs a "name"`)
    return { ...(one as Record<string, unknown>), name }
  })
}

const sources: ManagedType = {
  command: 'sources',
  actions: {
    list,
    show,
    create,
    run,
    pause: switching(false),
    resume: switching(true),
    history,
    delete: remove,
    export: exportAll,
    import: importAll,
  },
}

/** `terrane sources [ACTION] ...` */
export const runSources = (args: string[], env: Environment): Promise<number> => runKind(sources, args, env)
