/** Numbers and times as the readers of a language write them; each made once. */
const numberFormats = new Map<string, Intl.NumberFormat>()
const timeFormats = new Map<string, Intl.DateTimeFormat>()

export function formatNumber(locale: string, value: number, options: Intl.NumberFormatOptions = {}): string {
  const key = locale + JSON.stringify(options)
  const format = numberFormats.get(key) ?? new Intl.NumberFormat(locale, options)
  numberFormats.set(key, format)
  return format.format(value)
}

export function formatTime(locale: string, time: Date, options: Intl.DateTimeFormatOptions): string {
  const key = locale + JSON.stringify(options)
  const format = timeFormats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  timeFormats.set(key, format)
  return format.format(time)
}

/** Returns the plural category of a number: `one` or `other`, as in English and German. */
export function pluralOf(locale: string, count: number): 'one' | 'other' {
  return new Intl.PluralRules(locale).select(count) === 'one' ? 'one' : 'other'
}
