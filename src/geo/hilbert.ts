/** Boxes as minX, maxX, minY, maxY in sequence. */
export type Boxes = Float32Array

/**
 * Four levels of the curve at once. Index: state * 256 + four bits of x * 16 + four bits of y; value: next
 * state * 256 + eight bits of the key. Bit 0 of a state: x and y are exchanged; bit 1: their bits are
 * inverted.
 */
const fourLevels = Uint16Array.from({ length: 1024 }, (_, index) => {
  let isSwapped = (index >> 8) & 1
  let isInverted = index >> 9
  let key = 0
  for (let level = 3; level >= 0; level -= 1) {
    const x = (index >> (4 + level)) & 1
    const y = (index >> level) & 1
    const right = (isSwapped === 1 ? y : x) ^ isInverted
    const upper = (isSwapped === 1 ? x : y) ^ isInverted
    key = key * 4 + ((3 * right) ^ upper)
    if (upper === 1) continue
    isInverted ^= right
    isSwapped ^= 1
  }
  return ((isInverted * 2 + isSwapped) << 8) | key
})

/** Returns the position on a Hilbert curve of 2^16 by 2^16 cells, from 0 to 2^32 - 1. */
function hilbertKey(x: number, y: number): number {
  let key = 0
  let state = 0
  for (let shift = 12; shift >= 0; shift -= 4) {
    const found = fourLevels[state | (((x >> shift) & 15) << 4) | ((y >> shift) & 15)] as number
    key = (key << 8) | (found & 0xff)
    state = found & 0x300
  }
  return key >>> 0
}

/** Returns the order of the first `count` boxes along a Hilbert curve, by their centres. */
export function hilbertOrder(boxes: Boxes, count: number): Uint32Array {
  let minX = Number.POSITIVE_INFINITY
  let minY = Number.POSITIVE_INFINITY
  let maxX = Number.NEGATIVE_INFINITY
  let maxY = Number.NEGATIVE_INFINITY
  for (let at = 0; at < count * 4; at += 4) {
    if ((boxes[at] as number) < minX) minX = boxes[at] as number
    if ((boxes[at + 1] as number) > maxX) maxX = boxes[at + 1] as number
    if ((boxes[at + 2] as number) < minY) minY = boxes[at + 2] as number
    if ((boxes[at + 3] as number) > maxY) maxY = boxes[at + 3] as number
  }
  const scaleX = maxX > minX ? 65_535 / (maxX - minX) : 0
  const scaleY = maxY > minY ? 65_535 / (maxY - minY) : 0
  const keys = new Uint32Array(count)
  for (let box = 0, at = 0; box < count; box += 1, at += 4) {
    const x = ((boxes[at] as number) + (boxes[at + 1] as number)) / 2
    const y = ((boxes[at + 2] as number) + (boxes[at + 3] as number)) / 2
    keys[box] = hilbertKey(((x - minX) * scaleX) & 0xffff, ((y - minY) * scaleY) & 0xffff)
  }
  return sortedOrder(keys)
}

/**
 * Returns the indexes of the keys in ascending order: a radix sort by 11 bits at a time. Overwrites `keys`.
 */
function sortedOrder(keys: Uint32Array): Uint32Array {
  const count = keys.length
  let order = new Uint32Array(count)
  for (let i = 0; i < count; i += 1) order[i] = i
  let sorted: Uint32Array = keys
  let nextSorted: Uint32Array = new Uint32Array(count)
  let nextOrder = new Uint32Array(count)
  for (let shift = 0; shift < 32; shift += 11) {
    const starts = new Uint32Array(2049)
    for (let i = 0; i < count; i += 1) {
      const slot = (((sorted[i] as number) >>> shift) & 0x7ff) + 1
      starts[slot] = (starts[slot] as number) + 1
    }
    for (let slot = 1; slot < 2049; slot += 1) {
      starts[slot] = (starts[slot] as number) + (starts[slot - 1] as number)
    }
    for (let i = 0; i < count; i += 1) {
      const key = sorted[i] as number
      const slot = (key >>> shift) & 0x7ff
      const at = starts[slot] as number
      starts[slot] = at + 1
      nextSorted[at] = key
      nextOrder[at] = order[i] as number
    }
    ;[sorted, nextSorted] = [nextSorted, sorted]
    ;[order, nextOrder] = [nextOrder, order]
  }
  return order
}
