import { labelMetric } from './request-metric.ts'

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
