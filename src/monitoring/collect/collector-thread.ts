import type { Tell } from '../../core/workers/serve-work.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import { createSeriesWriter } from '../series/series-writer.ts'
import type { CollectorSettings } from './collector.ts'
import { Collector } from './collector.ts'
import type { RequestBatch } from './server/append-requests.ts'
import type { CollectedService } from './service-collector.ts'

function handlersOf(settings: CollectorSettings, tell: Tell, allowReset: () => void) {
  // The server calls `close` before it ends the thread.
  allowReset()

  const collector = new Collector(settings, createSeriesWriter, (level, facts, message) =>
    tell({ level, facts, message }),
  )
  return {
    own: (batch: RequestBatch) => collector.takeOwn(batch),
    services: (services: CollectedService[]) => collector.setServices(services),
    removeService: (id: number) => collector.removeService(id),
    tick: (now: number) => collector.tick(now),
    catchUp: (now: number) => collector.catchUp(now),
    close: () => collector.close(),
  }
}

/** Handlers of the collector thread. */
export type CollectorWork = ReturnType<typeof handlersOf>

serveWork<CollectorWork, CollectorSettings>(handlersOf)
