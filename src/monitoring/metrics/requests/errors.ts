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
