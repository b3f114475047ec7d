import type { HostMetric } from './host-metric.ts'
import { partOfHostMetric, perSecond } from './host-metric.ts'
import type { Traffic } from './host-reading.ts'

export const networkIn = partOfHostMetric(
  { id: 32, name: 'network.in', type: 'count', unit: 'B', description: 'Received bytes' },
  amounts(({ received }) => received),
)

export const networkOut = partOfHostMetric(
  { id: 33, name: 'network.out', type: 'count', unit: 'B', description: 'Sent bytes' },
  amounts(({ sent }) => sent),
)

export const networkInRate = partOfHostMetric(
  { id: 34, name: 'network.in.rate', type: 'rate', unit: 'B/s', description: 'Received bytes a second' },
  rates(({ received }) => received),
)

export const networkOutRate = partOfHostMetric(
  { id: 35, name: 'network.out.rate', type: 'rate', unit: 'B/s', description: 'Sent bytes a second' },
  rates(({ sent }) => sent),
)

function amounts(bytesOf: (traffic: Traffic) => number): HostMetric['values'] {
  return (_reading, since) =>
    (since?.traffic ?? []).map((traffic) => ({ label: traffic.label, value: bytesOf(traffic) }))
}

function rates(bytesOf: (traffic: Traffic) => number): HostMetric['values'] {
  return (_reading, since) =>
    (since?.traffic ?? []).flatMap((traffic) => {
      const value = since && perSecond(bytesOf(traffic), since)
      return value === undefined ? [] : [{ label: traffic.label, value }]
    })
}
