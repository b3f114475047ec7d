import type { FreeNameOptions } from '../../lib/text/free-name.ts'
import { findFreeName } from '../../lib/text/free-name.ts'

/** Names reserved by running loads, so that two loads do not choose the same name. */
export class NameReservations {
  readonly #taken = new Set<string>()

  /** Reserves and returns a free name like `wanted` within `scope`; the caller must call `release`. */
  take(
    scope: string,
    wanted: string,
    isTaken: (name: string) => Promise<boolean>,
    options: Pick<FreeNameOptions, 'fit' | 'signal'>,
  ): Promise<string> {
    const isTakenHere = async (name: string): Promise<boolean> => {
      const key = keyOf(scope, name)
      if (this.#taken.has(key)) return true
      this.#taken.add(key)
      let isFree = false
      try {
        isFree = !(await isTaken(name))
      } finally {
        if (!isFree) this.#taken.delete(key)
      }
      return !isFree
    }
    return findFreeName(wanted, isTakenHere, options)
  }

  release(scope: string, name: string): void {
    this.#taken.delete(keyOf(scope, name))
  }
}

function keyOf(scope: string, name: string): string {
  return `${scope}/${name.toLowerCase()}`
}
