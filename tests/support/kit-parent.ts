import { serveWork } from '../../src/core/workers/serve-work.ts'
import { startProcess } from '../../src/core/workers/start-process.ts'
import type { KitWork } from './kit-worker.ts'

const file = new URL('./kit-worker.ts', import.meta.url)

/** Process with child processes: one stays inside SQLite forever, one waits. */
const handlers = {
  pid: () => process.pid,
  startBusy: async () => {
    const pids: number[] = []
    for (const work of ['spinInSqlite', 'wait'] as const) {
      const child = startProcess<KitWork>(file)
      pids.push(await child.call('pid'))
      child.call(work).catch(() => undefined)
    }
    return pids
  },
}

export type ParentWork = typeof handlers

serveWork(handlers)
