import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { RejectListOptions } from './list-rejects.ts'
import { listRejects } from './list-rejects.ts'
import type { RejectFileRequest } from './write-rejects.ts'

const handlers = {
  list: ({ path, ...wish }: RejectListOptions & { path: string }, { signal }: CallContext) =>
    listRejects(path, wish, signal),
  write: async (wish: RejectFileRequest, { signal }: CallContext) => {
    const { writeRejects } = await import('./write-rejects.ts')
    return writeRejects(wish, signal)
  },
}

export type RejectWork = typeof handlers

serveWork(handlers)
