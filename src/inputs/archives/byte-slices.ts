/** Splits a byte stream into consecutive pieces of known sizes. */
export class ByteSlices {
  readonly #content: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#content = content[Symbol.asyncIterator]()
  }

  /** Yields the next `sizeBytes`; throws if fewer are left. Consume it completely before the next call. */
  async *take(sizeBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let left = sizeBytes; left > 0; ) {
      if (this.#rest.length === 0) await this.#refill(left)
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  /** Reads to the end, which must follow immediately; closes the stream. */
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
