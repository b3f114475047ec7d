import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventBus } from '../../lib/events.ts'

/** Dependencies for writing to the catalogue. */
export interface WriteDeps {
  database: Database
  clock: Clock
  events: EventBus
}

/** Returns the time recorded for a change. */
export function nowOf(clock: Clock): string {
  return clock.now().toISOString()
}
