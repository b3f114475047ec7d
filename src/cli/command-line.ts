import { SettingsError } from '../config/settings.ts'
import { version } from '../config/version.ts'
import { explain } from '../lib/errors.ts'
import { ownValue } from '../lib/own-value.ts'
import { runDoctor } from './doctor.ts'
import type { Environment } from './environment.ts'
import { helpText } from './help.ts'
import { runImport } from './import-command.ts'
import { runMonitoring } from './monitoring-command.ts'
import { UsageError } from './options.ts'
import { runServe } from './serve.ts'

const commands: Record<string, (args: string[], env: Environment) => Promise<number>> = {
  serve: runServe,
  import: runImport,
  monitoring: runMonitoring,
  doctor: runDoctor,
}

/** Runs one command and gives its exit code: 0 done, 1 failed, 2 the command line or a setting is wrong. */
export async function runCommandLine(args: string[], env: Environment): Promise<number> {
  const [name = '--help', ...rest] = args
  if (name === '--version' || name === '-V') return print(version)
  const command = ownValue(commands, name)
  if (args.some((one) => one === '--help' || one === '-h') || name === '--help' || name === 'help') {
    return print(helpText(command === undefined ? undefined : name))
  }
  try {
    if (command !== undefined) return await command(rest, env)
    throw new UsageError(`There is no command "${name}"`)
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof SettingsError
    process.stderr.write(`${explain(error)}\n`)
    if (error instanceof UsageError) process.stderr.write('`terrane --help` tells what there is.\n')
    return isUsage ? 2 : 1
  }
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}
