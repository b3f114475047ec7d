import type { Duplex } from 'node:stream'
import type { ClientBase, Submittable } from 'pg'
import type { CopyTap } from './copy-tap.ts'
import { tapOn } from './copy-tap.ts'

/** Size of the chunks: small at first, since most results are short. */
const firstPieceBytes = 4 << 10
const maxPieceBytes = 128 << 10
/** Bytes that may wait for the consumer before reading from the server is paused. */
const maxWaiting = 4 << 20

/** Results of the statements that follow a COPY in the same message. */
export interface CopyTail {
  /** Rows as text; none if a statement failed. */
  rows: (string | null)[][]
  error?: unknown
}

interface CopyConnection {
  query(text: string): void
  stream: Duplex
}

/**
 * Streams the result of `COPY ... TO STDOUT` in chunks; reads from the server only as fast as the chunks are
 * consumed. A consumer that stops early loses the connection. Throws the server's error; `tail` receives
 * errors of the statements after the COPY.
 */
export async function* readCopy(
  client: ClientBase,
  sql: string,
  tail: CopyTail = { rows: [] },
): AsyncGenerator<Uint8Array> {
  const copy = new CopyOut(sql, tail)
  client.query(copy)
  try {
    for (let piece = await copy.next(); piece !== undefined; piece = await copy.next()) yield piece
  } finally {
    await copy.leave()
  }
}

/** One COPY as `pg` runs it: the driver calls the methods that begin with `handle`. */
class CopyOut implements Submittable {
  readonly #sql: string
  readonly #tail: CopyTail
  #isCopied = false
  #connection: CopyConnection | undefined
  #tap: CopyTap | undefined
  #pieces: Uint8Array[] = []
  #waiting = 0
  /** Copy of the current piece, since the driver reuses the memory of messages. */
  #piece = new Uint8Array(0)
  #used = 0
  #pieceBytes = firstPieceBytes
  #end: { error?: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(sql: string, tail: CopyTail) {
    this.#sql = sql
    this.#tail = tail
  }

  submit(connection: unknown): void {
    this.#connection = connection as CopyConnection
    const tap = tapOn(this.#connection.stream)
    if (tap?.open((bytes, start, end) => this.#take(bytes, start, end)) === true) this.#tap = tap
    this.#connection.query(this.#sql)
  }

  /** Called by the driver if there is no tap. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#take(chunk, 0, chunk.length)
  }

  #take(bytes: Buffer, start: number, end: number): void {
    const length = end - start
    if (this.#used + length > this.#piece.length) {
      this.#handOn()
      this.#piece = new Uint8Array(Math.max(this.#pieceBytes, length))
      this.#pieceBytes = Math.min(maxPieceBytes, this.#pieceBytes * 2)
    }
    bytes.copy(this.#piece, this.#used, start, end)
    this.#used += length
  }

  handleError(error: unknown): void {
    if (!this.#isCopied) {
      this.#finish({ error })
      return
    }
    this.#tail.rows = []
    this.#tail.error = error
    this.handleReadyForQuery()
  }

  handleReadyForQuery(): void {
    this.#handOn()
    this.#finish({})
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#isCopied) this.#tail.rows.push(fields)
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (text.startsWith('COPY')) this.#isCopied = true
  }

  handleRowDescription(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}

  /** Returns the next piece; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#pieces.length === 0 && this.#end === undefined) await this.#turn()
    const piece = this.#pieces.shift()
    if (piece === undefined && this.#end !== undefined && 'error' in this.#end) throw this.#end.error
    const wasFull = this.#waiting >= maxWaiting
    this.#waiting -= piece?.length ?? 0
    if (wasFull && this.#waiting < maxWaiting) this.#connection?.stream.resume()
    return piece
  }

  /** Ends the connection if the COPY has not completed, and marks it as ended for the pool. */
  async leave(): Promise<void> {
    if (this.#end === undefined) this.#connection?.stream.destroy()
    while (this.#end === undefined) await this.#turn()
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #handOn(): void {
    if (this.#used === 0) return
    this.#pieces.push(this.#piece.subarray(0, this.#used))
    this.#waiting += this.#used
    this.#piece = new Uint8Array(0)
    this.#used = 0
    if (this.#waiting >= maxWaiting && this.#end === undefined) this.#connection?.stream.pause()
    this.#wake()
  }

  #finish(end: { error?: unknown }): void {
    this.#end ??= end
    this.#tap?.close()
    this.#tap = undefined
    this.#wake()
  }
}
