import type { MetricData, NamedResource } from '../../../../monitoring/query/index.ts'

/** Name of the row that sums the layers which the caller may not read. */
export const notShown = '(not shown)'

/** True for a layer that the caller may not read. `shown`: names of readable layers; absent: all are. */
export function isHidden(
  { type, name }: Pick<NamedResource, 'type' | 'name'>,
  shown: ReadonlySet<string> | undefined,
): boolean {
  return shown !== undefined && type === 'layer' && !shown.has(name)
}

/** The sum of the rows of hidden layers of one period and one inner key. */
export interface HiddenSum {
  innerKey: number
  value: number
  min: number
  max: number
  sum: number
  samples: number
  count: number
}

/** Sums rows by their inner key. Rates are means weighted by samples; distinct counts are an upper bound. */
export class HiddenRows {
  readonly #isRate: boolean
  readonly #sums = new Map<number, HiddenSum>()

  constructor({ query }: MetricData) {
    this.#isRate = query.shape.value === 'amount' && query.metric.type === 'rate'
  }

  add(row: HiddenSum): void {
    const known = this.#sums.get(row.innerKey)
    if (known === undefined) {
      this.#sums.set(row.innerKey, { ...row })
      return
    }
    const samples = known.samples + row.samples
    if (!this.#isRate) known.value += row.value
    else if (samples > 0) known.value = (known.value * known.samples + row.value * row.samples) / samples
    known.min = Math.min(known.min, row.min)
    known.max = Math.max(known.max, row.max)
    known.sum += row.sum
    known.samples = samples
    known.count += row.count
  }

  /** Returns the sums so far, and starts again. */
  take(): HiddenSum[] {
    const sums = [...this.#sums.values()]
    this.#sums.clear()
    return sums
  }
}
