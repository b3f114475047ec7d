import { SkippedRecord } from './fields.ts'
import type { SeriesTarget, TargetMetric } from './import-target.ts'

/** Meaning of a value of GeoNode if it differs from the meaning in the target. */
interface Difference {
  /** Values are readings of an increasing counter instead of the amount in the period. */
  isReading?: boolean
  /** Values are sums of the readings of a period. */
  isSum?: boolean
  /** Returns the label of the target; undefined for a label that counts nothing. */
  label?(label: string): string | undefined
}

const differences = new Map<string, Difference>([
  ['cpu.usage', { isReading: true }],
  ['network.in', { isReading: true }],
  ['network.out', { isReading: true }],
  ['uptime', { isSum: true }],
  ['request.path', { label: (path) => path.replace(/\?.*$/s, '') }],
  ['request.country', { label: (country) => (country === 'count' ? undefined : country) }],
])

/** A value of GeoNode. */
export interface ImportedValue {
  label: string
  value: number
  samples: number
  /** True if the value was aggregated from several collections. */
  isAggregated: boolean
}

/** A value of the target. */
export interface TranslatedValue {
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

/** True if values are readings of an increasing counter. */
export function isReading({ name }: TargetMetric): boolean {
  return differences.get(name)?.isReading === true
}

/** Translates a value; throws `SkippedRecord` if the target has no equivalent. */
export function translateValue(
  metric: TargetMetric,
  source: ImportedValue,
  target: Pick<SeriesTarget, 'keepAddress'>,
): TranslatedValue {
  if (!metric.isHost && source.value === 0 && (source.samples === 0 || isPlaceholder(metric, source)))
    throw new SkippedRecord(reasons.empty)
  if (source.isAggregated && !metric.isHost && metric.type === 'rate') throw new SkippedRecord(reasons.mean)
  if (source.isAggregated && isReading(metric)) throw new SkippedRecord(reasons.sumOfReadings)
  const samples = source.samples > 0 ? source.samples : metric.type === 'rate' ? 1 : Math.ceil(source.value)
  const value = differences.get(metric.name)?.isSum === true ? source.value / samples : source.value
  return { label: translateLabel(metric, source, target), value, samples }
}

function translateLabel(
  metric: TargetMetric,
  { label: text }: ImportedValue,
  target: Pick<SeriesTarget, 'keepAddress'>,
): string {
  if (!metric.isLabelled) return metric.defaultLabel
  const translate = differences.get(metric.name)?.label
  const label = translate === undefined ? text : translate(text)
  if (label === undefined) throw new SkippedRecord(reasons.empty)
  if (!metric.isAddress) return label
  const address = target.keepAddress(label)
  if (address === null) throw new SkippedRecord(reasons.privacy)
  return address
}

/** Placeholder row of a metric with labels that had none. */
function isPlaceholder(metric: TargetMetric, { label }: ImportedValue): boolean {
  return metric.isLabelled && (label === 'count' || label === '')
}
