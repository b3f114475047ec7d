import { pino } from 'pino'
import type { Logger } from '../../src/core/log/logger.ts'

/** Logger without output. */
export const silentLogger: Logger = pino({ level: 'silent' })
