/** Boxes as minX, maxX, minY, maxY in sequence. */
export type Boxes = Float32Array

/** Place on a Hilbert curve of 2^16 by 2^16 cells, from 0 to 2^32 - 1. */
function hilbertKey(cellX: number, cellY: number): number {
  let x = cellX
  let y = cellY
  let key = 0
  for (let side = 0x8000; side > 0; side >>= 1) {
    const right = (x & side) === 0 ? 0 : 1
    const upper = (y & side) === 0 ? 0 : 1
    key = key * 4 + ((3 * right) ^ upper)
    if (upper === 0) {
      if (right === 1) {
        x = 0xffff - x
        y = 0xffff - y
      }
      const swapped = x
      x = y
      y = swapped
    }
  }
  return key
}

/** The order of the first `count` boxes along a Hilbert curve over the middle of each. */
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

/** The indexes of the keys in ascending order: a radix sort by 11 bits at a time. Uses up `keys`. */
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
