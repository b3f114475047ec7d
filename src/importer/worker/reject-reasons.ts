import type { RejectedRow } from '../../geo/batch.ts'
import { defined } from '../../lib/defined.ts'

/** Kinds of reasons that are told apart; further ones are counted by the writer of rejects alone. */
const maxKinds = 1000
const shownKinds = 3
const shownText = 200

interface Kind {
  count: number
  /** The first row of the kind. */
  first: Pick<RejectedRow, 'row' | 'field' | 'value' | 'reason'>
}

/** What texts of one kind share: values in quotes and numbers differ from row to row. */
function kindOf({ field = '', reason }: Pick<RejectedRow, 'field' | 'reason'>): string {
  return `${field}\n${reason
    .slice(0, 500)
    .replace(/"[^"]*"/g, '""')
    .replace(/\d+/g, '0')}`
}

function explainKind({ count, first }: Kind): string {
  const { row, field, value, reason } = first
  const place = field === undefined ? '' : `"${field}": `
  const found = value === undefined || reason.includes(`"${value}"`) ? '' : ` has "${value.slice(0, 80)}"`
  const rows = count === 1 ? '1 row' : `${count} rows`
  return `${rows}, ${place}${reason.slice(0, shownText)} (row ${row}${found})`
}

/** Counts why rows are rejected. */
export class RejectReasons {
  readonly #kinds = new Map<string, Kind>()

  add({ row, field, value, reason }: RejectedRow): void {
    const key = kindOf({ ...defined({ field }), reason })
    const known = this.#kinds.get(key)
    if (known !== undefined) known.count += 1
    else if (this.#kinds.size < maxKinds) {
      const first = {
        row,
        reason,
        ...defined({ field, value }),
      }
      this.#kinds.set(key, { count: 1, first })
    }
  }

  /** The commonest reasons with their first rows, in words; empty without any. */
  explain(): string {
    const kinds = [...this.#kinds.values()].sort((a, b) => b.count - a.count || a.first.row - b.first.row)
    const shown = kinds.slice(0, shownKinds).map(explainKind)
    const more = kinds.length > shownKinds ? `; and ${kinds.length - shownKinds} further reasons` : ''
    return shown.join('; ') + more
  }
}
