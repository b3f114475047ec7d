import type { Check, Delivery } from '../model/model.ts'

export interface Situation {
  check: Pick<Check, 'lastSend' | 'failingSince' | 'graceSeconds'>
  holds: boolean
  receiverIds: readonly number[]
  /** What is pending, and everything since the check stopped holding. */
  deliveries: readonly Pick<Delivery, 'receiverId' | 'kind' | 'state' | 'createdAt'>[]
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
 * What follows from an evaluation. A problem is told at most once in the grace period, counted from the last message
 * that arrived, and to nobody for whom one is still on its way. Only who was told of this problem is told of its end.
 */
export function nextStep({ check, holds, receiverIds, deliveries, now }: Situation): Step {
  const alerts = deliveries.filter(({ kind }) => kind === 'alert')
  if (!holds) {
    const failingSince = check.failingSince ?? now
    if (!isGraceOver(check, now)) return { failingSince, alert: [], recovery: [] }
    const waiting = alerts.filter(({ state }) => state === 'pending').map(({ receiverId }) => receiverId)
    const alert = receiverIds.filter((id) => !waiting.includes(id))
    return { failingSince, alert, recovery: [] }
  }
  const { failingSince } = check
  if (failingSince === undefined) return { alert: [], recovery: [] }
  const told = alerts.filter(({ state, createdAt }) => state === 'sent' && createdAt >= failingSince)
  return { alert: [], recovery: receiverIds.filter((id) => told.some(({ receiverId }) => receiverId === id)) }
}

function isGraceOver({ lastSend, graceSeconds }: Situation['check'], now: string): boolean {
  return lastSend === undefined || Date.parse(lastSend) + graceSeconds * 1000 <= Date.parse(now)
}

const delaysMinutes = [1, 2, 5, 10, 30, 60, 120]

/** Minutes until a delivery is tried again after so many failed attempts; undefined where it is given up. */
export function retryMinutes(attempts: number): number | undefined {
  return delaysMinutes[attempts - 1]
}
