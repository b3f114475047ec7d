import { Counter, Gauge } from 'prom-client'
import type { Space } from '../../core/files/free-space.ts'
import type { ExportedMetric, ExportSources, MonitoringLoad } from './exported-metric.ts'
import { gauge } from './exported-metric.ts'

const build = { name: 'terrane_build_info', help: 'Versions of Terrane and of Node.' }

export const buildInfo: ExportedMetric = {
  ...build,
  add: (registry, { version }) => {
    const labelNames = ['version', 'node'] as const
    new Gauge({ ...build, labelNames, registers: [registry] }).set(
      { version, node: process.versions.node },
      1,
    )
    return []
  },
}

const node = { name: 'terrane_node_info', help: 'Id of the server, new at each start, and its machine.' }

export const nodeInfo: ExportedMetric = {
  ...node,
  add: (registry, sources) => {
    const labelNames = ['id', 'host'] as const
    new Gauge({ ...node, labelNames, registers: [registry] }).set(sources.node, 1)
    return []
  },
}

export const clockSkew = gauge(
  { name: 'terrane_clock_skew_seconds', help: 'Clock of the server minus that of the catalogue database.' },
  ({ clockSkewMs }) =>
    () =>
      clockSkewMs() / 1000,
)

export const diskFree = gauge(
  { name: 'terrane_disk_free_bytes', help: 'Free bytes on the disk of the data directory.' },
  ofDisk(({ freeBytes }) => freeBytes),
)

export const diskTotal = gauge(
  { name: 'terrane_disk_total_bytes', help: 'Bytes of the disk of the data directory.' },
  ofDisk(({ totalBytes }) => totalBytes),
)

export const monitoringWaiting = gauge(
  { name: 'terrane_monitoring_waiting_requests', help: 'Requests in the queue of monitoring.' },
  ofMonitoring(({ waiting }) => waiting),
)

const dropped = {
  name: 'terrane_monitoring_dropped_requests_total',
  help: 'Requests that monitoring did not record because its queue was full.',
}

export const monitoringDropped: ExportedMetric = {
  ...dropped,
  add: (registry, { monitoringLoad }) => {
    if (monitoringLoad === undefined) return []
    new Counter({
      ...dropped,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(monitoringLoad().dropped)
      },
    })
    return []
  },
}

export const monitoringAge = gauge(
  {
    name: 'terrane_monitoring_last_collection_age_seconds',
    help: 'Seconds since monitoring last collected.',
  },
  ofMonitoring(({ collectionAge }) => collectionAge),
)

export const monitoringUp = gauge(
  { name: 'terrane_monitoring_up', help: '1 while every part of monitoring works.' },
  ofMonitoring(({ isDegraded }) => (isDegraded ? 0 : 1)),
)

function ofDisk(read: (space: Space) => number) {
  return ({ freeSpace }: ExportSources) =>
    freeSpace &&
    (async () => {
      const space = await freeSpace()
      return space && read(space)
    })
}

function ofMonitoring(read: (load: MonitoringLoad) => number | undefined) {
  return ({ monitoringLoad }: ExportSources) => monitoringLoad && (() => read(monitoringLoad()))
}
