const minuteMs = 60_000
const daySeconds = 86_400
const dayMs = daySeconds * 1000

/** Minimum interval in seconds. Proposed intervals are multiples of it. */
export const minIntervalSeconds = 60
/** A hundred years. */
export const maxIntervalSeconds = 36_525 * daySeconds
export const maxPeriods = 11_000

/** The requested window; times are milliseconds since 1970. */
export interface RequestedWindow {
  validFrom?: number
  validTo?: number
  /**
   * Length of a window that ends with the last complete minute, in seconds; alternative to `validFrom` and
   * `to`.
   */
  lastSeconds?: number
  intervalSeconds?: number
  /** True if periods are counted from `validFrom`, rounded to the minute, instead of 0:00 UTC of its day. */
  isFromStart?: boolean
}

export interface AlignOptions {
  now: number
  /** False if periods are counted from `validFrom` and `to` is not aligned. Default: true. */
  isAligned?: boolean
}

/** A sequence of `count` periods of equal length; times are milliseconds since 1970. */
export interface TimeWindow {
  from: number
  to: number
  intervalSeconds: number
  count: number
}

/** Why a window is invalid; `fittingSeconds` is an interval that makes it valid. */
export type WindowRefusal =
  | { refusal: 'ends-before-start' }
  | { refusal: 'too-many-periods'; periods: number; fittingSeconds: number }

/**
 * Returns the periods that intersect the request, on a grid counted from 0:00 UTC of the first day, or from
 * the start of the window if `lastSeconds` or `isFromStart` is given. There is at least one period.
 */
export function alignWindow(
  requestedWindow: RequestedWindow,
  options: AlignOptions,
): TimeWindow | WindowRefusal {
  const bounds = boundsOf(requestedWindow, options.now)
  if (bounds.to < bounds.from) return { refusal: 'ends-before-start' }
  const intervalSeconds = requestedWindow.intervalSeconds ?? defaultInterval(bounds)
  const isFromStart = requestedWindow.isFromStart === true || requestedWindow.lastSeconds !== undefined
  const isOnDayGrid = (options.isAligned ?? true) && !isFromStart
  const window = cut(bounds, intervalSeconds, isOnDayGrid)
  if (window.count > maxPeriods)
    return { refusal: 'too-many-periods', periods: window.count, fittingSeconds: fittingInterval(bounds) }
  return (options.isAligned ?? true) ? window : { ...window, to: bounds.to }
}

/** Returns the start of the period with that index. */
export function periodStart({ from, intervalSeconds }: TimeWindow, index: number): number {
  return from + index * intervalSeconds * 1000
}

interface Bounds {
  from: number
  to: number
}

function boundsOf(requestedWindow: RequestedWindow, now: number): Bounds {
  const { validFrom, validTo, lastSeconds, intervalSeconds, isFromStart } = requestedWindow
  if (lastSeconds !== undefined) {
    const to = Math.floor(now / minuteMs) * minuteMs
    return { from: to - lastSeconds * 1000, to }
  }
  const to = validTo ?? now
  const from = validFrom ?? to - (intervalSeconds ?? minIntervalSeconds) * 1000
  return { from: isFromStart === true ? Math.floor(from / minuteMs) * minuteMs : from, to }
}

function defaultInterval({ from, to }: Bounds): number {
  const days = (to - from) / dayMs
  if (days <= 1) return 60
  return days <= 31 ? 3600 : daySeconds
}

function cut(bounds: Bounds, intervalSeconds: number, isOnDayGrid: boolean): TimeWindow {
  const step = intervalSeconds * 1000
  const origin = isOnDayGrid ? Math.floor(bounds.from / dayMs) * dayMs : bounds.from
  const first = Math.floor((bounds.from - origin) / step)
  const end = Math.max(Math.ceil((bounds.to - origin) / step), first + 1)
  return { from: origin + first * step, to: origin + end * step, intervalSeconds, count: end - first }
}

/** Returns the shortest whole minutes that fit: alignment adds at most one period. */
function fittingInterval({ from, to }: Bounds): number {
  const seconds = (to - from) / 1000 / (maxPeriods - 1)
  return Math.ceil(seconds / minIntervalSeconds) * minIntervalSeconds
}
