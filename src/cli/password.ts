import { askLine, isTerminal } from './ask.ts'
import { UsageError } from './options.ts'

/** Prompts for a password on the terminal without echo. Throws `UsageError` without a terminal. */
export async function askPassword(user: string): Promise<string> {
  if (!isTerminal()) throw new UsageError(`The password of "${user}" is needed: set TERRANE_PASSWORD`)
  return askLine(`Password of ${user}: `, { isShown: false })
}
