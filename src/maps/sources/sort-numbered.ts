import type { NumberedEnvelopes } from '../../stores/store.ts'

/** Ids that lie this closely are put in their places by a list of all numbers between the first and the last. */
const densest = 4

/** The same rows in the order of their ids. */
export function sortNumbered(rows: NumberedEnvelopes): NumberedEnvelopes {
  const order = orderOf(rows.ids)
  if (order === undefined) return rows
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

/** Places in the order of the ids; undefined where they stand in that order. */
function orderOf(ids: Float64Array): Uint32Array | undefined {
  let least = ids[0] ?? 0
  let most = least
  let isSorted = true
  for (let at = 1; at < ids.length; at += 1) {
    const id = ids[at] as number
    if (id < (ids[at - 1] as number)) isSorted = false
    if (id < least) least = id
    if (id > most) most = id
  }
  if (isSorted) return undefined
  const width = most - least + 1
  const byPlace = width <= ids.length * densest ? orderByPlace(ids, least, width) : undefined
  if (byPlace !== undefined) return byPlace
  return Uint32Array.from(ids, (_, at) => at).sort((a, b) => (ids[a] as number) - (ids[b] as number))
}

/** Undefined where an id is there twice, as in a table that others inherit from. */
function orderByPlace(ids: Float64Array, least: number, width: number): Uint32Array | undefined {
  const places = new Uint32Array(width)
  for (let at = 0; at < ids.length; at += 1) places[(ids[at] as number) - least] = at + 1
  const order = new Uint32Array(ids.length)
  let filled = 0
  for (const place of places) {
    if (place === 0) continue
    order[filled] = place - 1
    filled += 1
  }
  return filled === ids.length ? order : undefined
}
