import type { LoadedMetric } from './request-metric.ts'
import { numberMetric } from './request-metric.ts'

export const request: LoadedMetric = {
  id: 1,
  name: 'request',
  type: 'rate',
  unit: 'Count',
  description: 'Requests',
  takenFrom: 'dumps',
  isLabelled: false,
}

export const requestCount = numberMetric({
  id: 2,
  name: 'request.count',
  type: 'count',
  unit: 'Count',
  description: 'Number of requests',
  number: ({ count }) => new Float64Array(count).fill(1),
})
