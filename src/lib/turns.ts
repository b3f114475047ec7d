/** Does one piece of work after the other, in the order in which they were asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** A piece that fails does not keep the next ones from their turn. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work)
    this.#last = result.catch(() => undefined)
    return result
  }
}
