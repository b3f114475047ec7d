import type { EventBus } from '../../lib/events.ts'
import type { Logger } from '../../lib/logger.ts'

/** Reports that work was terminated from outside, or that its thread or process died. */
export function publishEnded(
  { log, events }: { log: Logger; events: EventBus },
  kind: 'load' | 'job',
  error: unknown,
): void {
  log.warn({ err: error, kind }, 'work was ended from outside')
  events.emit('work.ended', { kind })
}
