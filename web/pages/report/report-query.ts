import type { Call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'

/** A report as the server sends it. */
export type Report = Calls['GET /monitoring/api/report']['answer']['report']

export const groupings = [
  'layer',
  'workspace',
  'owner',
  'country',
  'program',
  'referrer',
  'day',
  'month',
] as const
export const comparisons = ['none', 'previous', 'year'] as const

/** Selected report; the address contains all of it. */
export interface ReportChoices {
  /** First and last month, such as `2026-10`. */
  from: string
  to: string
  by: (typeof groupings)[number]
  compare: (typeof comparisons)[number]
}

/** Choices that an address has; what is not a choice is as if it were not there. The usual month is the last one. */
export function reportChoices(query: URLSearchParams, now = new Date()): ReportChoices {
  const usual = monthText(new Date(now.getFullYear(), now.getMonth() - 1, 1))
  const month = (name: string): string | undefined => {
    const text = query.get(name) ?? ''
    return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined
  }
  const from = month('from') ?? month('to') ?? usual
  const [first = from, last = from] = [from, month('to') ?? from].sort()
  return {
    from: first,
    to: last,
    by: groupings.find((one) => one === query.get('by')) ?? 'layer',
    compare: comparisons.find((one) => one === query.get('compare')) ?? 'previous',
  }
}

function monthText(date: Date): string {
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`
}

/** The request for the report, as JSON or in a format for other programs. */
export function reportCall({ from, to, by, compare }: ReportChoices, format?: string): Call {
  const query = { from, to, by, compare: compare === 'none' ? undefined : compare, format }
  return { path: '/monitoring/api/report', query }
}
