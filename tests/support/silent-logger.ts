import { pino } from 'pino'
import type { Logger } from '../../src/lib/logger.ts'

/** A logger that says nothing. */
export const silentLogger: Logger = pino({ level: 'silent' })
