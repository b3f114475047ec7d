import type { LoadHooks } from './store.ts'

/** A value that a column cannot store: NaN, or an infinite number, date or time. */
export type LostKind = 'nan' | 'infinity'

const codes = { nan: 'nan-is-null', infinity: 'infinity-is-null' } as const
const words = { nan: 'NaN', infinity: 'infinite' } as const

/** Counts values that became null because their column cannot store them. */
export class LostValues {
  readonly #counts: Record<LostKind, Map<string, number>> = { nan: new Map(), infinity: new Map() }

  /** Counts one value of a field. */
  add(field: string, kind: LostKind): void {
    const counts = this.#counts[kind]
    counts.set(field, (counts.get(field) ?? 0) + 1)
  }

  /** Sends a message for each field with lost values; `holder` is what cannot store them. */
  tell({ onMessage }: Pick<LoadHooks, 'onMessage'>, holder: string): void {
    for (const kind of ['nan', 'infinity'] as const) {
      for (const [field, count] of this.#counts[kind]) {
        const message = `Field "${field}": ${count} values are ${words[kind]}, which ${holder} cannot hold, and became null`
        onMessage({ level: 'warning', code: codes[kind], message })
      }
    }
  }
}

/** Returns the kind of a non-finite number, of any column type. */
export function lostKind(value: unknown): LostKind {
  return String(value) === 'NaN' ? 'nan' : 'infinity'
}
