import { createLogCollector } from './access-log/log-collector.ts'
import { createMonitorCollector } from './geoserver/monitor-collector.ts'
import { createHostCollector } from './hosts/host-collector.ts'
import type { CollectedService, CollectorParts, ServiceCollector } from './service-collector.ts'

type Kind = CollectedService['source']['kind']

/** One line for each kind of source; this server's own requests are pushed. */
const makers: Partial<
  Record<Kind, (service: CollectedService, parts: CollectorParts) => ServiceCollector | undefined>
> = {
  log: createLogCollector,
  'geoserver-monitor': createMonitorCollector,
  own: createHostCollector,
  'node-exporter': createHostCollector,
  'geoserver-status': createHostCollector,
}

/** Makes the collector of a service; undefined for one whose numbers are pushed. */
export function createCollector(
  service: CollectedService,
  parts: CollectorParts,
): ServiceCollector | undefined {
  return makers[service.source.kind]?.(service, parts)
}
