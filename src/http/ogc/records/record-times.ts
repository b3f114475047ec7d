import type { LayerCard } from '../../../catalog/cards/layer-card.ts'
import type { LayerTimeBounds } from '../../layer-times.ts'

/** First and last time; a date is its whole day. */
export interface RecordTimes {
  from: string
  to: string
}

/** How long an answer waits for times of features that are not known yet: a later one tells them. */
const longestMs = 1500

/** When layers are of, by their ids: mosaics by their granules, features by a date or time that they have. */
export async function timesOfCards(
  { times }: { times: Pick<LayerTimeBounds, 'ofCard'> },
  cards: readonly LayerCard[],
): Promise<ReadonlyMap<number, RecordTimes>> {
  const soon = AbortSignal.timeout(longestMs)
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
