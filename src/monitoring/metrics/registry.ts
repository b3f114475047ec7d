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

/** In the order in which they are listed. A new metric takes an id that none ever had: the next here is 103. */
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

/** The next id here is 202. */
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
