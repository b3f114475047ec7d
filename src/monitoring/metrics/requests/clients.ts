import { labelMetric } from './request-metric.ts'

export const requestCountry = labelMetric({
  id: 9,
  name: 'request.country',
  description: 'Requests by country',
  label: ({ texts }) => texts.country,
})

export const requestRegion = labelMetric({
  id: 10,
  name: 'request.region',
  description: 'Requests by region',
  label: ({ texts }) => texts.region,
})

export const requestCity = labelMetric({
  id: 11,
  name: 'request.city',
  description: 'Requests by city',
  label: ({ texts }) => texts.city,
})

export const requestUsers = labelMetric({
  id: 3,
  name: 'request.users',
  description: 'Number of visitors',
  label: ({ texts }) => texts.visitor,
  user: ({ texts }) => texts.userName,
})

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
