import type { Check, Delivery } from '../model/model.ts'

export interface Situation {
  check: Pick<Check, 'failingSince' | 'graceSeconds'>
  holds: boolean
  receiverIds: readonly number[]
  /** What is pending, and everything since the check stopped holding and within the grace period. */
  deliveries: readonly Pick<Delivery, 'receiverId' | 'kind' | 'state' | 'createdAt' | 'finishedAt'>[]
  /** ISO 8601. */
  now: string
}

export interface Step {
  /** Since when the check does not hold; absent where it does. */
  failingSince?: string
  /** Receivers to be told of the problems, and that the check holds again. */
  alert: number[]
  recovery: number[]
}

/**
 * What follows from an evaluation. Each receiver is told of a problem at most once in the grace period, counted from the last
 * alert that reached this receiver, and not while one is on its way. Of the end of a problem are told those who were to be told
 * of it: also who was not reached, since that alert is dropped.
 */
export function nextStep({ check, holds, receiverIds, deliveries, now }: Situation): Step {
  const alerts = deliveries.filter(({ kind }) => kind === 'alert')
  if (!holds) {
    const failingSince = check.failingSince ?? now
    const graceFrom = Date.parse(now) - check.graceSeconds * 1000
    const isQuiet = ({ state, finishedAt = '' }: Situation['deliveries'][number]): boolean =>
      state === 'pending' || (state === 'sent' && Date.parse(finishedAt) > graceFrom)
    const quiet = new Set(alerts.filter(isQuiet).map(({ receiverId }) => receiverId))
    const alert = receiverIds.filter((id) => !quiet.has(id))
    return { failingSince, alert, recovery: [] }
  }
  const { failingSince } = check
  if (failingSince === undefined) return { alert: [], recovery: [] }
  const told = alerts.filter(({ state, createdAt }) => state !== 'dropped' && createdAt >= failingSince)
  return { alert: [], recovery: receiverIds.filter((id) => told.some(({ receiverId }) => receiverId === id)) }
}

const delaysMinutes = [1, 2, 5, 10, 30, 60, 120]

/** Minutes until a delivery is tried again after so many failed attempts; undefined where it is given up. */
export function retryMinutes(attempts: number): number | undefined {
  return delaysMinutes[attempts - 1]
}
