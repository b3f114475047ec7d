import type { MapServerKind } from '../../core/config/map-servers.ts'
import type { Say } from '../../core/errors/problems.ts'
import type { ServiceType } from '../model/service-types.ts'
import type { SeriesWriter } from '../series/series.ts'
import type { Classifier } from './classify/raw-request.ts'

/** Source of a service: `ServiceSource` with its secrets in clear, for the collector thread. */
export type CollectedSource =
  | { kind: 'own' }
  | { kind: 'log'; path: string }
  | { kind: 'geoserver-monitor'; url: string; user?: string; password?: string }
  | { kind: 'node-exporter'; url: string; user?: string; password?: string }
  | { kind: 'geoserver-status'; url: string; user?: string; password?: string }

/** A service in the collector thread: plain data. Never log one completely, since it contains passwords. */
export interface CollectedService {
  id: number
  name: string
  type: ServiceType
  url: string
  checkIntervalSeconds: number
  source: CollectedSource
  /** Kind of map server; absent if unknown. */
  server?: MapServerKind
}

export interface CollectorDeps {
  /** Writer that all collectors of the thread share; it serializes calls. */
  writer: Pick<SeriesWriter, 'append' | 'cursor'>
  classifier: Classifier
  log: Say
}

export interface CollectReport {
  /** True if more data are available after a bounded piece was read; `collect` is then called again soon. */
  hasMore?: boolean
  /** Problems of a poll that still collected something, such as unreadable lines; without secrets. */
  problems?: string[]
}

/**
 * Reads one service. Calls never overlap and have a time limit: when `signal` aborts, `collect` ends soon. An
 * error is stored as the service's problem, logged, and the poll is repeated at the next interval.
 */
export interface ServiceCollector {
  /** Reads data that are new at `now` (milliseconds since 1970) and appends them to the series. */
  collect(now: number, signal: AbortSignal): Promise<CollectReport>
  close(): Promise<void>
}

/** Creates the collector of a service; undefined for services whose data are pushed. */
export type CreateCollector = (
  service: CollectedService,
  parts: CollectorDeps,
) => ServiceCollector | undefined
