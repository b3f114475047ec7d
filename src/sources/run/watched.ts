import type { Watched } from '../model/source.ts'

/** Files found in a watched folder. */
export interface WatchedFiles {
  digest: string
  isEmpty: boolean
}

/** Next state of a watched folder; `isReady` if a run is to start. */
export interface WatchStep {
  next: Watched
  isReady: boolean
}

/**
 * Returns the next state after a folder was listed; undefined if nothing changes. Files are complete when
 * their names, sizes and times have not changed for `quietSeconds`.
 */
export function nextWatched(
  before: Watched | undefined,
  found: WatchedFiles,
  { now, quietSeconds }: { now: Date; quietSeconds: number },
): WatchStep | undefined {
  const at = now.toISOString()
  const isClockBack = before !== undefined && Date.parse(before.since) > now.getTime()
  if (before === undefined || before.digest !== found.digest || (isClockBack && !before.isTaken))
    return { next: { digest: found.digest, since: at, isTaken: found.isEmpty }, isReady: false }
  if (before.isTaken || now.getTime() - Date.parse(before.since) < quietSeconds * 1000) return undefined
  return { next: { ...before, isTaken: true }, isReady: true }
}
