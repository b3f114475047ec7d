import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestServer } from '../server.ts'
import type { Cleanup } from '../terrane-process.ts'
import { patienceMs } from '../until.ts'

/** Kills servers one after the other on one data directory; the seed determines all loads and times. */
export interface KillSession {
  seed: number
  kills: number
}

/** Number of kills that found the store in each state. */
export interface KillReport {
  /** The content from before the load. */
  before: number
  /** The new content: the load had been committed. */
  after: number
}

/**
 * Runs a session. Throws if a store has neither the content from before the load nor the new one, or if a
 * load does not end without help.
 */
export type RunKills = (t: Cleanup, session: KillSession) => Promise<KillReport>

/** Numbers from 0 to 1, the same in each run (a linear congruential generator modulo 2^32). */
export function seededRandom(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Time of the kill: milliseconds after the start of the load, or around its commit if `isAboutCommit`. */
export interface Moment {
  isAboutCommit: boolean
  ms: number
}

/** Two of five kills are about the commit, the others evenly over the load. */
export function momentOf(
  number: number,
  { kills }: KillSession,
  random: () => number,
  tookMs: number,
): Moment {
  if (number % 5 === 0 || number % 5 === 2) return { isAboutCommit: true, ms: random() * 60 }
  return { isAboutCommit: false, ms: ((number + random()) / kills) * tookMs }
}

/** Runs an import, or starts another request for it, and kills the server at the given moment. */
export async function killAt(
  server: TestServer,
  id: number,
  { isAboutCommit, ms }: Moment,
  { path = '', body }: { path?: string; body?: object } = {},
): Promise<void> {
  const until = isAboutCommit ? await server.watch(id) : undefined
  const running = server.call('POST', `/rest/imports/${id}${path}?async=true`, body).catch(() => undefined)
  await until?.(/"phase":"committing"/)
  await sleep(ms)
  await server.kill()
  await running
}

export function nameOf({ isAboutCommit, ms }: Moment): string {
  return `${ms.toFixed()} ms after ${isAboutCommit ? 'the commit began' : 'the start'}`
}

/** Waits until an import has ended without help. */
export async function endImport(server: TestServer, id: number, where: string): Promise<void> {
  const state = (await server.call('GET', `/rest/imports/${id}`)).json.import?.state
  // If the server was killed before it recorded the run, the run must be requested again.
  if (String(state) === 'READY' || String(state) === 'PENDING') {
    await server.call('POST', `/rest/imports/${id}?async=true`)
  }
  const done = await server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR'])
  assert.equal(done.state, 'COMPLETE', `${where}: ${JSON.stringify(done)}`)
}

/** Returns the number of features that a page of a collection reports; 0 if it is not published. */
export async function shownCount(server: TestServer, collection: string): Promise<number> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const { status, json, text } = await server.call('GET', `/ogc/collections/${collection}/items?limit=1`)
    if (status === 404) return 0
    if (status === 200) return Number(json.numberMatched)
    // A busy machine responds late: 503 asks the client to retry.
    if (status !== 503 || performance.now() > deadline) throw new Error(`${collection}: ${status} ${text}`)
    await sleep(500)
  }
}
