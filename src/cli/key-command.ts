import { environmentReader } from '../core/config/parse.ts'
import { parseSecretKey } from '../core/config/secret-key.ts'
import { loadSettings, SettingsError } from '../core/config/settings.ts'
import type { Environment } from './options.ts'
import { readFlags, refuseMoreWords, UsageError } from './options.ts'

const newKeySetting = 'TERRANE_NEW_SECRET_KEY'

/** `terrane key adopt|rotate`: changes the key that encrypts stored passwords, while no server runs. */
export async function runKey(args: string[], env: Environment): Promise<number> {
  const { positionals } = readFlags('key', args, {})
  const [action, ...words] = positionals
  if (action !== 'adopt' && action !== 'rotate')
    throw new UsageError(`\`terrane key\` knows adopt and rotate; found "${action ?? 'nothing'}"`)
  refuseMoreWords(`key ${action}`, words, 0)
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const { data, databaseUrl } = settings
  const { adoptKey, rotateKey } = await import('../app/offline-commands.ts')
  if (action === 'adopt') {
    const { keyFile } = await adoptKey(data, databaseUrl)
    process.stdout.write(
      `The catalogue is used with ${keyFile ?? 'TERRANE_SECRET_KEY'} from now on. Passwords that were stored with another key must be set again: the log of the next start names the stores.\n`,
    )
    return 0
  }
  const newKey = readNewKey(env)
  const { keyFile, passwords } = await rotateKey(data, databaseUrl, newKey)
  const next =
    newKey === undefined
      ? `${keyFile} has the new key. Copy it to your backup, and to the other servers of the catalogue.`
      : `Set TERRANE_SECRET_KEY to the value of ${newKeySetting} before the next start.`
  process.stdout.write(`${passwords} stored passwords are encrypted with the new key. ${next}\n`)
  return 0
}

function readNewKey(env: Environment): Uint8Array | undefined {
  const problems: string[] = []
  const secret = environmentReader(env, problems).secret(newKeySetting)
  const key = parseSecretKey(secret?.reveal() ?? '')
  if (secret !== undefined && key === undefined)
    problems.push(`${newKeySetting} must be 64 hexadecimal digits, such as \`openssl rand -hex 32\` prints`)
  if (problems.length > 0) throw new SettingsError(problems)
  return key
}
