const duration =
  /^P(?=.)(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/i

/**
 * True if a text is a duration of whole years, months, days, hours, minutes and seconds (ISO 8601-1, section
 * 5.5.2).
 */
export function isDuration(text: string): boolean {
  return duration.test(text)
}

/**
 * Returns the time, in milliseconds, one duration after or before another time; undefined outside the years 1
 * to 9999.
 */
export function movedBy(from: number, text: string, sign: 1 | -1): number | undefined {
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = (duration.exec(text) ?? [])
    .slice(1)
    .map((part = '0') => sign * Number(part))
  const end = new Date(from)
  end.setUTCFullYear(end.getUTCFullYear() + years, end.getUTCMonth() + months, end.getUTCDate() + days)
  end.setUTCHours(end.getUTCHours() + hours, end.getUTCMinutes() + minutes, end.getUTCSeconds() + seconds)
  const year = end.getUTCFullYear()
  return year >= 1 && year <= 9999 ? end.getTime() : undefined
}
