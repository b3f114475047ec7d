import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { requestFastCgi } from '../../core/network/fastcgi.ts'
import { programEnvironment } from '../../core/process/process.ts'
import { cpuTimeOfProcess, isProcessIdle } from '../../core/time/cpu-time.ts'
import { packError, unpackError } from '../../core/workers/error-codec.ts'
import type { ToWorker } from '../../core/workers/messages.ts'
import type { Carrier, CarrierEvents, StartOptions } from '../../core/workers/worker-handle.ts'
import { WorkerEnded, WorkerHandle } from '../../core/workers/worker-handle.ts'

/** Call of a process: a map file of the server, and the request in MapServer's parameters. */
export interface MapServerRequest {
  mapFile: string
  query: string
}

/** Handlers of a MapServer process; `draw` returns the image. */
export type MapServerHandlers = { draw(request: MapServerRequest): Buffer }

/** Programs that start processes; absolute paths. */
export interface MapServerPrograms {
  mapserv: string
  spawner: string
  limiter: string
  binder: string
}

interface ProcessDeps {
  programs: MapServerPrograms
  /** Folder of the sockets. */
  folder: string
  env: Record<string, string>
}

const memoryBytes = 1024 ** 3
const maxAnswerBytes = 256 * 1024 ** 2
/** Time limit for a running process to start listening. */
const startMs = 300_000
const pauseMs = 10
/** Time to wait for the exit event of a process that closed its connection. */
const lastMs = 50
const outputBytes = 8 << 10
let count = 0

/**
 * Starts a MapServer that serves one request after the other on its own socket (FastCGI). It dies with this
 * process, and is killed if a drawing takes too long: it ignores requests to stop.
 */
export function startMapServer(deps: ProcessDeps, options: StartOptions): WorkerHandle<MapServerHandlers> {
  return new WorkerHandle<MapServerHandlers>((events) => openProcess(deps, events), options)
}

function openProcess({ programs, folder, env }: ProcessDeps, events: CarrierEvents): Carrier {
  count += 1
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const socket = join(folder, `${process.pid}-${count}.sock`)
  const { spawner, limiter, binder, mapserv } = programs
  const limited = [limiter, `--as=${memoryBytes}`, '--core=0', binder, '--pdeathsig', 'KILL', mapserv]
  const child = spawn(spawner, ['-n', '-s', socket, '-M', '0600', '--', ...limited], {
    env: programEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = Buffer.alloc(0)
  child.stderr.on('data', (bytes: Buffer) => {
    output = Buffer.concat([output, bytes]).subarray(-outputBytes)
  })
  const gone = new AbortController()
  const end = (what: string): void => {
    if (gone.signal.aborted) return
    rmSync(socket, { force: true })
    const error = new WorkerEnded(`MapServer ${what}: ${output.toString('utf8').trim()}`)
    gone.abort(error)
    events.onEnd(error)
  }
  child.on('error', (error) => end(`failed (${error.message})`))
  child.on('exit', (code, signal) => end(`ended (${signal ?? code})`))
  const waiting = new Map<number, AbortController>()
  const startedMs = performance.now()
  const respond = async (id: number, request: MapServerRequest): Promise<void> => {
    const left = new AbortController()
    waiting.set(id, left)
    try {
      const onConnect = (): void => {
        events.onMessage({ type: 'ready' })
        events.onMessage({ type: 'begun', id, cpuMs: cpuMs() })
      }
      const value = await askWhenOpen(socket, request, {
        gone: gone.signal,
        left: left.signal,
        startedMs,
        onConnect,
      })
      events.onMessage({ type: 'result', id, value })
    } catch (error) {
      // A connection usually ends because the process ended, which is reported to waiting callers a moment
      // later.
      if (!gone.signal.aborted) await delay(lastMs, undefined, { ref: false })
      if (!gone.signal.aborted) events.onMessage({ type: 'error', id, error: packError(error) })
    } finally {
      waiting.delete(id)
    }
  }
  const cpuMs = (): number | undefined => (child.pid === undefined ? undefined : cpuTimeOfProcess(child.pid))
  return {
    post: (message: ToWorker) => {
      if (message.type === 'call') void respond(message.id, message.argument as MapServerRequest)
      // MapServer ignores it; a request that was not sent yet is dropped.
      else if (message.type === 'abort') waiting.get(message.id)?.abort(unpackError(message.error))
    },
    hold: (isHeld) => (isHeld ? child.ref() : child.unref()),
    kill: () => {
      child.kill('SIGKILL')
    },
    cpuMs,
    isIdle: () => child.pid !== undefined && isProcessIdle(child.pid),
  }
}

/** The socket file exists shortly before the process listens on it. */
const notYet: readonly unknown[] = ['ENOENT', 'ECONNREFUSED']

interface Asking {
  /** The process has ended. */
  gone: AbortSignal
  /** The caller has left. */
  left: AbortSignal
  startedMs: number
  /** Called when the process has accepted the connection. */
  onConnect(): void
}

/**
 * Sends the request as soon as the process listens. Throws if it ends earlier, or does not listen within
 * `startMs` of its start.
 */
async function askWhenOpen(
  socket: string,
  request: MapServerRequest,
  { gone, left, startedMs, onConnect }: Asking,
): Promise<Buffer> {
  for (;;) {
    left.throwIfAborted()
    try {
      return await ask(socket, request, { signal: gone, onConnect })
    } catch (error) {
      const isEarly = error instanceof Error && 'code' in error && notYet.includes(error.code)
      if (!isEarly || performance.now() - startedMs > startMs) throw error
      await delay(pauseMs, undefined, { ref: false })
    }
  }
}

async function ask(
  socket: string,
  { mapFile, query }: MapServerRequest,
  { signal, onConnect }: { signal: AbortSignal; onConnect(): void },
): Promise<Buffer> {
  const values = {
    REQUEST_METHOD: 'GET',
    QUERY_STRING: `map=${encodeURIComponent(mapFile)}&${query}`,
    SCRIPT_NAME: '/',
    SERVER_NAME: 'localhost',
    SERVER_PORT: '80',
    SERVER_PROTOCOL: 'HTTP/1.1',
  }
  const { mediaType, body, output } = await requestFastCgi(socket, values, {
    signal,
    onConnect,
    maxBytes: maxAnswerBytes,
  })
  if (!mediaType.startsWith('image/')) {
    const words = body
      .toString('utf8')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    throw new Error(`MapServer could not draw: ${words.slice(0, 500)} ${output.trim()}`.trim())
  }
  return body
}
