import type { Metric } from '../../metrics/metrics.ts'
import type { Breach, Comparison } from '../comparisons/comparison.ts'
import { amountText } from '../model/amount.ts'
import type { Check, Definition, Problem, Threshold } from '../model/model.ts'

/** Subject of a comparison. */
export interface Subject {
  /** Names of services; empty if the threshold is about all of them. */
  services: readonly string[]
  resource?: string
  label?: string
  eventType?: string
  /** Number of further hosts or labels that violate the limit. */
  others: number
}

export interface ProblemFacts {
  check: Check
  definition: Definition
  threshold: Threshold
  metric: Metric
  comparison: Comparison
  breach: Breach
  subject: Subject
  /** Seconds since 1970. */
  from: number
  to: number
}

/** Describes the violation of a limit. */
export function toProblem(found: ProblemFacts): Problem {
  const { check, definition, threshold, metric, comparison, breach, from, to } = found
  const limit = comparison.limit.readable(threshold.value, metric)
  return {
    definitionId: definition.id,
    metric: definition.metric,
    severity: check.severity,
    message: `${definition.description} ${limit}`,
    description: describe(found, limit),
    offendingValue: offendingText(breach),
    thresholdValue: amountText(threshold.value),
    validFrom: from * 1000,
    validTo: to * 1000,
  }
}

/** Returns the problem that a check could not be evaluated. */
export function unknownProblem(check: Check, definition: Definition, why: string, to: number): Problem {
  return {
    definitionId: definition.id,
    metric: definition.metric,
    severity: check.severity,
    message: `${definition.metric} cannot be checked: ${why}`,
    description: `Whether "${definition.description}" holds is not known: ${why}.`,
    offendingValue: '',
    thresholdValue: definition.threshold === undefined ? '' : amountText(definition.threshold.value),
    validFrom: to * 1000,
    validTo: to * 1000,
  }
}

function offendingText(breach: Breach): string {
  if (breach.kind === 'uncollected') return ''
  return breach.value === undefined ? 'never' : amountText(breach.value)
}

function describe({ metric, comparison, breach, subject, from, to }: ProblemFacts, limit: string): string {
  const what = `${metric.description}${subjectText(subject)}`
  const span = spanText(from, to)
  if (breach.kind === 'uncollected')
    return `${what}: nothing was collected ${span}, so that no value is known.`
  const more = subject.others === 0 ? '' : ` (and ${subject.others} more)`
  return `${what}: ${comparison.describe({ value: breach.value, metric, limit, more, span })}`
}

function subjectText({ services, resource, label, eventType }: Subject): string {
  return [
    services.length === 0 ? '' : ` of ${services.join(', ')}`,
    resource === undefined ? '' : ` for ${resource}`,
    label === undefined ? '' : ` for "${label}"`,
    eventType === undefined ? '' : ` by ${eventType}`,
  ].join('')
}

/** Formats a period such as `from 12:04 to 12:05 UTC`, with dates if it spans several days. */
function spanText(from: number, to: number): string {
  const [start, end] = [from, to].map((one) => new Date(one * 1000).toISOString()) as [string, string]
  const isOneDay = start.slice(0, 10) === end.slice(0, 10)
  const text = (time: string): string => (isOneDay ? time.slice(11, 16) : time.slice(0, 16).replace('T', ' '))
  return `from ${text(start)} to ${text(end)} UTC`
}
