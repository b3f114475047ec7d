import type { Course, Line } from '../../charts/course.ts'
import type { Period } from '../../lib/day-periods.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import type { Amount, Answered, Filters } from './ask-metric.ts'
import { amountOf, amountsBy, askMetric } from './ask-metric.ts'
import type { Choices, Grouping, Windows } from './choices.ts'
import type { Metric } from './metrics.ts'
import { shownName } from './names.ts'

export const maxParts = 5

/** A time series with its notes. */
export interface SeriesResult {
  course: Course
  total: number | null
  totalBefore: number | null
  /** Period of some values in seconds, if longer than the requested periods. */
  resolution?: number
  /** Number of parts of a split. */
  parts: number
}

/** The filters of the address, as `metric_data` takes them. */
export function filtersOf({ service, resource, label, event, isWithPages }: Choices): Filters {
  return {
    isWithoutPages: isWithPages ? undefined : true,
    service: service || undefined,
    resource: resource ? (resource.split(' ')[0] ?? '') : undefined,
    label: label || undefined,
    event_type: event || undefined,
  }
}

/** Without a label, the value of a labelled metric is the number of distinct labels. */
export function wholeOf(metric: Metric, choices: Choices): Filters {
  const filters = filtersOf(choices)
  if (metric.isOfHosts) return { ...filters, isWithoutPages: false }
  return countsDifferent(metric, choices) ? { ...filters, group_by: 'label', isWithoutPages: false } : filters
}

/** True if the number of distinct labels is shown, which cannot be restricted to the pages' own requests. */
export function countsDifferent(metric: Metric, { label }: Choices): boolean {
  return metric.isLabelled && label === undefined
}

export async function askSeries(
  metric: Metric,
  choices: Choices,
  windows: Windows,
  services: readonly string[],
  signal: AbortSignal,
): Promise<SeriesResult> {
  const { periods, before, window } = windows
  const isSplit = choices.grouping !== 'none'
  const texts = usageTexts.value
  if (isSplit) return askParts(metric, choices, windows, services, signal)
  const filters = wholeOf(metric, choices)
  const [now, earlier, whole, wholeBefore] = await Promise.all([
    askMetric(metric.name, periods, filters, signal),
    choices.isCompared ? askMetric(metric.name, before, filters, signal) : undefined,
    askMetric(metric.name, [window], filters, signal),
    choices.isCompared ? askMetric(metric.name, [joined(before)], filters, signal) : undefined,
  ])
  const lines: Line[] = [{ name: texts.now, kind: 'now', values: valuesOf(now, metric) }]
  if (earlier !== undefined)
    lines.push({ name: texts.before, kind: 'before', values: valuesOf(earlier, metric) })
  return {
    course: { periods, lines, unit: now.unit },
    total: amountOf(whole.rows[0] ?? [], whole.type),
    totalBefore: wholeBefore === undefined ? null : amountOf(wholeBefore.rows[0] ?? [], wholeBefore.type),
    ...resolutionOf(now, earlier),
    parts: 1,
  }
}

function joined(periods: readonly Period[]): Period {
  return { from: periods[0]?.from ?? 0, to: periods.at(-1)?.to ?? 60_000 }
}

function resolutionOf(...all: (Answered | undefined)[]): { resolution?: number } {
  const known = all.flatMap((one) => one?.resolution ?? [])
  return known.length === 0 ? {} : { resolution: Math.max(...known) }
}

/** Sums without rows are 0; measured values without rows are unknown. */
function valuesOf({ rows, type }: Answered, metric: Metric): (number | null)[] {
  return rows.map((own) => amountOf(own, type) ?? (metric.isOfHosts || type === 'rate' ? null : 0))
}

async function askParts(
  metric: Metric,
  choices: Choices,
  { periods, window }: Windows,
  services: readonly string[],
  signal: AbortSignal,
): Promise<SeriesResult> {
  const parts = await listParts(metric, choices, window, services, signal)
  const answers = await Promise.all(
    parts
      .slice(0, maxParts)
      .map(async ({ key, name }) => ({
        name,
        answered: await askMetric(metric.name, periods, partFilters(metric, choices, key), signal),
      })),
  )
  const lines = answers.map(
    ({ name, answered }): Line => ({
      name: shownName(metric.name, choices.grouping, name),
      kind: 'part',
      values: valuesOf(answered, metric),
    }),
  )
  return {
    course: { periods, lines, unit: answers[0]?.answered.unit ?? metric.unit },
    total: null,
    totalBefore: null,
    ...resolutionOf(...answers.map(({ answered }) => answered)),
    parts: parts.length,
  }
}

/** Returns the request for one part. */
function partFilters(metric: Metric, choices: Choices, key: string): Filters {
  const filters = wholeOf(metric, choices)
  if (choices.grouping === 'layer') return { ...filters, resource: key }
  if (choices.grouping === 'event') return { ...filters, event_type: key }
  if (choices.grouping === 'service') return { ...filters, service: key }
  const { group_by: _whole, ...plain } = filters
  return { ...plain, isWithoutPages: !metric.isOfHosts && !choices.isWithPages, label: key }
}

/** Parts by their amount over the window. */
async function listParts(
  metric: Metric,
  choices: Choices,
  window: Period,
  services: readonly string[],
  signal: AbortSignal,
): Promise<Amount[]> {
  const filters = { ...filtersOf(choices), isWithoutPages: wholeOf(metric, choices).isWithoutPages ?? false }
  const ask = (more: Filters): Promise<Answered> =>
    askMetric(metric.name, [window], { ...filters, ...more }, signal)
  if (choices.grouping === 'service') {
    const requested = services.filter((one) => choices.service === undefined || one === choices.service)
    const found = await Promise.all(
      requested.slice(0, maxServices).map(async (name): Promise<Amount[]> => {
        const { rows, type } = await ask({ ...wholeOf(metric, choices), service: name })
        const value = amountOf(rows[0] ?? [], type)
        return value === null ? [] : [{ key: name, name, value }]
      }),
    )
    return found.flat().sort((a, b) => b.value - a.value)
  }
  const isCounted = countsDifferent(metric, choices)
  const split: Partial<Record<Grouping, Filters>> = {
    layer: { group_by: isCounted ? 'resource_no_label' : 'resource', resource_type: 'layer' },
    event: { group_by: isCounted ? 'event_type_on_label' : 'event_type' },
  }
  const key = { layer: 'resource', event: 'event', label: 'label', none: 'label' } as const
  const { grouping } = choices
  const byLabel = grouping === 'label' && !metric.isOfHosts ? { isWithoutPages: !choices.isWithPages } : {}
  const { rows, type } = await ask(split[grouping] ?? byLabel)
  return amountsBy(rows[0] ?? [], key[grouping], type).filter(
    (one) => grouping !== 'event' || !cumulative.has(one.key),
  )
}

/** Kinds of requests that hold others. */
const cumulative = new Set(['all', 'other', 'OWS:ALL'])
/** Each service is requested separately. */
const maxServices = 30
