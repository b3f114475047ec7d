import type { MetricFacts } from '../metric.ts'
import { defaultLabel } from '../metric.ts'
import type { HostAmounts, HostReading } from './host-reading.ts'

interface HostValue {
  label: string
  value: number
}

/** A number that hosts tell. */
export interface HostMetric extends MetricFacts {
  takenFrom: 'host'
  /**
   * Its values at a reading; what is negative or not a number is left out. `since` is absent at the first reading of a
   * host.
   */
  values(reading: HostReading, since: HostAmounts | undefined): HostValue[]
}

type Facts = Omit<MetricFacts, 'isLabelled'>

/** One number of the whole host; undefined where it is not told. */
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

/** A number of each disk, each interface and the like. */
export function partOfHostMetric(facts: Facts, values: HostMetric['values']): HostMetric {
  return { ...facts, takenFrom: 'host', isLabelled: true, values }
}

/** Rates over less than this say nothing. */
const minSeconds = 1

export function perSecond(amount: number, { seconds }: HostAmounts): number | undefined {
  return seconds >= minSeconds ? amount / seconds : undefined
}
