/** A key that identifies a value. */
export type Key = string | number | bigint

const bits = 14
const registers = 2 ** bits
const factor = 0.7213 / (1 + 1.079 / registers)

/**
 * Estimates the number of distinct keys in 16 KiB, whatever their number (HyperLogLog); the typical error is
 * 0.8 %.
 */
export class DistinctEstimate {
  readonly #registers = new Uint8Array(registers)

  add(key: Key): void {
    const [low, high] = hashOf(key)
    const register = low & (registers - 1)
    const rank = Math.clz32(high) + 1
    if (rank > (this.#registers[register] as number)) this.#registers[register] = rank
  }

  get count(): number {
    let sum = 0
    let unused = 0
    for (const rank of this.#registers) {
      sum += 2 ** -rank
      if (rank === 0) unused += 1
    }
    const estimate = (factor * registers * registers) / sum
    // With few keys the number of unused registers gives a better estimate.
    if (estimate <= 2.5 * registers && unused > 0) return Math.round(registers * Math.log(registers / unused))
    return Math.round(estimate)
  }
}

const number = new Float64Array(1)
const halves = new Uint32Array(number.buffer)

/** Returns two pseudo-random 32-bit numbers that are equal for equal keys. */
function hashOf(key: Key): [number, number] {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  const take = (part: number): void => {
    low = Math.imul(low ^ part, 2654435761)
    high = Math.imul(high ^ part, 1597334677)
  }
  if (typeof key === 'number') {
    // 0 and −0 are the same value.
    number[0] = key === 0 ? 0 : key
    take(halves[0] as number)
    take(halves[1] as number)
  } else {
    const text = typeof key === 'string' ? key : key.toString(36)
    for (let at = 0; at < text.length; at += 1) take(text.charCodeAt(at))
  }
  low = mixed(low ^ (high >>> 15))
  high = mixed(high ^ low)
  return [low, high]
}

function mixed(given: number): number {
  let hash = Math.imul(given ^ (given >>> 16), 2246822507)
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909)
  return (hash ^ (hash >>> 16)) >>> 0
}
