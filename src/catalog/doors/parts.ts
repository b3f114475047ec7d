import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventBus } from '../../lib/events.ts'

/** What every part of the catalogue needs to write. */
export interface WriteParts {
  database: Database
  clock: Clock
  events: EventBus
}

/** The time that is written down for a change. */
export function nowOf({ clock }: Pick<WriteParts, 'clock'>): string {
  return clock.now().toISOString()
}
