import { freeName } from '../geo/names.ts'

/** Names that loads under way will take, so that two of them do not choose the same. */
export class NameReservations {
  readonly #taken = new Set<string>()

  /** A free name like `wanted` within `scope`; give it back by `release`. */
  take(scope: string, wanted: string, isTaken: (name: string) => boolean): string {
    const name = freeName(wanted, (one) => isTaken(one) || this.#taken.has(`${scope}/${one.toLowerCase()}`))
    this.#taken.add(`${scope}/${name.toLowerCase()}`)
    return name
  }

  release(scope: string, name: string): void {
    this.#taken.delete(`${scope}/${name.toLowerCase()}`)
  }
}
