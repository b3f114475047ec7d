import { setTimeout as pause } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import type { CallContext } from '../../src/core/workers/handlers.ts'
import { serveWork } from '../../src/core/workers/serve-work.ts'

/** Data of a start. */
export interface ResetData {
  name: string
  /** False: the thread serves one starter alone. */
  isReusable: boolean
}

const closed: string[] = []

function handlersOf({ name }: ResetData) {
  return {
    read: () => ({ threadId, name, closed }),
    wait: (_argument: unknown, { signal }: CallContext) => pause(60_000, undefined, { signal }),
  }
}

/** Handlers of a thread that can serve several starters. */
export type ResetWork = ReturnType<typeof handlersOf>

serveWork<ResetWork, ResetData>((data, _tell, allowReset) => {
  if (data.isReusable) allowReset(async () => void closed.push(data.name))
  return handlersOf(data)
})
