import { explain, Failure, invalid } from '../../../core/errors/errors.ts'
import { startThread } from '../../../core/workers/start-thread.ts'
import type { PatternOrder, PatternReport, PatternWork } from './pattern-work.ts'

const maxPattern = 200
/** Maximum CPU time per name, and in total. */
const limitMs = 100
const wholeMs = 30_000

/** Throws `Failure` (`invalid`) for a pattern that is too long or invalid. */
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
  invalid('slow-pattern', `time.filenameRegex needs more than ${what}: use a simpler pattern`)

async function report(order: PatternOrder, signal: AbortSignal): Promise<PatternReport> {
  const thread = startThread<PatternWork>(new URL('./pattern-work.ts', import.meta.url))
  try {
    return await thread.call('matchAll', order, { signal, deadlineMs: wholeMs, graceMs: 0 })
  } catch (error) {
    const isSlow = error instanceof Failure && error.code === 'too-slow'
    throw isSlow ? tooSlow(`${wholeMs / 1000} s for all names`) : error
  } finally {
    await thread.end()
  }
}

/**
 * Returns the match of a pattern in each name, undefined without a match. Runs in a worker thread, since a
 * pattern may backtrack without end: more than 100 ms for a name is a `Failure` (`invalid`).
 */
export async function matchNames(
  pattern: string,
  names: string[],
  signal: AbortSignal,
): Promise<(string | undefined)[]> {
  const found = await report({ pattern, names, limitMs }, signal)
  if ('texts' in found) return found.texts
  throw tooSlow(`${limitMs} ms for "${found.slowName}"`)
}
