import type { Duplex } from 'node:stream'
import type { ClientBase, Submittable } from 'pg'
import type { CopyTap } from './copy-tap.ts'
import { tapOn } from './copy-tap.ts'

/** Bytes that are handed on together: few at first, since most answers are short. */
const firstPieceBytes = 4 << 10
const mostPieceBytes = 128 << 10
/** Bytes that may wait for whoever reads before the server has to. */
const mostWaiting = 4 << 20

/** What statements behind a COPY in the same message give. */
export interface CopyTail {
  /** Their rows as text; none where one of them failed. */
  rows: (string | null)[][]
  error?: unknown
}

interface CopyConnection {
  query(text: string): void
  stream: Duplex
}

/**
 * What `COPY ... TO STDOUT` gives, in pieces; the server is not read faster than the pieces are taken. Who leaves before
 * the end loses the connection. Throws what the server refuses; what it refuses of the statements behind the COPY stands in
 * `tail`.
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

/** One COPY as `pg` runs it: its driver calls the methods that begin with `handle`. */
class CopyOut implements Submittable {
  readonly #sql: string
  readonly #tail: CopyTail
  #isCopied = false
  #connection: CopyConnection | undefined
  #tap: CopyTap | undefined
  #pieces: Uint8Array[] = []
  #waiting = 0
  /** The driver uses the memory of a message again: it is copied here. */
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

  /** Without a tap. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#take(chunk, 0, chunk.length)
  }

  #take(bytes: Buffer, start: number, end: number): void {
    const length = end - start
    if (this.#used + length > this.#piece.length) {
      this.#handOn()
      this.#piece = new Uint8Array(Math.max(this.#pieceBytes, length))
      this.#pieceBytes = Math.min(mostPieceBytes, this.#pieceBytes * 2)
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

  /** Undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#pieces.length === 0 && this.#end === undefined) await this.#turn()
    const piece = this.#pieces.shift()
    if (piece === undefined && this.#end !== undefined && 'error' in this.#end) throw this.#end.error
    const wasFull = this.#waiting >= mostWaiting
    this.#waiting -= piece?.length ?? 0
    if (wasFull && this.#waiting < mostWaiting) this.#connection?.stream.resume()
    return piece
  }

  /** Ends the connection where the end has not come; whoever gives it back afterwards gives back one that is known as ended. */
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
    if (this.#waiting >= mostWaiting && this.#end === undefined) this.#connection?.stream.pause()
    this.#wake()
  }

  #finish(end: { error?: unknown }): void {
    this.#end ??= end
    this.#tap?.close()
    this.#tap = undefined
    this.#wake()
  }
}
