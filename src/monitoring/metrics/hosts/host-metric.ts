import type { MetricFacts } from '../metric.ts'
import { defaultLabel } from '../metric.ts'
import type { HostAmounts, HostReading } from './host-reading.ts'

interface HostValue {
  label: string
  value: number
}

/** A metric read from hosts. */
export interface HostMetric extends MetricFacts {
  takenFrom: 'host'
  /**
   * Returns its values at a reading. Negative values and NaN are ignored. `since` is absent at the first
   * reading of a host.
   */
  values(reading: HostReading, since: HostAmounts | undefined): HostValue[]
}

type Facts = Omit<MetricFacts, 'isLabelled'>

/** Defines a metric of the whole host; undefined if the host does not report it. */
export function wholeHostMetric(
  facts: Facts,
  value: (reading: HostReading, since: HostAmounts | undefined) => number | undefined,
): HostMetric {
  const label = defaultLabel(facts)
  return {
    ...facts,
    takenFrom: 'host',
    isLabelled: false,
    values: (reading, since) => {
      const found = value(reading, since)
      return found === undefined ? [] : [{ label, value: found }]
    },
  }
}

/** Defines a metric with one value for each disk, interface or similar part of a host. */
export function partOfHostMetric(facts: Facts, values: HostMetric['values']): HostMetric {
  return { ...facts, takenFrom: 'host', isLabelled: true, values }
}

/** Rates over shorter intervals are meaningless. */
const minSeconds = 1

export function perSecond(amount: number, { seconds }: HostAmounts): number | undefined {
  return seconds >= minSeconds ? amount / seconds : undefined
}
