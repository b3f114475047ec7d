import { askLine, isTerminal } from './ask.ts'
import { UsageError } from './options.ts'

/** Asks for a password on the terminal without showing it. Throws `UsageError` where there is no terminal. */
export async function askPassword(user: string): Promise<string> {
  if (!isTerminal()) throw new UsageError(`The password of "${user}" is needed: set TERRANE_PASSWORD`)
  return askLine(`Password of ${user}: `, { isShown: false })
}
