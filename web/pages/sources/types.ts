import type { Calls } from '../../api/openapi.d.ts'

export type Source = Calls['GET /rest/sources']['answer']['sources'][number]
export type Run = Calls['GET /rest/sources/{source}/runs']['answer']['runs'][number]

export type SourceData = { type: string } & Record<string, unknown>

/** The settings of a source that the form edits. */
export type Draft = Pick<
  Source,
  | 'name'
  | 'transforms'
  | 'target'
  | 'srs'
  | 'updateMode'
  | 'keys'
  | 'deleteMissing'
  | 'stopIf'
  | 'schedule'
  | 'overdueSeconds'
  | 'retry'
  | 'receivers'
  | 'owner'
> & { data: SourceData }

export function sourcePath(name: string): string {
  return `/rest/sources/${encodeURIComponent(name)}`
}

/** Path of the page of a source. */
export function sourcePage(name: string): string {
  return `/app/sources/${encodeURIComponent(name)}`
}

/** Returns a member of the data or target if it is a text. */
export function textOf(data: Record<string, unknown>, name: string): string {
  const value = data[name]
  return typeof value === 'string' ? value : ''
}

/** State of a source as the pages show it: a paused source and one that has not run have states of their own. */
export function shownState({ enabled, state, lastRun }: Source): string {
  if (state === 'running' || state === 'waiting') return state
  if (!enabled) return 'paused'
  return state === 'idle' && lastRun === null ? 'new' : state
}

/** Outcome of a run; a run without one waits or executes. */
export function shownOutcome({ outcome, nextAttempt }: Run): string {
  return outcome ?? (nextAttempt === undefined ? 'running' : 'waiting')
}
