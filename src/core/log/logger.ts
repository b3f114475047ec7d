import type { Logger as PinoLogger } from 'pino'
import { pino } from 'pino'
import { traceFields } from '../telemetry/tracing.ts'

/** Structured log: `log.info({ importId }, 'import complete')`. Never pass a secret that is not a `Secret`. */
export type Logger = Pick<
  PinoLogger,
  'level' | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'child'
>

/**
 * Creates a logger that writes JSON lines to standard error; with `isTraced`, lines contain the ids of the
 * active span.
 */
export function createLogger(level: string, { isTraced = false } = {}): PinoLogger {
  const mixin = isTraced ? { mixin: traceFields } : {}
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, ...mixin }
  return pino(options, pino.destination(2))
}
