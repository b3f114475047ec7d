/**
 * Returns `now`, or the next millisecond after `previous` if that is later, since times of changes also
 * distinguish states.
 */
export function laterThan(previous: string, now: Date): string {
  return new Date(Math.max(Date.parse(previous) + 1, now.getTime())).toISOString()
}
