import type { LoadHooks } from './store.ts'

/** What a value is that a column cannot hold: no number, or an infinite number, date or time. */
export type LostKind = 'nan' | 'infinity'

const codes = { nan: 'nan-is-null', infinity: 'infinity-is-null' } as const
const words = { nan: 'NaN', infinity: 'infinite' } as const

/** Counts values that became null, since their column cannot hold them. */
export class LostValues {
  readonly #counts: Record<LostKind, Map<string, number>> = { nan: new Map(), infinity: new Map() }

  /** Counts one value of the field. */
  add(field: string, kind: LostKind): void {
    const counts = this.#counts[kind]
    counts.set(field, (counts.get(field) ?? 0) + 1)
  }

  /** Sends a message for each field with lost values; `holder` is what cannot hold them. */
  tell({ onMessage }: Pick<LoadHooks, 'onMessage'>, holder: string): void {
    for (const kind of ['nan', 'infinity'] as const) {
      for (const [field, count] of this.#counts[kind]) {
        const message = `Field "${field}": ${count} values are ${words[kind]}, which ${holder} cannot hold, and became null`
        onMessage({ level: 'warning', code: codes[kind], message })
      }
    }
  }
}

/** The kind of a number that is not finite, of any column type. */
export function lostKind(value: unknown): LostKind {
  return String(value) === 'NaN' ? 'nan' : 'infinity'
}
