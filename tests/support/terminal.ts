import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Cleanup } from './terrane-process.ts'
import { commandEnvironment } from './terrane-process.ts'
import { patienceMs } from './until.ts'

const program = join(import.meta.dirname, '..', '..', 'bin', 'terrane.mjs')

/**
 * Runs `terrane` in a terminal, types an answer to each question in order, and returns all output. Further
 * questions get no answer, and the run is killed.
 */
export async function runAtTerminal(
  t: Cleanup,
  args: string[],
  env: Record<string, string>,
  answers: [prompt: RegExp, answer: string][],
): Promise<string> {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { TERM: 'xterm', ...commandEnvironment(t, env) },
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  })
  t.after(() => child.kill('SIGKILL'))
  let shown = ''
  let unread = ''
  const left = [...answers]
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
    unread += chunk
    const [query, answer] = left[0] ?? []
    // A prompt ends with the default answer.
    if (query === undefined || !query.test(unread) || !/\] $/.test(visible(unread))) return
    left.shift()
    unread = ''
    child.stdin.write(answer === '\u0004' ? answer : `${answer}\r`)
  })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
  })
  if (left.length > 0) throw new Error(`${left[0]?.[0]} was not asked:\n${shown}`)
  return shown
}

const introducer = String.fromCharCode(27)
const cursorMoves = new RegExp(`${introducer}\\[[\\d;]*[A-Za-z]`, 'g')

/** Without what moves the cursor. */
function visible(text: string): string {
  return text.replace(cursorMoves, '')
}
