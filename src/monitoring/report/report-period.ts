import type { ZoneDays } from '../../core/values/zone-days.ts'

const daySeconds = 86_400
/** Longest period of a report. */
export const maxReportDays = 3660

/** Period of a report in whole days. */
export interface ReportPeriod {
  /** First and last day, as `2026-10-01`. */
  first: string
  last: string
  /** True if the period is given and named by months. */
  isMonths: boolean
}

/**
 * Parses `2026-10` or `2026-10-05` as the first or last day of the month or day; undefined for other texts.
 */
export function parseReportDate(text: string, edge: 'first' | 'last'): string | undefined {
  const month = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text)
  if (month !== null) return edge === 'first' ? `${text}-01` : lastOfMonth(text)
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && dateOf(numberOf(text)) === text ? text : undefined
}

/** Returns the last day of a month such as `2026-10`. */
export function lastOfMonth(month: string): string {
  return dateOf(numberOf(`${addMonths(month, 1)}-01`) - 1)
}

/** Adds a number of months to a month such as `2026-10`. */
export function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7)
}

/** Returns the month that contains a time, in seconds since 1970. */
export function monthAt(days: ZoneDays, seconds: number): string {
  return dateOf(days.dateNumber(seconds)).slice(0, 7)
}

/** Returns the months of a period, the first one first. */
export function monthsOf({ first, last }: ReportPeriod): string[] {
  const months: string[] = []
  for (let month = first.slice(0, 7); month <= last.slice(0, 7); month = addMonths(month, 1))
    months.push(month)
  return months
}

/** Returns the number of days. */
export function lengthOf({ first, last }: Pick<ReportPeriod, 'first' | 'last'>): number {
  return numberOf(last) - numberOf(first) + 1
}

/** Returns the period to compare with: the same length before, or the same dates a year ago. */
export function periodBefore(period: ReportPeriod, compare: 'previous' | 'year'): ReportPeriod {
  const { first, last, isMonths } = period
  if (isMonths) {
    const back = compare === 'year' ? 12 : monthsOf(period).length
    const [from, to] = [addMonths(first.slice(0, 7), -back), addMonths(last.slice(0, 7), -back)]
    return { first: `${from}-01`, last: lastOfMonth(to), isMonths }
  }
  if (compare === 'year') return { first: yearBefore(first), last: yearBefore(last), isMonths }
  const days = lengthOf(period)
  return { first: addDays(first, -days), last: addDays(last, -days), isMonths }
}

/** Returns the day or month of the compared period that corresponds to `key`. */
export function keyBefore(key: string, period: ReportPeriod, compare: 'previous' | 'year'): string {
  const before = periodBefore(period, compare)
  if (key.length === 7) {
    const months = monthsOf(period).indexOf(key)
    return addMonths(before.first.slice(0, 7), months)
  }
  if (compare === 'year') return yearBefore(key)
  return addDays(before.first, numberOf(key) - numberOf(period.first))
}

/** Returns the same date a year before; for February 29 the last day of February. */
function yearBefore(date: string): string {
  const month = addMonths(date.slice(0, 7), -12)
  const same = `${month}-${date.slice(8)}`
  const last = lastOfMonth(month)
  return same > last ? last : same
}

function addDays(date: string, count: number): string {
  return dateOf(numberOf(date) + count)
}

/** Returns the time at which a date begins in a zone, in seconds since 1970. */
export function startOfDate(days: ZoneDays, date: string): number {
  const number = numberOf(date)
  let { start, end } = days.dayOf(number * daySeconds + daySeconds / 2)
  while (days.dateNumber(start) > number) start = days.dayOf(start - 1).start
  // A time zone may have skipped a date. The next date starts where the skipped one would have started.
  while (days.dateNumber(start) < number) {
    start = end
    end = days.dayOf(start).end
  }
  return start
}

/** Returns the time from the start of the first day to the end of the last one. */
export function spanOf(days: ZoneDays, { first, last }: Pick<ReportPeriod, 'first' | 'last'>) {
  return { from: startOfDate(days, first), to: startOfDate(days, addDays(last, 1)) }
}

/** Returns the starts of the months of a period and the end of the last one. */
export function monthStarts(days: ZoneDays, period: ReportPeriod): number[] {
  const months = monthsOf(period)
  const { from, to } = spanOf(days, period)
  return [from, ...months.slice(1).map((month) => startOfDate(days, `${month}-01`)), to]
}

/** Returns the date that contains a time, in seconds since 1970. */
export function dateAt(days: ZoneDays, seconds: number): string {
  return dateOf(days.dateNumber(seconds))
}

function numberOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / 1000 / daySeconds
}

function dateOf(number: number): string {
  return new Date(number * daySeconds * 1000).toISOString().slice(0, 10)
}
