import type { Metric } from '../../metrics/metrics.ts'
import type { ValueResult } from '../model/model.ts'

/** Unit of limits: how they are parsed and shown. */
export interface LimitKind {
  /** Limits are seconds, which some responses write as durations; otherwise numbers in the metric's unit. */
  isDuration: boolean
  /** Empty for plain numbers. */
  unit(metric: Pick<Metric, 'unit'> | undefined): string
  /** Parses an entered number; undefined if it is invalid. */
  parse(text: string): number | undefined
  /** Formats a limit for people: `2 minutes`, `1.5 GB`. */
  readable(limit: number, metric: Pick<Metric, 'unit'>): string
}

/** A measured value and the facts needed to compare it with a limit. */
export interface ComparedValue {
  limit: number
  metric: Pick<Metric, 'type'>
  found: ValueResult
  /** True if a service was collected in the period, so that no row means 0. */
  isCollected: boolean
  /** Milliseconds since 1970. */
  now: number
}

/** Violation of a limit. */
export type Breach =
  /** The limit is violated. `value` is absent if nothing was ever measured. */
  | { kind: 'beyond'; value?: number }
  /** Nothing was collected, so that the value is unknown. */
  | { kind: 'uncollected' }

/** Facts for describing a violation. */
export interface BreachFacts {
  value: number | undefined
  metric: Pick<Metric, 'unit'>
  /** The limit, formatted for people. */
  limit: string
  /** ` (and 2 more)` if other hosts or labels violate the limit too; otherwise empty. */
  more: string
  /** Evaluated period, such as `from 12:04 to 12:05 UTC`. */
  span: string
}

/** Compares values of a metric with a limit. */
export interface Comparison {
  /** Second part of a field name, which is also stored in the database and never changed. */
  name: string
  /** Condition of the problem, for documentation. */
  isProblemWhen: string
  limit: LimitKind
  /** Selects the worst of several values. */
  worst: 'lowest' | 'highest'
  /** True if a metric without services is not a problem. */
  mayHaveNoService(metric: Pick<Metric, 'type'>): boolean
  /**
   * Returns the violation of a limit; undefined if there is none. A value equal to the limit is not a violation.
   */
  findBreach(compared: ComparedValue): Breach | undefined
  /** Returns the found and the expected value, as the end of a sentence about the subject. */
  describe(facts: BreachFacts): string
}
