import type { RejectedRow } from '../../geo/batch.ts'
import type { RejectGroup } from '../model/load-rules.ts'

/**
 * Origin of a rejection: the reader, a transformation, or the store; or the reason why a corrected row was
 * not tried.
 */
export type RejectSource = 'row-not-read' | 'row-not-transformed' | 'row-not-stored' | 'row-refused'

/**
 * Maximum number of distinct kinds of reasons; further ones are counted only by the writer of rejected rows.
 */
const maxKinds = 1000
const shownKinds = 3
const shownText = 200
const groupKinds = 100
const groupRows = 5
const groupFields = 30

interface ReasonGroup {
  count: number
  code: RejectSource
  /** Example rows for users. */
  rows: object[]
  /** The first row of the kind. */
  first: Pick<RejectedRow, 'row' | 'field' | 'value' | 'reason'>
}

/** Returns the common form of similar reasons: quoted values and numbers are replaced. */
function kindOf({ field = '', reason }: Pick<RejectedRow, 'field' | 'reason'>): string {
  return `${field}\n${reason
    .slice(0, 500)
    .replace(/"[^"]*"/g, '""')
    .replace(/\d+/g, '0')}`
}

function explainKind({ count, first }: ReasonGroup): string {
  const { row, field, value, reason } = first
  const prefix = field === undefined ? '' : `"${field}": `
  const found = value === undefined || reason.includes(`"${value}"`) ? '' : ` has "${value.slice(0, 80)}"`
  const rows = count === 1 ? '1 row' : `${count} rows`
  return `${rows}, ${prefix}${reason.slice(0, shownText)} (row ${row}${found})`
}

/** Counts why rows are rejected. */
export class RejectReasons {
  readonly #kinds = new Map<string, ReasonGroup>()

  add(reject: RejectedRow, code: RejectSource = 'row-not-read'): void {
    const { row, field, value, reason } = reject
    const key = kindOf({ field, reason })
    const known = this.#kinds.get(key)
    if (known !== undefined) {
      known.count += 1
      if (known.rows.length < groupRows) known.rows.push(shownRow(reject))
    } else if (this.#kinds.size < maxKinds) {
      const first = { row, reason, field, value }
      this.#kinds.set(key, { count: 1, code, rows: [shownRow(reject)], first })
    }
  }

  /** Describes the most frequent reasons with their first rows; empty if there are none. */
  explain(): string {
    const kinds = this.#sorted()
    const shown = kinds.slice(0, shownKinds).map(explainKind)
    const more = kinds.length > shownKinds ? `; and ${kinds.length - shownKinds} more reasons` : ''
    return shown.join('; ') + more
  }

  /** Returns the most frequent reasons with some rows of each. */
  groups(): RejectGroup[] {
    return this.#sorted()
      .slice(0, groupKinds)
      .map(({ code, count, rows, first: { field, reason } }) => ({
        code,
        reason: reason.slice(0, 500),
        count,
        rows,
        field,
      }))
  }

  #sorted(): ReasonGroup[] {
    return [...this.#kinds.values()].sort((a, b) => b.count - a.count || a.first.row - b.first.row)
  }
}

function shownRow({ row, value, properties = {} }: RejectedRow): object {
  const shown = Object.entries(properties)
    .slice(0, groupFields)
    .map(([name, one]) => [name, shownValue(one)])
  return { row, value: value?.slice(0, shownText), properties: Object.fromEntries(shown) }
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value.subarray(0, shownText)).toString('base64')
  return typeof value === 'string' ? value.slice(0, shownText) : value
}
