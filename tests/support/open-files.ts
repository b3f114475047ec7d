import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { patience, patienceMs } from './until.ts'

const countOpen = (): number => readdirSync('/proc/self/fd').length

/** Asserts that work leaves no file, socket or pipe open that it opened; not to be used side by side. */
export async function leavesNothingOpen<T>(what: string, work: () => Promise<T>): Promise<T> {
  const before = countOpen()
  const result = await work()
  for (const hasTime = patience(); countOpen() > before && hasTime(); ) await sleep(10)
  assert.ok(countOpen() <= before, `${what} leaves ${countOpen() - before} handles open`)
  return result
}

/** Asserts that aborted work ends, either with the reason of the abort or normally. */
export async function endsSoon(
  what: string,
  abort: AbortController,
  work: () => Promise<unknown>,
): Promise<void> {
  const reason = new Error('told to stop')
  const working = work()
  setImmediate(() => abort.abort(reason))
  const late = Symbol('late')
  const timer = new AbortController()
  const ended = await Promise.race([
    working.then(
      () => undefined,
      (error: unknown) => error,
    ),
    sleep(patienceMs, late, { signal: timer.signal }).catch(() => undefined),
  ])
  timer.abort()
  assert.notEqual(ended, late, `${what} goes on after it was told to stop`)
  if (ended !== undefined)
    assert.equal(ended, reason, `${what} ends with another error than the signal's reason`)
}
