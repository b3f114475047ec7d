import { formatNumber, formatTime } from '../lib/numbers.ts'
import { messages } from '../messages/messages.ts'

/** As the browser's region writes the language that is shown. */
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

/** A day as a colleague says it: the time where it is today, with the year where it is another one. */
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
    ...{ style: 'unit', unit: byteUnits[step] ?? 'byte', unitDisplay: step === 0 ? 'long' : 'short' },
    maximumSignificantDigits: 3,
  })
}

/** A stretch of time such as `32 sec` or `4 min`. */
export function shownLeft(seconds: number): string {
  const [value, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour']
  return formatNumber(locale(), Math.max(1, Math.round(value)), { style: 'unit', unit, unitDisplay: 'short' })
}
