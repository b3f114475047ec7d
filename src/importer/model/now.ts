import type { Clock } from '../../lib/clock.ts'

/** The present moment as records have it: ISO 8601. */
export function now({ clock }: { clock: Clock }): string {
  return clock.now().toISOString()
}
