import { labelMetric } from './request-metric.ts'

export const requestHost = labelMetric({
  id: 103,
  name: 'request.host',
  description: 'Requests by host name',
  label: ({ texts }) => texts.host,
})
