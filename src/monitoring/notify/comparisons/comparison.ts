import type { Metric } from '../../metrics/metrics.ts'
import type { FoundValue } from '../model/model.ts'

/** What the numbers of a limit are: how they are typed and shown. */
export interface LimitKind {
  /** Seconds, which some answers write as a duration; otherwise the metric's own numbers. */
  isDuration: boolean
  /** Empty for plain numbers. */
  unit(metric: Pick<Metric, 'unit'> | undefined): string
  /** The number that somebody typed; undefined where it is none. */
  parse(text: string): number | undefined
  /** As people read it: `2 minutes`, `1.5 GB`. */
  readable(limit: number, metric: Pick<Metric, 'unit'>): string
}

/** A number that was found, and what is to be known to compare it. */
export interface Compared {
  limit: number
  metric: Pick<Metric, 'type'>
  found: FoundValue
  /** Whether some service was collected in the period, so that no row means 0. */
  isCollected: boolean
  /** Milliseconds since 1970. */
  now: number
}

/** How a limit is broken. */
export type Breach =
  /** `value` is absent where nothing was ever measured. */
  | { kind: 'beyond'; value?: number }
  /** Nothing was collected, so that nothing is known. */
  | { kind: 'uncollected' }

/** What a breach is told with. */
export interface BreachFacts {
  value: number | undefined
  metric: Pick<Metric, 'unit'>
  /** The limit as people read it. */
  limit: string
  /** ` (and 2 more)` where other hosts or labels break the limit too; empty otherwise. */
  more: string
  /** `from 12:04 to 12:05 UTC`. */
  span: string
}

/** A way to compare what a metric measures with a limit. */
export interface Comparison {
  /** The second half of a field's name, and what the database holds; never changed. */
  name: string
  /** When it is a problem, as documents say it. */
  isProblemWhen: string
  limit: LimitKind
  /** Which of several numbers is the furthest beyond a limit. */
  worst: 'lowest' | 'highest'
  /** Whether nothing is wrong where no service measures the metric. */
  mayHaveNoService(metric: Pick<Metric, 'type'>): boolean
  /** Whether a number breaks a limit; undefined where it does not. A value that equals the limit is fine. */
  findBreach(compared: Compared): Breach | undefined
  /** What was found and what is expected, as the end of a sentence whose start says what it is about. */
  describe(facts: BreachFacts): string
}
