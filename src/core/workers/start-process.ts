import { fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { ownProcessEnvironment } from '../process/process.ts'
import { cpuTimeOfProcess, isProcessIdle } from '../time/cpu-time.ts'
import type { Handlers } from './handlers.ts'
import type { FromWorker } from './messages.ts'
import type { ProcessNews } from './news.ts'
import { takeNews, tellEnd } from './news.ts'
import { parentFd } from './parent-fd.ts'
import { workerEntry } from './worker-entry.ts'
import type { Carrier, CarrierEvents, StartOptions } from './worker-handle.ts'
import { WorkerEnded, WorkerHandle } from './worker-handle.ts'

/** Data and memory limit of a child process. */
export interface ProcessOptions extends StartOptions {
  /** Maximum size of the JavaScript heap; default 512 MB. */
  maxHeapMb?: number
  /** Additional environment variables. */
  env?: Record<string, string>
}

const defaultHeapMb = 512
const youngMb = 8
const outputBytes = 8 << 10

/**
 * Starts a child process whose file calls `serveWork`. Unlike a thread it can be killed in any state. It dies
 * when this process does, and inherits no environment except the given variables.
 */
export function startProcess<H extends Handlers>(file: URL, options: ProcessOptions = {}): WorkerHandle<H> {
  return new WorkerHandle<H>((events) => openProcess(file, options, events), options)
}

function openProcess(
  file: URL,
  { maxHeapMb = defaultHeapMb, env = {} }: ProcessOptions,
  events: CarrierEvents,
): Carrier {
  const child = fork(fileURLToPath(workerEntry(file)), [], {
    serialization: 'advanced',
    env: { ...ownProcessEnvironment(), ...env },
    execArgv: [`--max-old-space-size=${maxHeapMb}`, `--max-semi-space-size=${youngMb}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
  })
  let output = Buffer.alloc(0)
  const pipes = [child.stderr, child.stdio[parentFd]] as (Socket | null)[]
  for (const pipe of pipes) pipe?.on('error', () => undefined).unref()
  child.stderr?.on('data', (bytes: Buffer) => {
    output = Buffer.concat([output, bytes]).subarray(-outputBytes)
  })
  const end = (what: string, signal?: NodeJS.Signals): void => {
    const words = output.toString('utf8').trim()
    const text = `The child process ${what}${words === '' ? '' : `: ${words}`}`
    events.onEnd(new WorkerEnded(text, signal === undefined ? {} : { signal }))
  }
  child.on('message', (sent) => {
    const message = sent as FromWorker | ProcessNews
    if (message.type === 'news') takeNews(message)
    else events.onMessage(message)
  })
  child.on('error', (error) => end(`failed: ${error.message}`))
  child.on('exit', (_code, signal) => {
    if (signal !== null) end(`was ended by ${signal}`, signal)
  })
  // All output and messages have arrived by then.
  child.on('close', (code) => {
    if (child.pid !== undefined) tellEnd({ pid: child.pid })
    end(`has ended with code ${code}`)
  })
  return {
    post: (message) => {
      if (child.connected) child.send(message, () => undefined)
    },
    hold: (isHeld) => {
      for (const one of [child, child.channel]) isHeld ? one?.ref() : one?.unref()
    },
    kill: () => void child.kill('SIGKILL'),
    isIdle: () => child.pid !== undefined && isProcessIdle(child.pid),
    cpuMs: () => (child.pid === undefined ? undefined : cpuTimeOfProcess(child.pid)),
  }
}
