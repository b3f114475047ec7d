import type { Metric } from '../metrics/metrics.ts'
import { defaultLabel, isHostMetric } from '../metrics/metrics.ts'
import { SkippedRecord } from './fields.ts'

/** Returns the part of an address that may be stored; null for nothing. */
export type KeepAddress = (address: string) => string | null

export interface DumpPrivacy {
  keepAddress: KeepAddress
  /** Removes secrets and addresses from an exception text. */
  scrub(text: string): string
}

/** A stored value of the older system. */
export interface ImportedValue {
  label: string
  value: number
  samples: number
  /** True if the value was aggregated from several collections. */
  isAggregated: boolean
}

export interface Meant {
  label: string
  value: number
  samples: number
}

const reasons = {
  empty: 'it counts nothing',
  privacy: 'no addresses are kept (TERRANE_PRIVACY)',
  mean: 'a mean that the older system had aggregated without weights',
  sumOfReadings: 'a sum of readings of a counter',
}

/** Returns the meaning of an older value here; throws `SkippedRecord` if it has none. */
export function meaningOf(metric: Metric, older: ImportedValue, keepAddress: KeepAddress): Meant {
  const isOfHost = isHostMetric(metric)
  if (!isOfHost && older.value === 0 && (older.samples === 0 || isPlaceholder(metric, older)))
    throw new SkippedRecord(reasons.empty)
  if (older.isAggregated && !isOfHost && metric.type === 'rate') throw new SkippedRecord(reasons.mean)
  if (older.isAggregated && metric.older?.isReading === true) throw new SkippedRecord(reasons.sumOfReadings)
  const samples = older.samples > 0 ? older.samples : metric.type === 'rate' ? 1 : Math.ceil(older.value)
  const value = metric.older?.isSum === true ? older.value / samples : older.value
  return { label: labelOf(metric, older, keepAddress), value, samples }
}

function labelOf(metric: Metric, { label }: ImportedValue, keepAddress: KeepAddress): string {
  if (!metric.isLabelled) return defaultLabel(metric)
  const known = metric.older?.label === undefined ? label : metric.older.label(label)
  if (known === undefined) throw new SkippedRecord(reasons.empty)
  if (metric.takenFrom !== 'labels' || !metric.isAddress) return known
  const kept = keepAddress(known)
  if (kept === null) throw new SkippedRecord(reasons.privacy)
  return kept
}

/** Placeholder row of a metric with labels that had none. */
function isPlaceholder(metric: Metric, { label }: ImportedValue): boolean {
  return metric.isLabelled && (label === 'count' || label === '')
}
