/** Labels that have rows of their own, and those that `(other)` stands for. */
export interface CappedLabels {
  kept: number[]
  rest: number[]
}

/**
 * The `cap` labels that occur most often; of those that occur equally often the first by name. Labels are numbers, by
 * which `counts` and `names` tell of them. A label that is named `name` belongs to the rest in any case.
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
