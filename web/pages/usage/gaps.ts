import type { Period } from '../../lib/day-periods.ts'
import { periodsBetween } from '../../lib/day-periods.ts'
import { askMetric } from './ask-metric.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const longest = 400 * dayMs

/** Periods with and without measurements. */
export interface Measured {
  /** The first measurement of the window, where it is later than its beginning. */
  since?: number
  gaps: Period[]
}

/**
 * Returns the periods without measurements: the host of this server is read every minute, so hours without a
 * reading are hours in which the server did not run. For older times, of which only days are stored, whole
 * days.
 */
export async function askMeasured(window: Period, signal: AbortSignal): Promise<Measured> {
  const step =
    window.to - window.from > 31 * dayMs ? 'day' : window.to - window.from > dayMs * 2 ? 'hour' : 'quarter'
  const periods = periodsBetween(window, step)
  const { rows } = await askMetric('uptime', periods, { service_type: 'hostapp' }, signal)
  const first = rows.findIndex((own) => own.length > 0)
  if (first < 0) return { gaps: [] }
  const gaps: Period[] = []
  for (const [at, period] of periods.entries()) {
    // The last period may have just begun.
    if (at <= first || at === periods.length - 1 || (rows[at]?.length ?? 0) > 0) continue
    const last = gaps.at(-1)
    if (last?.to === period.from) last.to = period.to
    else gaps.push({ ...period })
  }
  const since = periods[first]?.from
  return { gaps, since: first > 0 && since !== undefined ? since : undefined }
}

/** Returns when collection began, within the hours of `span`; its start if there are earlier data. */
export async function askBegan(
  span: Period,
  periods: readonly Period[],
  signal: AbortSignal,
): Promise<number> {
  const earlier = { from: span.from - longest, to: span.from }
  const ask = async (periods: readonly Period[]): Promise<boolean[]> => {
    const [requests, readings] = await Promise.all([
      askMetric('request.count', periods, {}, signal),
      askMetric('uptime', periods, { service_type: 'hostapp' }, signal),
    ])
    return periods.map((_, at) => (requests.rows[at]?.length ?? 0) + (readings.rows[at]?.length ?? 0) > 0)
  }
  if ((await ask([earlier])).includes(true)) return span.from
  const first = (await ask(periods)).indexOf(true)
  return periods[Math.max(0, first)]?.from ?? span.from
}

/** True if no request was ever counted. */
export async function askIsEmpty(signal: AbortSignal): Promise<boolean> {
  const to = Math.floor(Date.now() / 60_000) * 60_000
  const window = { from: Math.floor((to - longest) / hourMs) * hourMs, to }
  const { rows } = await askMetric('request.count', [window], {}, signal)
  return (rows[0]?.length ?? 0) === 0
}

/** Returns the total hours of gaps. */
export function hoursOf(gaps: readonly Period[]): number {
  return gaps.reduce((sum, { from, to }) => sum + to - from, 0) / hourMs
}
