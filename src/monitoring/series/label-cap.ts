/** Labels with rows of their own, and those summed in `(other)`. */
export interface CappedLabels {
  kept: number[]
  rest: number[]
}

/**
 * Selects the `cap` most frequent labels; of equally frequent ones the first by name. Labels are numbers,
 * described by `counts` and `names`. A label with the name `name` always belongs to the rest.
 */
export function capLabels(
  labels: readonly number[],
  {
    counts,
    names,
    cap,
    alwaysRest,
  }: { counts: Int32Array; names: readonly string[]; cap: number; alwaysRest: string },
): CappedLabels {
  const isTaken = labels.some((label) => names[label] === alwaysRest)
  const own = isTaken ? labels.filter((label) => names[label] !== alwaysRest) : labels
  const taken = isTaken ? labels.filter((label) => names[label] === alwaysRest) : []
  if (own.length <= cap) return { kept: [...own], rest: taken }
  const threshold = Int32Array.from(own, (label) => counts[label] ?? 0).sort()[own.length - cap] ?? 0
  const kept: number[] = []
  const ties: number[] = []
  const rest = taken
  for (const label of own) {
    const count = counts[label] ?? 0
    if (count > threshold) kept.push(label)
    else if (count === threshold) ties.push(label)
    else rest.push(label)
  }
  ties.sort((a, b) => ((names[a] ?? '') < (names[b] ?? '') ? -1 : 1))
  const room = cap - kept.length
  return { kept: [...kept, ...ties.slice(0, room)], rest: [...rest, ...ties.slice(room)] }
}
