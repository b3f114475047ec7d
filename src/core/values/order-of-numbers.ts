/**
 * Maximum range of the numbers, as a multiple of their count, for sorting by a table of all numbers in the
 * range.
 */
const densest = 8

/** Returns the indexes of integers in ascending order of the integers; equal ones retain their order. */
export function orderOfNumbers(numbers: ArrayLike<number>): Uint32Array {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] as number
    if (number < least) least = number
    if (number > most) most = number
  }
  const width = most - least + 1
  const isClose = numbers.length > 0 && width <= numbers.length * densest
  const byPlace = isClose ? orderByPlace(numbers, least, width) : undefined
  return byPlace ?? orderBySorting(numbers)
}

/** Sorts by a table; undefined if a number occurs twice. */
function orderByPlace(numbers: ArrayLike<number>, least: number, width: number): Uint32Array | undefined {
  const places = new Uint32Array(width)
  for (let at = 0; at < numbers.length; at += 1) places[(numbers[at] as number) - least] = at + 1
  const order = new Uint32Array(numbers.length)
  let filled = 0
  for (const place of places) {
    if (place === 0) continue
    order[filled] = place - 1
    filled += 1
  }
  return filled === numbers.length ? order : undefined
}

function orderBySorting(numbers: ArrayLike<number>): Uint32Array {
  const order = Uint32Array.from({ length: numbers.length }, (_, at) => at)
  return order.sort((a, b) => (numbers[a] as number) - (numbers[b] as number) || a - b)
}
