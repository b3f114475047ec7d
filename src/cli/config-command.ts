import type { SettingDescription } from '../core/config/parse.ts'
import { readSettings } from '../core/config/settings.ts'
import { mergeSettings, readSettingsFile, sourceOf } from '../core/config/settings-file.ts'
import { defined } from '../core/values/defined.ts'
import type { Environment } from './options.ts'
import { jsonFlag, readChoice, readFlags, refuseMoreWords, UsageError } from './options.ts'
import { textTable } from './text-table.ts'

const actions = ['check', 'show'] as const
const flags = { ...jsonFlag, file: { type: 'string' } } as const
const hidden = '***'

/** A setting as `terrane config show` lists it. */
interface ShownSetting {
  name: string
  value: string
  source: 'environment' | 'file' | 'default'
}

/** `terrane config check|show`: reads the settings without starting anything; exit code 2 if one is wrong. */
export async function runConfig(args: string[], environment: Environment): Promise<number> {
  const { values, positionals } = readFlags('config', args, flags)
  const [word, ...rest] = positionals
  if (word === undefined) throw new UsageError('`terrane config` needs an action: check or show')
  const action = readChoice('The action', word, actions)
  refuseMoreWords(`config ${action}`, rest, 0)
  const env = { ...environment, ...defined({ TERRANE_CONFIG: values.file }) }
  const { settings, problems, descriptions } = readSettings(env)
  const { notices } = settings
  const { path } = readSettingsFile(env)
  if (values.json) print({ file: path ?? null, problems, notices, ...shown(action, env, descriptions) })
  else {
    if (action === 'show') process.stdout.write(`${listText(listSettings(env, descriptions))}\n`)
    for (const line of [...problems, ...notices]) process.stderr.write(`${line}\n`)
    const files = path === undefined ? 'the environment' : `the environment and ${path}`
    if (problems.length === 0) process.stderr.write(`The settings of ${files} are valid.\n`)
  }
  return problems.length === 0 ? 0 : 2
}

function shown(
  action: 'check' | 'show',
  env: Environment,
  descriptions: ReadonlyMap<string, SettingDescription>,
): { settings?: ShownSetting[] } {
  return action === 'check' ? {} : { settings: listSettings(env, descriptions) }
}

function listSettings(
  env: Environment,
  descriptions: ReadonlyMap<string, SettingDescription>,
): ShownSetting[] {
  const file = readSettingsFile(env)
  const merged = mergeSettings(file, env)
  return [...descriptions].map(([name, { type, default: absent }]) => {
    const source = sourceOf(name, file, env)
    const value = source === 'default' ? (absent ?? '') : type === 'secret' ? hidden : (merged[name] ?? '')
    return { name, value, source }
  })
}

function listText(settings: ShownSetting[]): string {
  const rows = settings.map(({ name, value, source }) => [name, value, source])
  return textTable(['setting', 'value', 'source'], rows)
}

function print(result: object): void {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
}
