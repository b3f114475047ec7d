import { loadSettings } from '../core/config/settings.ts'
import { ownValue } from '../core/values/record-keys.ts'
import { loadDump } from './monitoring-load.ts'
import type { MonitoringCommand } from './monitoring-options.ts'
import { parseMonitoringOptions } from './monitoring-options.ts'
import { runHosts, runServices } from './monitoring-services.ts'
import { showStatus } from './monitoring-status.ts'
import type { Environment } from './options.ts'
import { UsageError } from './options.ts'
import { withClient } from './server-access.ts'

const commands: Record<string, MonitoringCommand> = {
  load: loadDump,
  status: showStatus,
  services: runServices,
  hosts: runHosts,
}

/** `terrane monitoring ...` */
export async function runMonitoring(args: string[], env: Environment): Promise<number> {
  const options = parseMonitoringOptions(args)
  const [name = 'status', ...words] = options.words
  const command = ownValue(commands, name)
  if (command === undefined)
    throw new UsageError(`\`terrane monitoring\` knows ${Object.keys(commands).join(', ')}; found "${name}"`)
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  if (!settings.monitoring.isOn) throw new UsageError('Monitoring is switched off by TERRANE_MONITORING')
  const say = (text: string): void => void process.stdout.write(`${text}\n`)
  return withClient(settings, options.access, env, (client) => command({ client, options, env, say }, words))
}
