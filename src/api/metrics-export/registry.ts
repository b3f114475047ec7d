import type { ExportedMetric } from './exported-metric.ts'
import { layerRequests, requestDuration, requestsTotal, responseBytes } from './requests.ts'
import {
  buildInfo,
  clockSkew,
  diskFree,
  diskTotal,
  monitoringAge,
  monitoringDropped,
  monitoringUp,
  monitoringWaiting,
  nodeInfo,
} from './server.ts'
import { sourceRunsTotal, sourcesByState } from './sources.ts'
import {
  exceptionsTotal,
  heavyWorkRefused,
  heavyWorkSeconds,
  importsTotal,
  layersPublished,
  loadsQueued,
  loadsRunning,
  rowsLoaded,
  workEnded,
} from './work.ts'

/** In order of output. */
export const exportedMetrics: readonly ExportedMetric[] = [
  exceptionsTotal,
  workEnded,
  heavyWorkSeconds,
  heavyWorkRefused,
  buildInfo,
  nodeInfo,
  clockSkew,
  requestsTotal,
  requestDuration,
  responseBytes,
  layerRequests,
  importsTotal,
  layersPublished,
  rowsLoaded,
  loadsRunning,
  loadsQueued,
  sourcesByState,
  sourceRunsTotal,
  monitoringWaiting,
  monitoringDropped,
  monitoringAge,
  monitoringUp,
  diskFree,
  diskTotal,
]
