import { invalid } from '../../core/errors/errors.ts'

/** Times of a mosaic to draw, both ends inclusive. Absent: the newest. */
export interface TimeSelection {
  fromMs: number
  toMs: number
}

const form =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/

function wrong(text: string): Error {
  return invalid(
    'invalid-time',
    `time "${text}" is neither an ISO 8601 time or date, nor an interval such as 2020-01-01/2020-12-31 or ../2020`,
  )
}

/** A year, month, day or minute is the whole interval; a time with seconds is an instant. */
function spanOf(text: string, whole: string): TimeSelection {
  const [matched, year = '', month, day, hour, , second] = form.exec(text) ?? []
  if (matched === undefined) throw wrong(whole)
  if (hour !== undefined) {
    const fromMs = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`)
    if (Number.isNaN(fromMs)) throw wrong(whole)
    return { fromMs, toMs: second === undefined ? fromMs + 59_999 : fromMs }
  }
  const [y, m, d] = [Number(year), Number(month ?? '1') - 1, Number(day ?? '1')]
  const fromMs = Date.UTC(y, m, d)
  const end =
    day !== undefined ? Date.UTC(y, m, d + 1) : month !== undefined ? Date.UTC(y, m + 1) : Date.UTC(y + 1, 0)
  const back = new Date(fromMs)
  if (back.getUTCMonth() !== m || back.getUTCDate() !== d) throw wrong(whole)
  return { fromMs, toMs: end - 1 }
}

/**
 * Parses `time`: an instant, a date, a month or a year, or an interval of two of these with `..` as open end.
 */
export function parseTime(text: string | undefined): TimeSelection | undefined {
  if (text === undefined || text === '' || text === 'current') return undefined
  const parts = text.split('/')
  if (parts.length > 2) throw wrong(text)
  const [from = '', to] = parts
  if (to === undefined) return spanOf(from, text)
  const fromMs = from === '..' || from === '' ? Number.NEGATIVE_INFINITY : spanOf(from, text).fromMs
  const toMs = to === '..' || to === '' ? Number.POSITIVE_INFINITY : spanOf(to, text).toMs
  if (fromMs > toMs) throw wrong(text)
  return { fromMs, toMs }
}

/** Formats a selection as text for `parseTime`. */
export function timeSelectionText({ fromMs, toMs }: TimeSelection): string {
  const output = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : '..')
  return `${output(fromMs)}/${output(toMs)}`
}
