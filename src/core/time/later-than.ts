/** Returns `now`, or the next millisecond after `previous` if that is later: times of changes also tell states apart. */
export function laterThan(previous: string, now: Date): string {
  return new Date(Math.max(Date.parse(previous) + 1, now.getTime())).toISOString()
}
