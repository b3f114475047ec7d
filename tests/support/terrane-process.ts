import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { patienceMs } from './until.ts'

const program = programIn(join(import.meta.dirname, '..', '..'))

/** Returns the path of the program in a checkout, a copy of it, or an installed package. */
export function programIn(folder: string): string {
  return join(folder, 'bin', 'terrane.mjs')
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunningProcess {
  pid: number
  /** Waits for a line of standard output that matches, and gives it. */
  line(pattern: RegExp): Promise<string>
  signal(name: NodeJS.Signals): void
  /** Output and exit of the process; a process that hangs is killed. */
  ended: Promise<Ended>
}

/** A test's own clean-up, as `t` of node's test runner has it. */
export interface Cleanup {
  after(work: () => void): void
}

/**
 * Environment of a command in a test: the path and home of this process, and these settings. By default the
 * command finds no server on the machine (port 0 is never contacted) and uses a data directory of the test.
 */
export function commandEnvironment(t: Cleanup, env: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, TERRANE_PORT: '0', TERRANE_DATA: env['TERRANE_DATA'] ?? temporaryData(t), ...env }
}

/**
 * Starts `terrane` with these arguments and settings (`commandEnvironment`). The process is killed when the test ends before
 * it, and a command when it does not end at all. A server lives as long as its test: on a slow machine that is long.
 */
export function startTerrane(
  t: Cleanup,
  args: string[],
  env: Record<string, string>,
  main = program,
): RunningProcess {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: commandEnvironment(t, env),
    timeout: args[0] === 'serve' ? 0 : patienceMs,
    killSignal: 'SIGKILL',
  })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  const stderr = text(child.stderr)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', async (code) => resolve({ code, stdout: output, stderr: await stderr }))
  })
  const killIfStillAlive = (): NodeJS.Timeout => setTimeout(() => child.kill('SIGKILL'), patienceMs).unref()
  const line = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = killIfStillAlive()
      const look = (): void => {
        const found = output.split('\n').find((one) => pattern.test(one))
        if (found === undefined) return
        clearTimeout(timer)
        resolve(found)
      }
      child.stdout.on('data', look)
      look()
      ended.then(
        ({ stderr: errors }) => reject(new Error(`ended before ${pattern}:\n${output}\n${errors}`)),
        reject,
      )
    })
  const signal = (name: NodeJS.Signals): void => {
    child.kill(name)
    killIfStillAlive()
  }
  return { pid: child.pid ?? 0, line, signal, ended }
}

/** Runs `terrane` to its end. */
export function runTerrane(t: Cleanup, args: string[], env: Record<string, string>): Promise<Ended> {
  return startTerrane(t, args, env).ended
}

/** The same with this standard input. */
export async function runTerraneWith(
  t: Cleanup,
  args: string[],
  env: Record<string, string>,
  input: string,
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    env: commandEnvironment(t, env),
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  })
  t.after(() => child.kill('SIGKILL'))
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // A command that refuses its options does not read on.
  child.stdin.on('error', () => undefined).end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, stdout, stderr }
}

/**
 * Creates a data directory for one test and removes it afterwards, even while a server that is to be killed
 * still writes there.
 */
export function temporaryData(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-e2e-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}

const ticksPerSecond = 100

/** Processor time that a process has taken so far; a busy machine does not add to it. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
