import { writeFile } from 'node:fs/promises'
import { loadSettings } from '../core/config/settings.ts'
import type { Environment } from './options.ts'
import { accessFlags, readAccess, readFlags, UsageError } from './options.ts'
import type { RestRequests } from './rest-client.ts'
import { listOf, readField, readString } from './rest-client.ts'
import { withClient } from './server-access.ts'
import { standardStream, writeOutput } from './standard-streams.ts'
import { textTable } from './text-table.ts'

const flags = {
  ...accessFlags,
  from: { type: 'string' },
  to: { type: 'string' },
  by: { type: 'string' },
  zone: { type: 'string' },
  compare: { type: 'string' },
  language: { type: 'string' },
  format: { type: 'string', short: 'f' },
  output: { type: 'string', short: 'o' },
} as const

const formats = ['table', 'json', 'csv', 'html', 'counter', 'inspire']
const parameters = ['from', 'to', 'by', 'zone', 'compare', 'language'] as const

/** `terrane usage report`: the usage report of a period. */
export async function runUsage(args: string[], env: Environment): Promise<number> {
  const { values, positionals } = readFlags('usage', args, flags)
  const [word, ...more] = positionals
  if (word !== 'report' || more.length > 0)
    throw new UsageError(`\`terrane usage\` knows report; found "${positionals.join(' ')}"`)
  const { format = 'table' } = values
  if (!formats.includes(format)) throw new UsageError(`--format is ${formats.join(', ')}; found "${format}"`)
  const query = new URLSearchParams()
  for (const name of parameters) {
    const value = values[name]
    if (value !== undefined) query.set(name, value)
  }
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  if (!settings.monitoring.isOn) throw new UsageError('Monitoring is switched off by TERRANE_MONITORING')
  return withClient(settings, readAccess(values), env, (client) =>
    printReport(client, query, { format, file: values.output ?? standardStream }),
  )
}

async function printReport(
  client: RestRequests,
  query: URLSearchParams,
  { format, file }: { format: string; file: string },
): Promise<number> {
  const path = format === 'table' || format === 'json' ? reportPath(query) : reportPath(query, format)
  await writeOutput(file, async (target) => {
    if (format !== 'table' && format !== 'json') return client.download(path, target, () => undefined)
    const response = await client.get(path)
    const text =
      format === 'json' ? JSON.stringify(response, null, 2) : reportText(readField(response, 'report'))
    return writeFile(target, `${text}\n`)
  })
  return 0
}

function reportPath(query: URLSearchParams, format?: string): string {
  if (format !== undefined) query.set('format', format)
  return `/monitoring/api/report?${query}`
}

const columns: readonly (readonly [caption: string, path: string])[] = [
  ['requests', 'hits'],
  ['people', 'people.hits'],
  ['visits', 'people.visits'],
  ['robots', 'robots'],
  ['outside', 'outside.hits'],
  ['downloads', 'events.downloads'],
  ['errors', 'errors'],
  ['p95 ms', 'p95'],
  ['bytes', 'bytes'],
]

/** The report as a table with its total, and what is not known. */
function reportText(report: unknown): string {
  const by = readString(report, 'by')
  const isCompared = readField(report, 'compare') !== null
  const shown = isCompared ? [...columns, ['before', 'before.hits'] as const] : columns
  const line = (row: unknown, key: string): string[] => [key, ...shown.map(([, path]) => valueAt(row, path))]
  const total = readField(report, 'total')
  const lines = listOf(report, 'rows').map((row) => line(row, readString(row, 'key')))
  if (total !== null) lines.push(line(total, 'total'))
  const captions = shown.map(([caption]) => caption)
  const notes = [
    `${readString(report, 'from')} to ${readString(report, 'to')}, days of ${readString(report, 'zone')}`,
    ...(readField(report, 'complete') === true ? [] : ['The period is not complete.']),
    ...(readField(report, 'sumsToTotal') === true ? [] : ['One request can count in several rows.']),
    ...listOf(report, 'notKnown').map(
      (one) => `Not known: ${readString(one, 'figure')}. ${readString(one, 'reason')}`,
    ),
    ...unusedText(listOf(report, 'unused')),
  ]
  return [textTable([by, ...captions], lines, captions), ...notes].join('\n')
}

function unusedText(unused: unknown[]): string[] {
  if (unused.length === 0) return []
  return [`Layers without a request: ${unused.map((one) => readString(one, 'key')).join(', ')}`]
}

function valueAt(row: unknown, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((inner, name) => (inner === null ? null : readField(inner, name)), row)
  return typeof value === 'number' ? String(Math.round(value * 10) / 10) : '-'
}
