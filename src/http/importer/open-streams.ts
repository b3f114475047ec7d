/** Responses that continue until the client or the server ends them. */
export class OpenStreams {
  readonly #ends = new Set<() => void>()

  /** Gives the function that forgets the stream. */
  add(end: () => void): () => void {
    this.#ends.add(end)
    return () => this.#ends.delete(end)
  }

  endAll(): void {
    for (const end of [...this.#ends]) end()
  }
}
