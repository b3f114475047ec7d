import { Failure } from '../../../core/errors/errors.ts'
import { otherLabel } from '../../metrics/metrics.ts'
import type { ResourceType } from '../../model/resource-types.ts'
import type { Breach } from '../comparisons/comparison.ts'
import type { Check, Definition, Problem, Threshold, ValueQuery, ValueResult } from '../model/model.ts'
import type { ReadValue, WatchedService } from './evaluate.ts'
import { compareBreaches, planOf } from './evaluate.ts'
import type { Subject } from './problem-text.ts'
import { toProblem, unknownProblem } from './problem-text.ts'

/** Source of values. */
export interface ValueSource {
  value(query: ValueQuery): Promise<ValueResult>
  /** Returns the labels of the metric in the period, at most a few hundred. */
  labels(query: ValueQuery): Promise<string[]>
  /** Returns the name of a resource; undefined if it is unknown. */
  findResource(id: number): Promise<string | undefined>
  /** Returns the id of the resource with this type and name; undefined if it was never used. */
  findResourceId(resource: { type: ResourceType; name: string }): Promise<number | undefined>
  /** Receives errors, whose details are logged and not shown. */
  report(error: unknown): void
}

export interface EvaluationMoment {
  services: readonly WatchedService[]
  /** End of the last complete period, in seconds since 1970. */
  to: number
  /** Milliseconds since 1970. */
  now: number
  /** True if the server has not had time to collect data yet; missing data are then not a problem. */
  isStarting: boolean
}

/**
 * Returns the problems of a check, one per threshold. A threshold that cannot be evaluated is a problem too.
 */
export async function evaluateCheck(
  check: Check,
  values: ValueSource,
  moment: EvaluationMoment,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const definition of check.definitions) {
    if (definition.threshold === undefined) continue
    try {
      const problem = await evaluateThreshold(check, definition, definition.threshold, values, moment)
      if (problem !== undefined) problems.push(problem)
    } catch (error) {
      values.report(error)
      problems.push(unknownProblem(check, definition, reasonOf(error), moment.to))
    }
  }
  return problems
}

function reasonOf(error: unknown): string {
  return error instanceof Failure
    ? `its values cannot be read (${error.message.slice(0, 200)})`
    : 'its values cannot be read'
}

interface Hit {
  breach: Breach
  ask: ReadValue
}

async function evaluateThreshold(
  check: Check,
  definition: Definition,
  threshold: Threshold,
  values: ValueSource,
  { services, to, now, isStarting }: EvaluationMoment,
): Promise<Problem | undefined> {
  const plan = planOf(definition, threshold, services, { windowSeconds: check.windowSeconds, to })
  if (plan.kind === 'impossible') return unknownProblem(check, definition, plan.reason, to)
  const resource =
    threshold.resourceId === undefined ? undefined : await values.findResource(threshold.resourceId)
  if (threshold.resourceId !== undefined && resource === undefined)
    return unknownProblem(check, definition, 'its resource no longer exists', to)
  const { metric, comparison } = plan
  const asks = plan.eachLabel ? await splitByLabel(plan.asks, values) : plan.asks
  const hits: Hit[] = []
  for (const ask of asks) {
    const found = await values.value(ask.query)
    const { isCollected } = ask
    const breach = comparison.findBreach({ limit: threshold.value, metric, found, isCollected, now })
    const isTooEarly = isStarting && breach?.kind === 'uncollected'
    if (breach !== undefined && !isTooEarly) hits.push({ breach, ask })
  }
  const worst = hits.toSorted((a, b) => compareBreaches(b.breach, a.breach, comparison))[0]
  if (worst === undefined) return undefined
  const { query, about } = worst.ask
  const subject: Subject = {
    services: about,
    others: hits.length - 1,
    resource,
    label: query.label,
    eventType: query.eventType,
  }
  const { from } = query
  return toProblem({
    check,
    definition,
    threshold,
    metric,
    comparison,
    breach: worst.breach,
    subject,
    from,
    to,
  })
}

/** Creates one query per label; a host without labels in the period gets one query for the whole host. */
async function splitByLabel(asks: readonly ReadValue[], values: ValueSource): Promise<ReadValue[]> {
  const split: ReadValue[] = []
  for (const ask of asks) {
    const labels = (await values.labels(ask.query)).filter((label) => label !== otherLabel)
    if (labels.length === 0) split.push(ask)
    for (const label of labels) split.push({ ...ask, query: { ...ask.query, label } })
  }
  return split
}
