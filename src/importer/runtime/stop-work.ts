import { setTimeout as delay } from 'node:timers/promises'
import type { Broadcast } from '../../core/db/broadcast.ts'
import { Failure } from '../../core/errors/errors.ts'
import type { RunningTable } from './running-work.ts'

const topic = 'cancel'
const lookEveryMs = 100
const tellEveryMs = 500
/** Longer than another process needs to detect that the process doing the work has died, in milliseconds. */
const patienceMs = 30_000

/** Work to cancel: a task, the preparation of an import, or fetches for uploads. */
export interface UnwantedWork {
  importId: number
  taskId?: number
  isFetch?: boolean
}

interface StopDeps {
  broadcast: Broadcast
  running: RunningTable
}

/** Cancels it in this process and waits for its end; false if this process does not run it. */
async function stopHere(
  running: RunningTable,
  { importId, taskId, isFetch }: UnwantedWork,
): Promise<boolean> {
  if (isFetch !== true) return running.cancel(importId, taskId)
  await running.cancelRequests(importId)
  return false
}

/** Stops work on request of other processes. */
export function hearCancellations(deps: StopDeps): void {
  deps.broadcast.listen(topic, (body) => void stopHere(deps.running, body as UnwantedWork))
}

/** Cancels fetches for uploads of an import, here immediately and in other processes shortly after. */
export async function stopFetches(deps: StopDeps, importId: number): Promise<void> {
  const work = { importId, isFetch: true }
  deps.broadcast.tell(topic, work)
  await stopHere(deps.running, work)
}

/**
 * Stops work in any process and waits until it has stopped. `isOver` tells whether work of another process
 * has stopped; if that process has died, its successor gets the request. Throws `Failure` (`unavailable`) if
 * no process responds.
 */
export async function stopWork(
  deps: StopDeps,
  work: UnwantedWork,
  isOver: () => Promise<boolean>,
): Promise<void> {
  const began = performance.now()
  let reportedAt = Number.NEGATIVE_INFINITY
  while (!(await stopHere(deps.running, work)) && !(await isOver())) {
    const at = performance.now()
    if (at - began > patienceMs) {
      throw new Failure(
        'unavailable',
        'not-canceled',
        'The server that runs the work does not respond: try again',
      )
    }
    if (at - reportedAt >= tellEveryMs) {
      deps.broadcast.tell(topic, work)
      reportedAt = at
    }
    await delay(lookEveryMs)
  }
}
