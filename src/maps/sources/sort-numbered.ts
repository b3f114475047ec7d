import { orderOfNumbers } from '../../lib/order-of-numbers.ts'
import type { NumberedEnvelopes } from '../../stores/store.ts'

/** The same rows in the order of their ids. */
export function sortNumbered(rows: NumberedEnvelopes): NumberedEnvelopes {
  if (areSorted(rows.ids)) return rows
  const order = orderOfNumbers(rows.ids)
  const ids = new Float64Array(order.length)
  const envelopes = new Float64Array(order.length * 4)
  for (let to = 0; to < order.length; to += 1) {
    const from = order[to] as number
    ids[to] = rows.ids[from] as number
    envelopes[to * 4] = rows.envelopes[from * 4] as number
    envelopes[to * 4 + 1] = rows.envelopes[from * 4 + 1] as number
    envelopes[to * 4 + 2] = rows.envelopes[from * 4 + 2] as number
    envelopes[to * 4 + 3] = rows.envelopes[from * 4 + 3] as number
  }
  return { ids, envelopes }
}

function areSorted(ids: Float64Array): boolean {
  for (let at = 1; at < ids.length; at += 1) if ((ids[at] as number) < (ids[at - 1] as number)) return false
  return true
}
