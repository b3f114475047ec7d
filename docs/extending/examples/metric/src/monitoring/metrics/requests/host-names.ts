import { labelMetric } from './request-metric.ts'

export const requestHost = labelMetric({
  ...{ id: 101, name: 'request.host', description: 'Requests by host name' },
  label: ({ texts }) => texts.host,
})
