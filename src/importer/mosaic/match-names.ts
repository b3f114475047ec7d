import { Worker } from 'node:worker_threads'
import { explain, invalid } from '../../lib/errors.ts'
import type { PatternOrder, PatternReport } from './pattern-worker.ts'

const maxPattern = 200
const limitMs = 100
const wholeMs = 30_000

/** Throws `Failure` (`invalid`) for a pattern that is too long or cannot be read. */
export function checkPattern(pattern: string): void {
  if (pattern.length > maxPattern) {
    throw invalid('invalid-pattern', `time.filenameRegex is longer than ${maxPattern} characters`)
  }
  try {
    new RegExp(pattern)
  } catch (error) {
    throw invalid('invalid-pattern', `time.filenameRegex cannot be read: ${explain(error)}`)
  }
}

const tooSlow = (what: string) =>
  invalid('slow-pattern', `time.filenameRegex takes more than ${what}: use a simpler pattern`)

function report(order: PatternOrder, signal: AbortSignal): Promise<PatternReport> {
  const worker = new Worker(new URL('./pattern-worker.ts', import.meta.url), { workerData: order })
  const { promise, resolve, reject } = Promise.withResolvers<PatternReport>()
  const stop = AbortSignal.any([signal, AbortSignal.timeout(wholeMs)])
  const leave = (): void =>
    reject(signal.aborted ? signal.reason : tooSlow(`${wholeMs / 1000} s for all names`))
  stop.addEventListener('abort', leave, { once: true })
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('The worker of a file name pattern ended early')))
  return promise.finally(async () => {
    stop.removeEventListener('abort', leave)
    await worker.terminate()
  })
}

/**
 * What a pattern finds in each name, undefined where it does not match. It runs in a thread of its own, since a pattern
 * may backtrack without end: one that takes more than 100 ms for a name is a `Failure` (`invalid`).
 */
export async function matchNames(
  pattern: string,
  names: string[],
  signal: AbortSignal,
): Promise<(string | undefined)[]> {
  signal.throwIfAborted()
  const found = await report({ pattern, names, limitMs }, signal)
  if ('texts' in found) return found.texts
  throw tooSlow(`${limitMs} ms for "${found.slowName}"`)
}
