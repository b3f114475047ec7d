import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from './options.ts'

/** Asks for a password on the terminal without showing it. Throws `UsageError` where there is no terminal. */
export async function askPassword(user: string): Promise<string> {
  if (process.stdin.isTTY !== true) {
    throw new UsageError(`The password of "${user}" is needed: set TERRANE_PASSWORD`)
  }
  process.stderr.write(`Password of ${user}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
