import type { RunRecord } from './run.ts'
import type { SourceRecord } from './source.ts'

export const sourceStates = ['idle', 'running', 'waiting', 'failed', 'stopped', 'overdue'] as const
export type SourceState = (typeof sourceStates)[number]

/** The runs of a source that decide its state. */
export interface RecentRuns {
  /** The earliest run that has not ended. */
  open?: RunRecord
  /** The last run that ended with an outcome other than `skipped`. */
  last?: RunRecord
}

/** Returns the state of a source at a time. */
export function stateOf(source: SourceRecord, { open, last }: RecentRuns, now: Date): SourceState {
  if (isOverdue(source, open, now)) return 'overdue'
  if (open !== undefined) return open.leaseOwner === undefined ? 'waiting' : 'running'
  return last?.outcome === 'failed' || last?.outcome === 'stopped' ? last.outcome : 'idle'
}

function isOverdue({ settings, nextRun }: SourceRecord, open: RunRecord | undefined, now: Date): boolean {
  if (!settings.enabled) return false
  const latest = now.getTime() - settings.overdueSeconds * 1000
  const due = open?.dueAt ?? nextRun
  return due !== undefined && Date.parse(due) < latest
}

/** Problem of a source. */
export interface SourceProblem {
  kind: 'failed' | 'stopped' | 'overdue' | 'never'
  message: string
}

/** Returns the problem of a source; undefined if there is none. A source that is switched off has none. */
export function findProblem(source: SourceRecord, runs: RecentRuns, now: Date): SourceProblem | undefined {
  if (!source.settings.enabled) return undefined
  const { name, memory } = source
  const state = stateOf(source, runs, now)
  const { last } = runs
  if (state === 'overdue') {
    const due = runs.open?.dueAt ?? source.nextRun ?? ''
    return { kind: 'overdue', message: `Source "${name}" was due at ${due} and has not run` }
  }
  const reason = last?.message ?? 'no reason was recorded'
  if (last?.outcome === 'failed' && memory.lastSuccess === undefined)
    return { kind: 'never', message: `Source "${name}" has never succeeded: ${reason}` }
  if (last?.outcome === 'failed') return { kind: 'failed', message: `Source "${name}" failed: ${reason}` }
  if (last?.outcome === 'stopped')
    return { kind: 'stopped', message: `Source "${name}" was stopped: ${reason}` }
  return undefined
}
