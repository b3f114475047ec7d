import { SettingsError } from '../core/config/settings.ts'
import { version } from '../core/config/version.ts'
import { explain } from '../core/errors/errors.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import { helpText } from './help.ts'
import type { Environment } from './options.ts'
import { UsageError } from './options.ts'

type Command = (args: string[], env: Environment) => Promise<number>

/** Each command imports its code when called, so a client command does not load the code of the server. */
const commands = new Map<string, () => Promise<Command>>([
  ['serve', async () => (await import('./serve.ts')).runServe],
  ['work', async () => (await import('./serve.ts')).runWork],
  ['import', async () => (await import('./import-command.ts')).runImportCommand],
  ['look', async () => (await import('./look-command.ts')).runInspect],
  ['download', async () => (await import('./download-command.ts')).runDownload],
  ['export', async () => (await import('./export-command.ts')).runExport],
  ['workspaces', async () => (await import('./manage/workspaces.ts')).runWorkspaces],
  ['stores', async () => (await import('./manage/stores.ts')).runStores],
  ['imports', async () => (await import('./manage/imports.ts')).runImports],
  ['sources', async () => (await import('./manage/sources.ts')).runSources],
  ['layers', async () => (await import('./manage/layers.ts')).runLayers],
  ['styles', async () => (await import('./manage/styles.ts')).runStyles],
  ['users', async () => (await import('./manage/users.ts')).runUsers],
  ['groups', async () => (await import('./manage/groups.ts')).runGroups],
  ['permissions', async () => (await import('./manage/permissions.ts')).runPermissions],
  ['access', async () => (await import('./manage/permissions.ts')).runAccess],
  ['tokens', async () => (await import('./manage/tokens.ts')).runTokens],
  ['monitoring', async () => (await import('./monitoring-command.ts')).runMonitoring],
  ['audit', async () => (await import('./manage/audit.ts')).runAudit],
  ['usage', async () => (await import('./usage-command.ts')).runUsage],
  ['jobs', async () => (await import('./manage/jobs.ts')).runJobs],
  ['nodes', async () => (await import('./manage/nodes.ts')).runNodes],
  ['backup', async () => (await import('./backup-command.ts')).runBackup],
  ['restore', async () => (await import('./backup-command.ts')).runRestore],
  ['key', async () => (await import('./key-command.ts')).runKey],
  ['completion', async () => runCompletionOf],
  ['config', async () => (await import('./config-command.ts')).runConfig],
  ['doctor', async () => (await import('./doctor.ts')).runDoctor],
])

async function runCompletionOf(args: string[], env: Environment): Promise<number> {
  const { runCompletion } = await import('./completion-command.ts')
  return runCompletion(args, env, [...commands.keys()])
}

const versionWords = ['--version', '-v', '-V', 'version']
const helpWords = ['--help', '-h', 'help']

/** Runs one command and returns its exit code: 0 done, 1 failed, 2 invalid command line or setting. */
export async function runCommandLine(args: string[], env: Environment): Promise<number> {
  const [name = '--help', ...rest] = args
  try {
    if (versionWords.includes(name)) return print(version)
    if (helpWords.includes(name)) return print(helpFor(rest[0]))
    const command = commands.get(name)
    if (command === undefined) throw unknownCommand(name)
    if (rest.some((one) => one === '--help' || one === '-h')) return print(helpText(name))
    return await (await command())(rest, env)
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof SettingsError
    process.stderr.write(`${explain(error)}\n`)
    if (error instanceof UsageError) {
      const topic = commands.has(name) ? `terrane help ${name}` : 'terrane --help'
      process.stderr.write(`\`${topic}\` tells what there is.\n`)
    }
    return isUsage ? 2 : 1
  }
}

function helpFor(topic: string | undefined): string {
  if (topic === undefined || helpWords.includes(topic)) return helpText()
  if (commands.has(topic)) return helpText(topic)
  throw unknownCommand(topic)
}

function unknownCommand(name: string): UsageError {
  const isOption = name.startsWith('-')
  const nearest = nearestWord(name, commands.keys())
  const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`
  return new UsageError(`There is no ${isOption ? 'option' : 'command'} "${name}"${hint}`)
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}
