/** Fields of a `metric_data` row. */
interface Row {
  val: string | number
  samples_count: number
  label?: string | undefined
  resource?: { id: number } | undefined
  event_type?: string | undefined
}

/** Takes from rows what others of the same label, resource and kind of request amount to; what is left with nothing goes. */
export function withoutRows<R extends Row>(rows: readonly R[], others: readonly Row[], type: string): R[] {
  const taken = new Map(others.map((row) => [keyOf(row), row]))
  return rows.flatMap((row) => {
    const other = taken.get(keyOf(row))
    if (other === undefined) return [row]
    const samples = row.samples_count - other.samples_count
    if (samples <= 0) return []
    const [own, less] = [Number(row.val), Number(other.val)]
    const value =
      type === 'rate' ? (own * row.samples_count - less * other.samples_count) / samples : own - less
    return [{ ...row, val: String(round(value)), samples_count: samples }]
  })
}

function keyOf({ label, resource, event_type: event }: Row): string {
  return JSON.stringify([label, resource?.id, event])
}

/** Rounds as the server does, whose decimals have four digits. */
export function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
