import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { cpuTimeOfProcess } from '../time/cpu-time.ts'
import { Stopwatch } from '../time/stopwatch.ts'

const stderrTailBytes = 16 << 10
/** Time between SIGTERM and SIGKILL, in milliseconds. */
const graceMs = 500

/** A program could not be started, failed, or was killed; the message contains the end of its output. */
export class ProgramError extends Error {
  readonly program: string
  readonly reason: 'not-found' | 'failed' | 'timed-out' | 'output-too-large'
  /** Absent if a signal ended the program or if it was never started. */
  readonly exitCode: number | undefined
  /** The last 16 KiB of its standard error. */
  readonly stderr: string

  constructor(program: string, reason: ProgramError['reason'], stderr = '', exitCode?: number) {
    const output = stderr.trim()
    const what = {
      'not-found': 'is not installed or not on the PATH',
      failed: exitCode === undefined ? 'was ended by a signal' : `ended with code ${exitCode}`,
      'timed-out': 'took longer than allowed and was ended',
      'output-too-large': 'wrote more output than allowed and was ended',
    }[reason]
    super(output === '' ? `${program} ${what}` : `${program} ${what}: ${output}`)
    this.name = 'ProgramError'
    this.program = program
    this.reason = reason
    this.exitCode = exitCode
    this.stderr = stderr
  }
}

/** Limits, input and environment of a program. */
export interface ProgramOptions {
  signal?: AbortSignal
  /**
   * Maximum CPU time of the program without its child processes. The maximum elapsed time is ten times as
   * long.
   */
  timeoutMs?: number
  /** Maximum elapsed time, such as that of a setting. */
  clockLimitMs?: number
  /** Limit on standard output. */
  maxOutputBytes?: number
  stdin?: Uint8Array | string | AsyncIterable<Uint8Array | string>
  /** Added to the minimal environment (PATH, HOME, LANG, TMPDIR); nothing else is inherited. */
  env?: Record<string, string>
  cwd?: string
  /** Called with the end of standard error after a streamed program succeeded; its errors are thrown. */
  onWarnings?(stderr: string): void
}

/** Output of a program that succeeded. */
export interface ProgramResult {
  stdout: Buffer
  stderr: string
}

const inherited = ['PATH', 'HOME', 'TMPDIR', 'PROJ_DATA', 'PROJ_LIB', 'GDAL_DATA', 'LD_LIBRARY_PATH']

/** Returns the environment for programs: the required variables of this process, and a fixed language. */
export function programEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const env: Record<string, string> = { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }
  for (const name of inherited) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return { ...env, ...extra }
}

/** Returns the environment variable for Node's compile cache: the only variable that threads need. */
export function compiledSources(): Record<string, string> {
  const { NODE_COMPILE_CACHE: kept } = process.env
  return kept === undefined ? {} : { NODE_COMPILE_CACHE: kept }
}

/** Like `programEnvironment`, for a process that runs sources of the server. */
export function ownProcessEnvironment(): Record<string, string> {
  return programEnvironment(compiledSources())
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** A running program with its process group. */
class RunningProgram {
  readonly child: Child
  readonly #name: string
  readonly #done: Promise<ProgramError | undefined>
  #stderr = Buffer.alloc(0)
  #ending: ProgramError['reason'] | undefined
  #isRunning = true
  #killTimer: NodeJS.Timeout | undefined

  constructor(name: string, args: readonly string[], options: ProgramOptions, keepsStdin = false) {
    this.#name = name
    this.child = spawn(name, args, {
      cwd: options.cwd,
      env: programEnvironment(options.env),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-stderrTailBytes)
    })
    this.child.stdin.on('error', () => undefined)
    this.#done = this.#watch(options)
    if (keepsStdin) return
    void feed(this.child.stdin, options.stdin).catch(() => this.end('failed'))
  }

  get stderr(): string {
    return this.#stderr.toString('utf8')
  }

  /** Ends the whole process group: SIGTERM first, SIGKILL after half a second. */
  end(reason: ProgramError['reason'] | undefined): void {
    if (!this.#isRunning) return
    this.#ending ??= reason
    this.#signal('SIGTERM')
    this.#killTimer ??= setTimeout(() => this.#signal('SIGKILL'), graceMs)
  }

  /** Resolves when the program has ended, with the error if it failed. */
  wait(): Promise<ProgramError | undefined> {
    return this.#done
  }

  #startStopwatch(limitMs: number): Stopwatch {
    const { pid } = this.child
    const stopwatch = new Stopwatch({
      limitMs,
      cpuMs: () => (pid === undefined ? undefined : cpuTimeOfProcess(pid)),
      onOver: () => this.end('timed-out'),
    })
    stopwatch.reset(0)
    stopwatch.run()
    return stopwatch
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.child
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      this.child.kill(signal)
    }
  }

  #watch({ signal, timeoutMs, clockLimitMs }: ProgramOptions): Promise<ProgramError | undefined> {
    const onAbort = (): void => this.end(undefined)
    const stopwatch = timeoutMs === undefined ? undefined : this.#startStopwatch(timeoutMs)
    const timer =
      clockLimitMs === undefined ? undefined : setTimeout(() => this.end('timed-out'), clockLimitMs)
    if (signal?.aborted === true) setImmediate(onAbort)
    signal?.addEventListener('abort', onAbort, { once: true })
    return new Promise((resolve) => {
      const finish = (error: ProgramError | undefined): void => {
        this.#isRunning = false
        stopwatch?.stop()
        clearTimeout(timer)
        clearTimeout(this.#killTimer)
        signal?.removeEventListener('abort', onAbort)
        resolve(error)
      }
      this.child.on('error', (error: NodeJS.ErrnoException) => {
        if (this.child.pid !== undefined) return
        finish(new ProgramError(this.#name, error.code === 'ENOENT' ? 'not-found' : 'failed', error.message))
      })
      this.child.on('close', (code) => {
        const reason = this.#ending ?? (code === 0 ? undefined : 'failed')
        finish(
          reason === undefined
            ? undefined
            : new ProgramError(this.#name, reason, this.stderr, code ?? undefined),
        )
      })
    })
  }
}

async function feed(stdin: Writable, input: ProgramOptions['stdin']): Promise<void> {
  if (input !== undefined && typeof input !== 'string' && !(input instanceof Uint8Array)) {
    for await (const chunk of input) {
      if (stdin.destroyed) return
      if (!stdin.write(chunk)) await drained(stdin)
    }
    stdin.end()
  } else if (input === undefined) stdin.end()
  else stdin.end(input)
}

function drained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    stdin.once('drain', resolve)
    stdin.once('close', resolve)
  })
}

/**
 * Streams the standard output of a program with back-pressure. Throws `ProgramError` if the program cannot be
 * started or fails, and the signal's reason if the signal aborts. Ends the program and its child processes if
 * the consumer stops early.
 */
export async function* streamProgram(
  name: string,
  args: readonly string[],
  options: ProgramOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  options.signal?.throwIfAborted()
  const program = new RunningProgram(name, args, options)
  const limit = options.maxOutputBytes ?? Number.POSITIVE_INFINITY
  let bytes = 0
  try {
    for await (const chunk of program.child.stdout as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) {
        program.end('output-too-large')
        break
      }
      yield chunk
      options.signal?.throwIfAborted()
    }
    const error = await program.wait()
    options.signal?.throwIfAborted()
    if (error !== undefined) throw error
    options.onWarnings?.(program.stderr)
  } finally {
    program.end(undefined)
    program.child.stdout.destroy()
    await program.wait()
  }
}

/**
 * Runs a program to its end and returns its output (at most `maxOutputBytes`, default 64 MiB); `onOutput`
 * receives each chunk. Throws the errors above.
 */
export async function runProgram(
  name: string,
  args: readonly string[],
  options: ProgramOptions & { onOutput?(chunk: Uint8Array): void } = {},
): Promise<ProgramResult> {
  options.signal?.throwIfAborted()
  const program = new RunningProgram(name, args, options)
  const limit = options.maxOutputBytes ?? 64 << 20
  const chunks: Buffer[] = []
  let bytes = 0
  program.child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limit) {
      program.end('output-too-large')
      return
    }
    chunks.push(chunk)
    options.onOutput?.(chunk)
  })
  const error = await program.wait()
  options.signal?.throwIfAborted()
  if (error !== undefined) throw error
  return { stdout: Buffer.concat(chunks), stderr: program.stderr }
}

/**
 * A running program with input and output: write to `stdin`, iterate over `stdout`, and `close` it in
 * `finally`.
 */
export interface ProgramSession {
  write(chunk: Uint8Array | string): Promise<void>
  stdout: AsyncIterator<Uint8Array>
  /** Last output on standard error. */
  readonly stderr: string
  close(): Promise<void>
}

/** Starts a program for interactive use; `close` and an abort of `signal` end the program. */
export function openProgram(
  name: string,
  args: readonly string[],
  options: Omit<ProgramOptions, 'stdin'> = {},
): ProgramSession {
  const program = new RunningProgram(name, args, options, true)
  const { stdin, stdout } = program.child
  return {
    write: async (chunk) => {
      if (!stdin.write(chunk)) await drained(stdin)
    },
    stdout: (stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator](),
    get stderr() {
      return program.stderr
    },
    close: async () => {
      program.end(undefined)
      stdout.destroy()
      await program.wait()
    },
  }
}

/** Returns the full path of a program on the PATH; undefined if it is not installed. */
export async function findProgram(name: string): Promise<string | undefined> {
  if (isAbsolute(name)) return (await isExecutable(name)) ? name : undefined
  for (const folder of (programEnvironment().PATH ?? '').split(delimiter)) {
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name)
  }
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
