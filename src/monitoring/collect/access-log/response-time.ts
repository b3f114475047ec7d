import { ownValue } from '../../../core/values/record-keys.ts'

const longestMilliseconds = 7 * 86_400_000
const factors: Record<string, number> = { rt: 1000, rt_ms: 1, rt_us: 0.001 }
const keyed = /(?:^| )(rt|rt_ms|rt_us)="?(\d{1,12}(?:\.\d{1,9})?)"?(?= |$)/
const decimal = /(?:^| )(\d{1,9}\.\d{1,9})(?= |$)/
const single = /^ *(\d{1,15}) *$/

/**
 * The response time in what follows the user agent, in milliseconds: `rt=0.123` (seconds), `rt_ms=123`, `rt_us=123000`
 * anywhere; else the first bare number with a point, in seconds (`$request_time` of nginx); else a single bare whole
 * number, in microseconds (`%D` of Apache). Null where none is.
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

/** To the microsecond, so that 0.29 s are 290 ms. */
function bounded(milliseconds: number): number | null {
  return milliseconds <= longestMilliseconds ? Math.round(milliseconds * 1000) / 1000 : null
}
