import type { LoadedMetric } from './request-metric.ts'
import { labelMetric, numberMetric } from './request-metric.ts'

export const responseErrorCount = numberMetric({
  id: 15,
  name: 'response.error.count',
  type: 'count',
  unit: 'Count',
  description: 'Number of errors',
  number: ({ count, texts: { errorType } }) => {
    const errors = new Float64Array(count)
    for (let row = 0; row < count; row += 1)
      if (errorType.values[errorType.indexes?.[row] ?? 0] !== null) errors[row] = 1
    return errors
  },
})

export const responseErrorTypes = labelMetric({
  id: 16,
  name: 'response.error.types',
  description: 'Errors by type',
  label: ({ texts }) => texts.errorType,
  isPartial: true,
})

export const requestPath = labelMetric({
  id: 7,
  name: 'request.path',
  description: 'Requests by path',
  label: ({ texts }) => texts.path,
})

export const requestMethod = labelMetric({
  id: 8,
  name: 'request.method',
  description: 'Requests by method',
  label: ({ texts }) => texts.method,
})

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
