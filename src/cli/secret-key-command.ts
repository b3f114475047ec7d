import { loadSettings } from '../core/config/settings.ts'
import type { Environment } from './options.ts'
import { readFlags, refuseMoreWords, UsageError } from './options.ts'

/** `terrane secret-key adopt`: the key in the data directory becomes that of the catalogue. */
export async function runSecretKey(args: string[], env: Environment): Promise<number> {
  const { positionals } = readFlags('secret-key', args, {})
  const [action, ...words] = positionals
  if (action !== 'adopt')
    throw new UsageError(`\`terrane secret-key\` knows adopt; found "${action ?? 'nothing'}"`)
  refuseMoreWords('secret-key adopt', words, 0)
  const settings = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const { adoptKey } = await import('../app/app.ts')
  const { keyFile } = await adoptKey(settings.data, settings.databaseUrl)
  process.stdout.write(
    `The catalogue is used with ${keyFile} from now on. Passwords that were stored with another key must be set again: the log of the next start names the stores.\n`,
  )
  return 0
}
