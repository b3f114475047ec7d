import type { MonitoringCommand, MonitoringContext } from './monitoring-options.ts'
import { UsageError } from './options.ts'
import { listOf, readField, readString } from './rest-client.ts'
import { textTable } from './text-table.ts'

interface ServiceKind {
  plural: 'services' | 'hosts'
  columns: string[]
  /** Returns the request body that creates the object; throws `UsageError`. */
  toBody(name: string, words: string[], context: MonitoringContext): Promise<object>
}

const services: ServiceKind = {
  plural: 'services',
  columns: ['id', 'name', 'type', 'host', 'check_interval', 'last_check', 'active'],
  toBody: async (name, words, { options, env }) => {
    const { type, host, kind, log, source, address, interval } = options.service
    if (words.length > 0) throw new UsageError(`\`services add NAME\` takes no "${words[0]}"`)
    if (type === undefined || host === undefined)
      throw new UsageError('`services add` needs --type and --host')
    const sourceKind = kind ?? (log === undefined ? undefined : 'log')
    if (source !== undefined && sourceKind === undefined)
      throw new UsageError('--source needs --kind: geoserver-monitor, node-exporter or geoserver-status')
    const user = options.service['source-user']
    const password = env.TERRANE_SOURCE_PASSWORD
    const secret = { user, password }
    return {
      name,
      type,
      host,
      url: address,
      check_interval: interval,
      source:
        sourceKind === undefined
          ? undefined
          : { kind: sourceKind, ...sourcePlace(log, source), ...(source === undefined ? {} : secret) },
    }
  },
}

const hosts: ServiceKind = {
  plural: 'hosts',
  columns: ['id', 'name', 'ip'],
  toBody: async (name, [ip, ...more]) => {
    if (ip === undefined || more.length > 0) throw new UsageError('`hosts add` needs a name and an address')
    return { name, ip }
  },
}

/** `terrane monitoring services [list | add NAME ... | remove NAME]` */
export const runServices: MonitoringCommand = (context, words) => runKind(services, context, words)

/** `terrane monitoring hosts [list | add NAME ADDRESS | remove NAME]` */
export const runHosts: MonitoringCommand = (context, words) => runKind(hosts, context, words)

async function runKind(kind: ServiceKind, context: MonitoringContext, words: string[]): Promise<number> {
  const [action = 'list', name, ...rest] = words
  const { client, options, say } = context
  const path = `/monitoring/api/${kind.plural}/`
  if (action === 'list' && name === undefined) {
    const response = await client.get(path)
    say(options.isJson ? JSON.stringify(response, null, 2) : table(kind, listOf(response, kind.plural)))
    return 0
  }
  if (name === undefined || !['add', 'remove'].includes(action))
    throw new UsageError(`\`terrane monitoring ${kind.plural}\` goes on with list, add NAME or remove NAME`)
  if (action === 'add') {
    const response = await client.post(path, await kind.toBody(name, rest, context))
    say(options.isJson ? JSON.stringify(response, null, 2) : table(kind, [readField(response, 'data')]))
    return 0
  }
  const found = listOf(await client.get(path), kind.plural).find((one) => readString(one, 'name') === name)
  if (found === undefined) throw new Error(`There is none of that name among the ${kind.plural}: ${name}`)
  const response = await client.delete(`${path}${readString(found, 'id')}`)
  say(options.isJson ? JSON.stringify(response, null, 2) : `${name} is removed`)
  return 0
}

function table({ columns }: ServiceKind, rows: unknown[]): string {
  return textTable(
    columns,
    rows.map((row) => columns.map((column) => readString(row, column))),
    ['id'],
  )
}

function sourcePlace(log: string | undefined, url: string | undefined): object {
  return { path: log, url }
}
