import { workerData } from 'node:worker_threads'
import { answerCalls } from '../../lib/worker-calls.ts'
import { createSeriesWriter } from '../series/series-writer.ts'
import type { CollectorSettings } from './collector.ts'
import { Collector } from './collector.ts'
import type { OwnBatch } from './own/append-own.ts'
import type { CollectedService } from './service-collector.ts'

const settings: CollectorSettings = workerData
const collector = new Collector(settings, createSeriesWriter, (level, facts, message) =>
  tell({ level, facts, message }),
)

const tell = answerCalls({
  own: (batch: OwnBatch) => collector.takeOwn(batch),
  services: (services: CollectedService[]) => collector.setServices(services),
  removeService: (id: number) => collector.removeService(id),
  tick: (now: number) => collector.tick(now),
  catchUp: (now: number) => collector.catchUp(now),
  close: () => collector.close(),
})
