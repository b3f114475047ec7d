import type { LayerSummary } from '../../../catalog/index.ts'
import { waitLimit } from '../../../core/time/wait-limit.ts'
import type { LayerTimeBounds } from '../../layer-times.ts'

/** First and last time; a date is its whole day. */
export interface RecordTimes {
  from: string
  to: string
}

/** Time that a response waits for unknown times of features: a later one contains them. */
const longestMs = 1500

/**
 * Returns temporal extents of layers by their ids: of mosaics by their granules, of features by a date or
 * time attribute.
 */
export async function timesOfSummaries(
  { times }: { times: Pick<LayerTimeBounds, 'ofCard'> },
  cards: readonly LayerSummary[],
): Promise<ReadonlyMap<number, RecordTimes>> {
  const soon = waitLimit(longestMs)
  const found = await Promise.all(cards.map((card) => card.times ?? times.ofCard(card, soon)))
  return new Map(
    cards.flatMap(({ id }, index) => {
      const one = found[index]
      return one === undefined ? [] : [[id, { from: one.from, to: one.to }]]
    }),
  )
}

/** The same as two moments. */
export function momentsOf({ from, to }: RecordTimes): RecordTimes {
  return {
    from: from.includes('T') ? from : `${from}T00:00:00Z`,
    to: to.includes('T') ? to : `${to}T23:59:59Z`,
  }
}
