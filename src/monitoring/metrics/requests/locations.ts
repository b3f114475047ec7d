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
