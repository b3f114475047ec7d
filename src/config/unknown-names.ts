import { nearestWord } from '../lib/text/nearest-word.ts'

/** Read by the command line and the set-up alone. */
const namesElsewhere = [
  'TERRANE_PASSWORD',
  'TERRANE_TOKEN',
  'TERRANE_NEW_PASSWORD',
  'TERRANE_SOURCE_PASSWORD',
  'TERRANE_SETUP_SYSTEM',
]

/** A variable that looks like a setting and is none. */
export interface UnknownName {
  name: string
  /** The setting that it most likely means. */
  nearest?: string
}

const prefix = 'TERRANE_'

/** What of an environment begins like a setting and is none of `known`. */
export function unknownNames(
  env: Record<string, string | undefined>,
  known: Iterable<string>,
): UnknownName[] {
  const settings = [...known, ...namesElsewhere].map((name) => name.slice(prefix.length))
  return Object.keys(env)
    .filter((name) => name.toUpperCase().startsWith(prefix) && env[name] !== undefined)
    .filter((name) => !name.startsWith(prefix) || !settings.includes(name.slice(prefix.length)))
    .map((name) => {
      // Without what all begin with, which would make any two alike.
      const nearest = nearestWord(name.slice(prefix.length), settings)
      return { name, ...(nearest === undefined ? {} : { nearest: prefix + nearest }) }
    })
}
