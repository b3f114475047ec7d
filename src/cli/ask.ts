import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from './options.ts'

export interface Answer {
  key: string
  text: string
}

/** Prompts for one of several answers; empty input selects the last one. Returns its key. */
export type Prompt = (query: string, answers: Answer[]) => Promise<string>

/** Returns undefined without an interactive terminal. */
export function findAsk(): Prompt | undefined {
  return isTerminal() && process.stderr.isTTY === true ? askForKey : undefined
}

export function isTerminal(): boolean {
  return process.stdin.isTTY === true
}

async function askForKey(query: string, answers: Answer[]): Promise<string> {
  const last = answers.at(-1)?.key ?? ''
  const list = answers.map(({ key, text }) => `  ${key}  ${text}`).join('\n')
  for (;;) {
    const typed = await askLine(`${query}\n${list}\n[${last}] `, { isShown: true })
    const found = answers.find(({ key }) => key === (typed.trim().toLowerCase() || last))
    if (found !== undefined) return found.key
  }
}

/** Reads one line from the terminal. Throws `UsageError` if the user aborts. */
export async function askLine(query: string, { isShown }: { isShown: boolean }): Promise<string> {
  // The last line is the prompt, which is redrawn while the user types.
  const promptAt = isShown ? query.lastIndexOf('\n') + 1 : query.length
  process.stderr.write(query.slice(0, promptAt))
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isShown ? process.stderr : silent
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  const left = new Promise<never>((_resolve, reject) => {
    terminal.once('close', () => reject(new UsageError('Nothing was answered')))
  })
  try {
    return await Promise.race([terminal.question(query.slice(promptAt)), left])
  } finally {
    left.catch(() => undefined)
    terminal.close()
    if (!isShown) process.stderr.write('\n')
  }
}
