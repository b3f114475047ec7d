import type { Logger as PinoLogger } from 'pino'
import { pino } from 'pino'

/** Structured log: `log.info({ importId }, 'import complete')`. Never pass a secret that is not a `Secret`. */
export type Logger = Pick<
  PinoLogger,
  'level' | 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'child'
>

export function createLogger(level: string): PinoLogger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2))
}

/** A logger that says nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' })
