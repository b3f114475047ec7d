import { toAlpha2 } from '../lib/country-codes.ts'
import { formatNumber, formatTime } from '../lib/numbers.ts'
import { messages } from '../messages/messages.ts'

/** Returns the locale of the page language with the region of the browser. */
function locale(): string {
  const own = messages.value.locale
  return navigator.languages.find((one) => one.startsWith(own)) ?? own
}

export function shownNumber(value: number): string {
  return formatNumber(locale(), value)
}

export function shownShare(value: number): string {
  return formatNumber(locale(), value, { style: 'percent', maximumFractionDigits: 0 })
}

/** Formats a day: the time if it is today, with the year if it is another year. */
export function shownDay(text: string, now = new Date()): string {
  const date = new Date(text)
  if (date.toDateString() === now.toDateString()) return shownTime(date)
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  return formatTime(locale(), date, { day: 'numeric', month: 'short', ...year })
}

export function shownTime(date: Date): string {
  return formatTime(locale(), date, { hour: '2-digit', minute: '2-digit' })
}

export function shownWeekday(date: Date): string {
  return formatTime(locale(), date, { weekday: 'long' })
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A size such as `48.2 MB`. */
export function shownBytes(value: number): string {
  const step = value < 1000 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(value) / 3))
  return formatNumber(locale(), value / 1000 ** step, {
    style: 'unit',
    unit: byteUnits[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
  })
}

/** A stretch of time such as `32 sec` or `4 min`. */
export function shownLeft(seconds: number): string {
  const [value, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour']
  return formatNumber(locale(), Math.max(1, Math.round(value)), { style: 'unit', unit, unitDisplay: 'short' })
}

/** An amount with the unit that the server measures it in. */
export function shownAmount(value: number, unit: string): string {
  if (unit === 'B') return shownBytes(value)
  if (unit === 'B/s') return `${shownBytes(value)}/s`
  const text = formatNumber(locale(), value, { maximumFractionDigits: 2 })
  return unit === '%' || unit === 'ms' || unit === 's' ? `${text}\u00a0${unit}` : text
}

/** Formats a time with its day, and the year if it is another one. */
export function shownMoment(date: Date, now = new Date()): string {
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  const day = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  return formatTime(locale(), date, { ...day, ...year })
}

/** Formats a day with its weekday, and the year if it is another one. */
export function shownDate(date: Date, now = new Date()): string {
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  return formatTime(locale(), date, { weekday: 'short', day: 'numeric', month: 'short', ...year })
}

/** Formats a tick of a time axis: the day at its start, otherwise the time. */
export function shownTick(seconds: number, stepSeconds: number): string {
  const date = new Date(seconds * 1000)
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
  if (stepSeconds >= 27 * 86_400) return formatTime(locale(), date, { month: 'short', year: '2-digit' })
  if (stepSeconds >= 86_400 || isMidnight)
    return formatTime(locale(), date, { day: 'numeric', month: 'short' })
  return shownTime(date)
}

/** Short names of the days of the week, Monday first. */
export function weekdayNames(): string[] {
  return Array.from({ length: 7 }, (_, day) =>
    formatTime(locale(), new Date(2026, 0, 5 + day), { weekday: 'short' }),
  )
}

/** Returns the name of a country by its ISO 3166-1 alpha-3 code. */
export function countryName(code: string): string {
  try {
    return new Intl.DisplayNames([locale()], { type: 'region' }).of(toAlpha2(code)) ?? code
  } catch {
    return code
  }
}
