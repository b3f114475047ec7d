import { labelMetric, numberMetric } from './request-metric.ts'

export const responseStatus = labelMetric({
  id: 12,
  name: 'response.status',
  description: 'Responses by status',
  label: ({ statuses }) => statuses,
})

export const responseTime = numberMetric({
  id: 13,
  name: 'response.time',
  type: 'rate',
  unit: 'ms',
  description: 'Response time',
  number: ({ milliseconds }) => milliseconds,
  hasQuantiles: true,
})

/** Excludes the time in which the client reads the response. */
export const responseFirstByte = numberMetric({
  id: 101,
  name: 'response.first_byte',
  type: 'rate',
  unit: 'ms',
  description: 'Time to first byte',
  number: ({ firstByteMilliseconds }) => firstByteMilliseconds,
  hasQuantiles: true,
})

export const responseSize = numberMetric({
  id: 14,
  name: 'response.size',
  type: 'rate',
  unit: 'B',
  description: 'Response size',
  number: ({ sizes }) => sizes,
})
