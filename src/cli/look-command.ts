import { loadSettings } from '../core/config/settings.ts'
import type { Environment } from './options.ts'
import { accessFlags, jsonFlag, readAccess, readFlags, refuseMoreWords, UsageError } from './options.ts'
import type { RestClient } from './rest-client.ts'
import { listOf, readField, readNumber, readString } from './rest-client.ts'
import { withServer } from './server-access.ts'
import { textTable } from './text-table.ts'

const flags = {
  rows: { type: 'string', default: '5' },
  srs: { type: 'string' },
  ...jsonFlag,
  ...accessFlags,
} as const
const maxRows = 10_000
/** Maximum wait of a request for counting the remaining rows, in seconds. */
const waitSeconds = 30
const widestCell = 40
const numbers = ['empty', 'distinct']

/** `terrane look IMPORT [TASK]` */
export async function runInspect(args: string[], env: Environment): Promise<number> {
  const { values, positionals } = readFlags('look', args, flags)
  refuseMoreWords('look', positionals, 2)
  const [importId, taskId = '0'] = positionals
  if (importId === undefined) throw new UsageError('`terrane look` needs the id of an import')
  for (const id of [importId, taskId])
    if (!/^\d+$/.test(id)) throw new UsageError(`An import and a task are named by their ids; found "${id}"`)
  const rows = Number(values.rows)
  if (!/^\d+$/.test(values.rows) || rows > maxRows)
    throw new UsageError(`--rows is a number up to ${maxRows}; found "${values.rows}"`)
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const srs = values.srs === undefined ? '' : `&srs=${encodeURIComponent(values.srs)}`
  const path = `/rest/imports/${importId}/tasks/${taskId}`
  const inspected = await withServer(settings, readAccess(values), env, async ({ client }) => ({
    ...(await countColumns(client, `${path}/columns?wait=${waitSeconds}${srs}`)),
    first: await client.get(`${path}/rows?limit=${rows}${srs}`),
  }))
  process.stdout.write(`${values.json ? JSON.stringify(inspected, null, 2) : shown(inspected)}\n`)
  return 0
}

interface Looked {
  counted: unknown
  first: unknown
}

/** Repeats the request until all rows are counted. */
async function countColumns(client: RestClient, path: string): Promise<{ counted: unknown }> {
  for (;;) {
    const counted = await client.get(path)
    if (readField(readField(counted, 'rows'), 'whole') === true) return { counted }
  }
}

function shown({ counted, first }: Looked): string {
  const rows = readField(counted, 'rows')
  const head = `${readNumber(rows, 'counted')} rows can be loaded, ${readNumber(rows, 'rejected')} cannot`
  return [head, columnTable(counted), rowTable(first)].filter((part) => part !== '').join('\n\n')
}

function columnTable(counted: unknown): string {
  const columns = listOf(counted, 'columns')
  const rows = columns.map((column) => [
    ...['name', 'type', 'empty'].map((name) => readString(column, name)),
    `${readField(column, 'exact') === true ? '' : '~'}${readString(column, 'distinct')}`,
    ...['min', 'max'].map((name) => cell(readField(column, name))),
    listOf(column, 'frequent')
      .slice(0, 3)
      .map((one) => `${cell(readField(one, 'value'))} (${readNumber(one, 'count')})`)
      .join(', '),
  ])
  return textTable(['column', 'type', 'empty', 'distinct', 'smallest', 'largest', 'frequent'], rows, numbers)
}

function rowTable(first: unknown): string {
  const features = listOf(first, 'features')
  const names = Object.keys(Object(readField(features[0], 'properties')))
  if (names.length === 0) return ''
  const rows = features.map((feature) => [
    readString(feature, 'id'),
    ...names.map((name) => cell(readField(readField(feature, 'properties'), name))),
    readString(readField(feature, 'geometry'), 'type'),
  ])
  return textTable(['row', ...names, 'geometry'], rows, ['row'])
}

function cell(value: unknown): string {
  const text = value == null ? '' : String(value).replaceAll(/\s+/g, ' ')
  return text.length > widestCell ? `${text.slice(0, widestCell - 1)}…` : text
}
