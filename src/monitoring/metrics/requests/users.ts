import { labelMetric } from './request-metric.ts'

export const requestUsers = labelMetric({
  id: 3,
  name: 'request.users',
  description: 'Number of visitors',
  label: ({ texts }) => texts.visitor,
  user: ({ texts }) => texts.userName,
})
