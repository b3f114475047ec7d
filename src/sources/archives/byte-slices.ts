/** Cuts a stream of bytes into pieces of known sizes, one after the other. */
export class ByteSlices {
  readonly #content: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#content = content[Symbol.asyncIterator]()
  }

  /** The next `sizeBytes`; throws when fewer are left. Read it to its end before the next one. */
  async *take(sizeBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let left = sizeBytes; left > 0; ) {
      if (this.#rest.length === 0) await this.#refill(left)
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  /** Reads on to the end, which must come at once; closes the stream. */
  async finish(): Promise<void> {
    const isDone = this.#rest.length === 0 && (await this.#content.next()).done === true
    if (!isDone) throw new Error('more bytes follow than its entries have')
  }

  async close(): Promise<void> {
    await this.#content.return?.()
  }

  async #refill(left: number): Promise<void> {
    const step = await this.#content.next()
    if (step.done === true) throw new Error(`it ends ${left} bytes too early`)
    this.#rest = step.value
  }
}
