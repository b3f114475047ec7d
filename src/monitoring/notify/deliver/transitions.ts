import type { Check, Delivery } from '../model/model.ts'

/** State of a check before a transition. */
export interface Situation {
  check: Pick<Check, 'failingSince' | 'graceSeconds'>
  holds: boolean
  receiverIds: readonly number[]
  /** Pending deliveries, and all deliveries since the check began to fail and within the grace period. */
  deliveries: readonly Pick<Delivery, 'receiverId' | 'kind' | 'state' | 'createdAt' | 'finishedAt'>[]
  /** ISO 8601. */
  now: string
}

/** Result of a transition. */
export interface Step {
  /** Time since which the check has failed; absent if it passes. */
  failingSince?: string
  /** Receivers of an alert, and receivers of a recovery message. */
  alert: number[]
  recovery: number[]
}

/**
 * Returns the messages that follow from an evaluation. Each receiver gets at most one alert in the grace
 * period, counted from the last delivered alert, and none while one is pending. A recovery message goes to
 * all receivers of the alert, also if it was not delivered, since the alert is then dropped.
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
  const reported = alerts.filter(({ state, createdAt }) => state !== 'dropped' && createdAt >= failingSince)
  return {
    alert: [],
    recovery: receiverIds.filter((id) => reported.some(({ receiverId }) => receiverId === id)),
  }
}

const delaysMinutes = [1, 2, 5, 10, 30, 60, 120]

/** Returns the minutes until the next attempt after this many failures; undefined after the last. */
export function retryMinutes(attempts: number): number | undefined {
  return delaysMinutes[attempts - 1]
}
