import type { Queryable } from '../../core/db/connection.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'
import { findImport, listTasks } from '../records/records.ts'
import type { CreateJobHandler } from './job-type.ts'

export const logImportJob = 'import.log'

/** Requests the job in the caller's transaction; the caller then calls `jobs.wake()`. */
export function requestImportLog(jobs: Jobs, db: Queryable, importId: number): Promise<number> {
  return jobs.enqueue(db, { kind: logImportJob, key: `import ${importId}`, payload: { importId } })
}

/** Logs the states of the tasks of an import. */
export const logImport: CreateJobHandler = ({ preparing: { log }, running: { records } }) => ({
  maxAttempts: 1,
  run: async (payload, { signal }) => {
    const importId = Number(payload.importId)
    const db = records.database.kysely
    if ((await findImport(db, importId)) === undefined) return
    const tasks = await listTasks(db, importId)
    signal.throwIfAborted()
    log.info({ importId, states: tasks.map(({ state }) => state) }, 'states of the tasks of an import')
  },
  abandoned: async (payload, reason) => log.warn({ importId: payload.importId, reason }, 'import not logged'),
})
