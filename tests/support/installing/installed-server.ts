import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Cleanup } from '../terrane-process.ts'

/** A server that was installed, started without anything from the checkout. */
export interface InstalledServer {
  url: string
  /** Seconds from the start of the command until the sample data were imported. */
  seconds: number
  /** Sends a signal to the command and returns its exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>
}

interface Command {
  program: string
  args: string[]
  cwd: string
  /** The whole environment. */
  env: Record<string, string>
}

/** Password of the user `admin` where a test sets one. */
export const adminPassword = 'release-test-password'

/** Starts a command that serves and waits until the log of the sample import ends, or the server is ready without it. */
export async function startInstalled(t: Cleanup, command: Command): Promise<InstalledServer> {
  const started = performance.now()
  const { program, args, cwd, env } = command
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const errors = text(child.stderr)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  const url = await readyUrl(child, errors)
  const stop = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return { url, seconds: (performance.now() - started) / 1000, stop }
}

async function readyUrl(child: ChildProcess, errors: Promise<string>): Promise<string> {
  if (child.stdout === null) throw new Error('The output of the server is not read')
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    url = /^Terrane is ready at (\S+)/.exec(line)?.[1] ?? url
    if (line.startsWith('Stop it with')) return url
  }
  throw new Error(`The server ended before it was ready:\n${await errors}`)
}

/** Number of features of a public layer. */
export async function countFeatures(url: string, layer: string): Promise<number> {
  const response = await fetch(`${url}/ogc/collections/${layer}/items?limit=1`)
  const { numberMatched } = (await response.json()) as { numberMatched: number }
  return numberMatched
}
