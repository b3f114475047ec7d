import { shownMoment } from '../../components/formats.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import type { Source } from './types.ts'

/** Describes the problem of a source; undefined if it has none. */
export function problemText({ problem, lastRun, nextRun }: Source): string | undefined {
  if (problem === null) return undefined
  const texts = sourceTexts.value
  if (problem.kind === 'overdue') {
    const due = lastRun !== null && lastRun.outcome === null ? lastRun.due : nextRun
    return due === null ? texts.states('overdue') : texts.dueAt(shownMoment(new Date(due)))
  }
  const reason = lastRun?.message ?? problem.message
  return problem.kind === 'never' ? `${texts.neverSucceeded} ${reason}` : reason
}
