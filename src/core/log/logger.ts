import type { Logger as PinoLogger } from 'pino'
import { pino } from 'pino'
import { traceFields } from '../telemetry/tracing.ts'

/** Structured log: `log.info({ importId }, 'import complete')`. Never pass a secret that is not a `Secret`. */
export type Logger = Pick<
  PinoLogger,
  'level' | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'child'
>

/** A log in lines of JSON on standard error; with `isTraced`, lines have the ids of the active span. */
export function createLogger(level: string, { isTraced = false } = {}): PinoLogger {
  const mixin = isTraced ? { mixin: traceFields } : {}
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, ...mixin }
  return pino(options, pino.destination(2))
}
