import { ownValue } from '../../../core/values/record-keys.ts'

const longestMilliseconds = 7 * 86_400_000
const factors: Record<string, number> = { rt: 1000, rt_ms: 1, rt_us: 0.001 }
const keyed = /(?:^| )(rt|rt_ms|rt_us)="?(\d{1,12}(?:\.\d{1,9})?)"?(?= |$)/
const decimal = /(?:^| )(\d{1,9}\.\d{1,9})(?= |$)/
const single = /^ *(\d{1,15}) *$/

/**
 * Returns the response time in milliseconds from the text after the user agent: `rt=0.123` (seconds),
 * `rt_ms=123` or `rt_us=123000` at any position; else the first plain decimal number, in seconds
 * (`$request_time` of nginx); else a single plain integer, in microseconds (`%D` of Apache). Null if there is
 * none.
 */
export function parseResponseTime(rest: string): number | null {
  if (rest.length > 1000) return null
  const [, name = '', value] = keyed.exec(rest) ?? []
  if (value !== undefined) return bounded(Number(value) * (ownValue(factors, name) as number))
  const seconds = decimal.exec(rest)?.[1]
  if (seconds !== undefined) return bounded(Number(seconds) * 1000)
  const micros = single.exec(rest)?.[1]
  return micros === undefined ? null : bounded(Number(micros) / 1000)
}

/** Rounds to microseconds, so that 0.29 s is 290 ms. */
function bounded(milliseconds: number): number | null {
  return milliseconds <= longestMilliseconds ? Math.round(milliseconds * 1000) / 1000 : null
}
