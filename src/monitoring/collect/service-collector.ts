import type { MapServerKind } from '../../config/map-servers.ts'
import type { Say } from '../../lib/problems.ts'
import type { ServiceType } from '../model/service-types.ts'
import type { SeriesWriter } from '../series/series.ts'
import type { Classifier } from './classify/raw-request.ts'

/** How a service is read: `ServiceSource` with its secrets revealed, since it passes to the collector thread. */
export type CollectedSource =
  | { kind: 'own' }
  | { kind: 'log'; path: string }
  | { kind: 'geoserver-monitor'; url: string; user?: string; password?: string }
  | { kind: 'node-exporter'; url: string; user?: string; password?: string }
  | { kind: 'geoserver-status'; url: string; user?: string; password?: string }

/** A service as the collector thread knows it: plain data. Never log one whole, since it holds passwords. */
export interface CollectedService {
  id: number
  name: string
  type: ServiceType
  url: string
  checkIntervalSeconds: number
  source: CollectedSource
  /** What kind of map server it is; absent where nothing tells. */
  server?: MapServerKind
}

export interface CollectorParts {
  /** Shared with the rest of the thread, which keeps its calls apart. */
  writer: Pick<SeriesWriter, 'append' | 'cursor'>
  classifier: Classifier
  log: Say
}

export interface CollectReport {
  /** True: a bounded piece was read and more is there; `collect` is called again soon. */
  hasMore?: boolean
  /** What went wrong though something was collected, such as lines that could not be read; without secrets. */
  problems?: string[]
}

/**
 * Reads one service. Calls never overlap and have a time limit of their own: when `signal` aborts, `collect` ends soon.
 * Whatever it throws is kept as the service's problem, logged, and tried again at the next turn.
 */
export interface ServiceCollector {
  /** Takes what is new by `now` (milliseconds since 1970) and appends it. */
  collect(now: number, signal: AbortSignal): Promise<CollectReport>
  close(): Promise<void>
}

/** Makes the collector of a service; undefined for one whose numbers are pushed. */
export type CreateCollector = (
  service: CollectedService,
  parts: CollectorParts,
) => ServiceCollector | undefined
