import type { MonitoringCommand } from './monitoring-options.ts'
import { UsageError } from './options.ts'
import type { RestRequests } from './rest-client.ts'
import { listOf, readField, readString } from './rest-client.ts'
import { textTable } from './text-table.ts'

/**
 * `terrane monitoring status`: exit code 0 if no alert is active and all services are collected, 1 otherwise.
 */
export const showStatus: MonitoringCommand = async ({ client, options, say }, words) => {
  if (words.length > 0) throw new UsageError(`\`terrane monitoring status\` takes no "${words[0]}"`)
  const notifications = await readProblems(client)
  const health = readField(await client.get('/health'), 'monitoring')
  const { services } = { services: listOf(await client.get('/monitoring/api/services/'), 'services') }
  const problems = listOf(notifications, 'problems')
  const troubles = listOf(health, 'problems').map(String)
  const level = readString(notifications, 'health_level')
  if (options.isJson)
    say(JSON.stringify({ health_level: level, problems, collection: health, services }, null, 2))
  else {
    say(`checks: ${level}, collection: ${readString(health, 'status')}`)
    if (problems.length > 0) say(problemTable(problems))
    for (const trouble of troubles) say(`collection: ${trouble}`)
    const columns = ['name', 'type', 'last_check']
    say(
      textTable(
        columns,
        services.map((one) => columns.map((column) => readString(one, column))),
      ),
    )
  }
  return problems.length === 0 && readString(health, 'status') === 'ok' ? 0 : 1
}

/**
 * Reads active alerts and their severity: in the dialect of older systems from `status`, else from
 * `notifications`.
 */
async function readProblems(client: RestRequests): Promise<unknown> {
  for (const path of ['notifications', 'status']) {
    const data = readField(await client.get(`/monitoring/api/${path}/`), 'data')
    if (readString(data, 'health_level') !== '') return data
  }
  throw new Error('The server does not tell whether its checks hold: its answers have no "health_level"')
}

function problemTable(problems: unknown[]): string {
  const columns = ['severity', 'name', 'offending_value', 'threshold_value', 'message']
  return textTable(
    columns,
    problems.map((one) => columns.map((column) => readString(one, column))),
    ['offending_value', 'threshold_value'],
  )
}
