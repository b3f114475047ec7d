import { hostname } from 'node:os'
import { MetricsExport } from '../api/metrics-export/metrics-export.ts'
import type { TelemetrySettings } from '../core/config/telemetry-settings.ts'
import { version } from '../core/config/version.ts'
import { FreeSpace } from '../core/files/free-space.ts'
import type { Nodes } from '../core/nodes/nodes.ts'
import type { Monitoring } from '../monitoring/index.ts'
import type { AppServices } from './services.ts'

/** Opens the metrics of this server, for `/metrics` and the export. */
export function openMetrics({
  events,
  nodes,
  importer,
  monitoring,
  directory,
  sources,
}: Pick<
  AppServices,
  'events' | 'nodes' | 'importer' | 'monitoring' | 'directory' | 'sources'
>): MetricsExport {
  const space = new FreeSpace(directory.root)
  return new MetricsExport({
    events,
    version,
    node: { id: nodes.id, host: hostname() },
    clockSkewMs: () => nodes.clockSkewMs,
    loads: () => importer.workload(),
    sources: () => sources.counts(),
    freeSpace: () => space.read(),
    monitoringLoad: monitoring && (() => loadOf(monitoring)),
  })
}

function loadOf(monitoring: Monitoring) {
  return {
    ...monitoring.load(),
    isDegraded: monitoring.health().status !== 'ok',
    collectionAge: monitoring.collectionAge(),
  }
}

/** Starts the export by OTLP if it is on. Its packages are loaded only then. */
export async function openExport(
  settings: TelemetrySettings | undefined,
  { id }: Pick<Nodes, 'id'>,
  metrics: Pick<MetricsExport, 'read'>,
  closers: (() => void | Promise<void>)[],
): Promise<void> {
  if (settings === undefined) return
  const { openTelemetry } = await import('../core/otlp/otlp.ts')
  const identity = { version, nodeId: id, host: hostname() }
  closers.push(openTelemetry(settings, identity, () => metrics.read()))
}
