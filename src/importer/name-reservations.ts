import { findFreeName } from '../geo/names.ts'

/** Names that loads under way will take, so that two of them do not choose the same. */
export class NameReservations {
  readonly #taken = new Set<string>()

  /** A free name like `wanted` within `scope`; give it back by `release`. */
  take(scope: string, wanted: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
    return findFreeName(wanted, async (name) => {
      const key = keyOf(scope, name)
      if (this.#taken.has(key)) return true
      this.#taken.add(key)
      if (!(await isTaken(name))) return false
      this.#taken.delete(key)
      return true
    })
  }

  release(scope: string, name: string): void {
    this.#taken.delete(keyOf(scope, name))
  }
}

function keyOf(scope: string, name: string): string {
  return `${scope}/${name.toLowerCase()}`
}
