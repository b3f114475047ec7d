import type { HostMetric } from './hosts/host-metric.ts'
import { load1, load5, load15, uptime } from './hosts/load.ts'
import { memoryAll, memoryBuffers, memoryFree, memoryUsage, memoryUsagePercent } from './hosts/memory.ts'
import { networkIn, networkInRate, networkOut, networkOutRate } from './hosts/network.ts'
import { cpuUsage, cpuUsagePercent, cpuUsageRate } from './hosts/processors.ts'
import { skippedLines } from './hosts/skipped-lines.ts'
import { storageFree, storageTotal, storageUsagePercent, storageUsed } from './hosts/storage.ts'
import {
  requestCity,
  requestCountry,
  requestIp,
  requestRegion,
  requestUserAgent,
  requestUserAgentFamily,
  requestUsers,
} from './requests/clients.ts'
import type { RequestMetric } from './requests/request-metric.ts'
import {
  request,
  requestCount,
  requestMethod,
  requestPath,
  responseErrorCount,
  responseErrorTypes,
} from './requests/requests.ts'
import { responseFirstByte, responseSize, responseStatus, responseTime } from './requests/responses.ts'

/**
 * Metrics in listing order. A new metric gets an id that was never used: the next one in this list is 103.
 */
export const applicationMetrics: readonly RequestMetric[] = [
  request,
  requestCount,
  requestUsers,
  requestIp,
  requestUserAgent,
  requestUserAgentFamily,
  requestPath,
  requestMethod,
  requestCountry,
  requestRegion,
  requestCity,
  responseStatus,
  responseTime,
  responseSize,
  responseErrorCount,
  responseErrorTypes,
  responseFirstByte,
]

/** Metrics of services whose access log is read; ids like those of applications. */
export const logMetrics: readonly HostMetric[] = [skippedLines]

/** Metrics of hosts. The next id in this list is 202. */
export const hostMetrics: readonly HostMetric[] = [
  load1,
  load5,
  load15,
  memoryAll,
  memoryFree,
  memoryUsage,
  memoryUsagePercent,
  memoryBuffers,
  uptime,
  cpuUsage,
  cpuUsageRate,
  cpuUsagePercent,
  storageTotal,
  storageUsed,
  storageFree,
  networkIn,
  networkOut,
  networkInRate,
  networkOutRate,
  storageUsagePercent,
]
