import { labelMetric } from './request-metric.ts'

export const requestIp = labelMetric({
  id: 4,
  name: 'request.ip',
  description: 'Requests by client address',
  label: ({ texts }) => texts.clientIp,
  isAddress: true,
})

export const requestUserAgent = labelMetric({
  id: 5,
  name: 'request.ua',
  description: 'Requests by user agent',
  label: ({ texts }) => texts.userAgent,
})

export const requestUserAgentFamily = labelMetric({
  id: 6,
  name: 'request.ua.family',
  description: 'Requests by family of user agents',
  label: ({ texts }) => texts.userAgentFamily,
})
