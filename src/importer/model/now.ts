import type { Clock } from '../../lib/clock.ts'

/** Returns the present time in the format of records: ISO 8601. */
export function now({ clock }: { clock: Clock }): string {
  return clock.now().toISOString()
}
