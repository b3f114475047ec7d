import { createLogCollector } from './access-log/log-collector.ts'
import { createMonitorCollector } from './geoserver/monitor-collector.ts'
import { createHostCollector } from './hosts/host-collector.ts'
import type { CollectedService, CreateCollector } from './service-collector.ts'

type Kind = CollectedService['source']['kind']

/** One entry per kind of source; this server's own requests are pushed. */
const makers: Record<Kind, CreateCollector> = {
  log: createLogCollector,
  'geoserver-monitor': createMonitorCollector,
  own: createHostCollector,
  'node-exporter': createHostCollector,
  'geoserver-status': createHostCollector,
}

export const createCollector: CreateCollector = (service, parts) =>
  makers[service.source.kind](service, parts)
