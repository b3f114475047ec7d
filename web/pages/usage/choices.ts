import type { Period, PeriodStep } from '../../lib/day-periods.ts'
import { dayStart, daysLater, periodsBetween } from '../../lib/day-periods.ts'

export const spans = ['24h', '7d', '30d', '12m', 'range'] as const
type Span = (typeof spans)[number]
export const groupings = ['none', 'layer', 'label', 'event', 'service'] as const
export type Grouping = (typeof groupings)[number]

/** Selected data; the address contains all of it. */
export interface Choices {
  metric: string
  grouping: Grouping
  span: Span
  /** First and last day of `range`, as `2026-11-22`. */
  from?: string
  to?: string
  zoom?: Period
  isCompared: boolean
  /** True to include requests of the server's own pages. */
  isWithPages: boolean
  service?: string
  /** Id of a layer or another resource, with its name behind. */
  resource?: string
  label?: string
  event?: string
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Choices that an address has; what is not a choice is as if it were not there. */
export function choicesOf(query: URLSearchParams): Choices {
  const text = (name: string): string | undefined => query.get(name)?.slice(0, 12_000) || undefined
  const day = (name: string): string | undefined => {
    const given = text(name)
    return given !== undefined && startOf(given) !== undefined ? given : undefined
  }
  const zoom = zoomOf(text('zoom'))
  const [from, to] = [day('from'), day('to')]
  const [service, resource, label, event] = [text('service'), text('resource'), text('label'), text('event')]
  return {
    metric: text('metric') ?? 'request.count',
    grouping: groupings.find((one) => one === query.get('by')) ?? 'none',
    span: spans.find((one) => one === query.get('span')) ?? '30d',
    isCompared: query.get('compare') !== 'no',
    isWithPages: query.get('pages') === 'yes',
    from: from || undefined,
    to: to || undefined,
    zoom,
    service: service || undefined,
    resource: resource || undefined,
    label: label || undefined,
    event: event || undefined,
  }
}

/** Formats a zoomed period for the address. */
export function zoomText({ from, to }: Period): string {
  const text = (time: number): string => `${new Date(time).toISOString().slice(0, 16)}Z`
  return `${text(from)}~${text(to)}`
}

function zoomOf(text: string | undefined): Period | undefined {
  const [from = Number.NaN, to = Number.NaN] = (text ?? '').split('~').map((one) => Date.parse(one))
  return to - from >= minuteMs && to - from < 3700 * dayMs ? { from, to } : undefined
}

/** Midnight here of a day such as `2026-11-22`. */
function startOf(day: string): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.map(Number) ?? []
  if (year === undefined || month === undefined || date === undefined) return undefined
  const time = new Date(year, month - 1, date).getTime()
  return Number.isNaN(time) ? undefined : time
}

/** The selected window in periods, and the previous one of the same length. */
export interface Windows {
  window: Period
  step: PeriodStep
  periods: Period[]
  before: Period[]
}

const maxDays = 3660

export function windowsOf(choices: Choices, at: number): Windows {
  // On a day that has just begun, the window is the first minute.
  const now = Math.max(Math.floor(at / minuteMs) * minuteMs, dayStart(at) + minuteMs)
  const window = choices.zoom ?? windowOf(choices, now)
  const step = choices.zoom === undefined && choices.span !== 'range' ? steps[choices.span] : stepFor(window)
  const periods = periodsBetween(window, step)
  const isWhole = choices.zoom === undefined
  const days = (isWhole ? lastDays[choices.span] : undefined) ?? periodsBetween(window, 'day').length
  const back = (time: number): number =>
    step === 'day' || isWhole ? daysLater(time, -days) : time - (window.to - window.from)
  const shift = window.from - back(window.from)
  const before =
    step === 'day'
      ? periods.map((one) => ({ from: back(one.from), to: back(one.to) })).filter(({ from, to }) => to > from)
      : periods.map((one) => ({ from: one.from - shift, to: one.to - shift }))
  return { window, step, periods, before }
}

const lastDays: Partial<Record<Span, number>> = { '24h': 1, '7d': 7 }
const steps = { '24h': 'quarter', '7d': 'hour', '30d': 'day', '12m': 'day' } as const

function windowOf({ span, from, to }: Choices, now: number): Period {
  if (span === '24h') return { from: floorTo(now - dayMs, 15), to: now }
  if (span === '7d') return { from: floorTo(daysLater(now, -7), 60), to: now }
  if (span === '30d') return { from: dayStart(daysLater(now, -29)), to: now }
  if (span === '12m') return { from: dayStart(daysLater(now, -364)), to: now }
  const last = (to && startOf(to)) || dayStart(now)
  const first = Math.min((from && startOf(from)) || daysLater(dayStart(now), -29), last)
  const end = Math.min(now, dayStart(daysLater(last, 1) + dayMs / 24))
  const begin = Math.max(first, daysLater(end, -maxDays))
  return begin < end ? { from: begin, to: end } : { from: begin, to: begin + dayMs }
}

function floorTo(time: number, minutes: number): number {
  const offset = new Date(time).getTimezoneOffset() * minuteMs
  return Math.floor((time - offset) / (minutes * minuteMs)) * minutes * minuteMs + offset
}

function stepFor({ from, to }: Period): PeriodStep {
  const days = (to - from) / dayMs
  if (days <= 0.15) return 'minute'
  if (days <= 1.6) return 'quarter'
  return days <= 10 ? 'hour' : 'day'
}
