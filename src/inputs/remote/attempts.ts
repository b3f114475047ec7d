import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../core/errors/errors.ts'
import type { RemoteSession } from './remote.ts'
import { RemoteFault } from './remote.ts'

export interface AttemptLimits {
  /** Maximum time without received data, in milliseconds. */
  stallMs: number
  /** Maximum number of attempts at one position of a file. */
  tries: number
  /** Wait before the second attempt; doubled for each further one. */
  retryMs: number
}

/** Opens sessions on demand; a failed session is not used again. */
export class SessionSource {
  readonly #open: (signal: AbortSignal) => Promise<RemoteSession>
  #session: RemoteSession | undefined

  constructor(openSession: (signal: AbortSignal) => Promise<RemoteSession>) {
    this.#open = openSession
  }

  async get(signal: AbortSignal): Promise<RemoteSession> {
    this.#session ??= await this.#open(signal)
    return this.#session
  }

  drop(): void {
    this.#session?.close()
    this.#session = undefined
  }
}

export interface AttemptOptions {
  sessions: SessionSource
  limits: AttemptLimits
  signal: AbortSignal
}

/** Data of one attempt. */
export interface Attempt {
  session: RemoteSession
  /** Also aborts if nothing is received for too long. */
  signal: AbortSignal
  /** Call when data are received. */
  touch(): void
}

async function attempt<T>(options: AttemptOptions, work: (attempt: Attempt) => Promise<T>): Promise<T> {
  const { stallMs } = options.limits
  const stall = new AbortController()
  const timer = setTimeout(() => {
    const seconds = Math.round(stallMs / 100) / 10
    stall.abort(new RemoteFault(`no data arrived for ${seconds} seconds`, { isPassing: true }))
  }, stallMs)
  const signal = AbortSignal.any([options.signal, stall.signal])
  try {
    const session = await options.sessions.get(signal)
    return await work({ session, signal, touch: () => timer.refresh() })
  } catch (error) {
    options.sessions.drop()
    throw signal.aborted ? signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

const diskCodes = /^E(NOSPC|DQUOT|ACCES|ROFS|MFILE|IO)$/

function isPassing(error: unknown): boolean {
  if (error instanceof Failure) return false
  if (error instanceof RemoteFault) return error.isPassing
  return !diskCodes.test((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Runs work over a connection, and repeats it with a new one if that breaks: up to the limit of attempts
 * without progress according to `measure`. Throws the last error, or the reason of the signal.
 */
export async function persist<T>(
  options: AttemptOptions,
  measure: () => number,
  work: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { limits, signal } = options
  for (let failed = 0, furthest = measure(); ; ) {
    try {
      return await attempt(options, work)
    } catch (error) {
      signal.throwIfAborted()
      failed = measure() > furthest ? 1 : failed + 1
      furthest = Math.max(furthest, measure())
      if (!isPassing(error) || failed >= limits.tries) throw error
    }
    await sleep(limits.retryMs * 2 ** (failed - 1), undefined, { signal })
  }
}
