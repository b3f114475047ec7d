import type { CallContext } from '../../core/workers/handlers.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { RejectListOptions } from './list-rejects.ts'
import { listRejects } from './list-rejects.ts'
import type { RejectFileRequest } from './write-rejects.ts'

const handlers = {
  list: ({ path, ...request }: RejectListOptions & { path: string }, { signal }: CallContext) =>
    listRejects(path, request, signal),
  write: async (request: RejectFileRequest, { signal }: CallContext) => {
    const { writeRejects } = await import('./write-rejects.ts')
    return writeRejects(request, signal)
  },
}

export type RejectWork = typeof handlers

serveWork(handlers)
