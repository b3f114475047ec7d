import type { ImporterParts } from '../parts.ts'

/** Tells that work was ended from outside, or that its thread or process died. */
export function tellEnded(
  { log, events }: Pick<ImporterParts, 'log' | 'events'>,
  kind: 'load' | 'job',
  error: unknown,
): void {
  log.warn({ err: error, kind }, 'work was ended from outside')
  events.emit('work.ended', { kind })
}
