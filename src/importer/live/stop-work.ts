import { setTimeout as delay } from 'node:timers/promises'
import type { Broadcast } from '../../db/broadcast.ts'
import { Failure } from '../../lib/errors.ts'
import type { RunningTable } from './running-work.ts'

const topic = 'cancel'
const lookEveryMs = 100
const tellEveryMs = 500
/** Longer than another process needs to find out that the one which did the work is dead. */
const patienceMs = 30_000

/** Work that is to end: a task's, the preparation of an import, or fetches for uploads to it. */
export interface UnwantedWork {
  importId: number
  taskId?: number
  isFetch?: boolean
}

interface Parts {
  broadcast: Broadcast
  running: RunningTable
}

/** Cancels it in this process and waits for its end; false where this process does not do it. */
async function stopHere({ running }: Parts, { importId, taskId, isFetch }: UnwantedWork): Promise<boolean> {
  if (isFetch !== true) return running.cancel(importId, taskId)
  await running.cancelRequests(importId)
  return false
}

/** Ends what other processes want to be ended. */
export function hearCancellations(parts: Parts): void {
  parts.broadcast.listen(topic, (body) => void stopHere(parts, body as UnwantedWork))
}

/** Ends fetches for uploads to an import, here at once and elsewhere a moment later. */
export async function stopFetches(parts: Parts, importId: number): Promise<void> {
  const work = { importId, isFetch: true }
  parts.broadcast.tell(topic, work)
  await stopHere(parts, work)
}

/**
 * Ends work wherever it is done and waits until it has stopped. `isOver` says so of work that another process does;
 * where that has died, its successor is told. Throws `Failure` (`unavailable`) where nobody answers.
 */
export async function stopWork(
  parts: Parts,
  work: UnwantedWork,
  isOver: () => Promise<boolean>,
): Promise<void> {
  const began = performance.now()
  let toldAt = Number.NEGATIVE_INFINITY
  while (!(await stopHere(parts, work)) && !(await isOver())) {
    const at = performance.now()
    if (at - began > patienceMs) {
      throw new Failure(
        'unavailable',
        'not-canceled',
        'The server that does the work does not answer: try again',
      )
    }
    if (at - toldAt >= tellEveryMs) {
      parts.broadcast.tell(topic, work)
      toldAt = at
    }
    await delay(lookEveryMs)
  }
}
