import type { Logger as PinoLogger } from 'pino'
import { pino } from 'pino'

/** Structured log: `log.info({ importId }, 'import complete')`. Never pass a secret that is not a `Secret`. */
export type Logger = Pick<
  PinoLogger,
  'level' | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'child'
>

/** A log in lines of JSON on standard error. */
export function createLogger(level: string): PinoLogger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2))
}
