import { nearestWord } from '../text/nearest-word.ts'

/** Names that only the command line and the set-up use. */
const namesElsewhere = [
  'TERRANE_PASSWORD',
  'TERRANE_TOKEN',
  'TERRANE_NEW_PASSWORD',
  'TERRANE_SOURCE_PASSWORD',
  'TERRANE_NEW_SECRET_KEY',
  'TERRANE_NEW_SECRET_KEY_FILE',
  'TERRANE_BACKUP_PASSPHRASE',
  'TERRANE_BACKUP_PASSPHRASE_FILE',
  'TERRANE_SETUP_SYSTEM',
]

/** A variable that looks like a setting but is not one. */
export interface UnknownName {
  name: string
  /** The most similar setting. */
  nearest?: string
}

const prefix = 'TERRANE_'

/** Returns names in an environment that look like settings but are not in `known`. */
export function unknownSettings(
  env: Record<string, string | undefined>,
  known: Iterable<string>,
): UnknownName[] {
  const settings = [...known, ...namesElsewhere]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
  return Object.keys(env)
    .filter((name) => name.toUpperCase().startsWith(prefix) && env[name] !== undefined)
    .filter((name) => !name.startsWith(prefix) || !settings.includes(name.slice(prefix.length)))
    .map((name) => {
      // Compares without the common prefix, which would make any two names similar.
      const nearest = nearestWord(name.slice(prefix.length), settings)
      return { name, nearest: nearest === undefined ? undefined : prefix + nearest }
    })
}
