import type { Socket } from 'node:net'
import { connect } from 'node:net'

/**
 * Response to a request. `sizeBytes` is the size of the body as sent, including the chunk sizes of a chunked
 * body.
 */
export interface HttpAnswer {
  status: number
  sizeBytes: number
}

const patienceMs = 60_000
const headEnd = Buffer.from('\r\n\r\n')
/**
 * Last chunk of a body without a content length. This code assumes that no earlier chunk ends with the same
 * bytes.
 */
const lastPiece = Buffer.from('\r\n0\r\n\r\n')

/** Returns the request target for the request line. */
export function pathOf({ pathname, search }: URL): string {
  return pathname + search
}

/**
 * Persistent connection for one request after the other. A request costs the client a few microseconds of
 * work; with `node:http` a small response costs the client as much work as the server.
 */
export class HttpConnection {
  readonly #socket: Socket
  readonly #head: string
  #waiting: PromiseWithResolvers<HttpAnswer> | undefined
  #received: Buffer[] = []
  #length = 0
  /**
   * Total size of head and body, known once the head has arrived; -1 if only the last chunk marks the end of
   * the body.
   */
  #target: number | undefined
  #headLength = 0
  #answer: HttpAnswer = { status: 0, sizeBytes: 0 }

  constructor(url: URL, headers: Readonly<Record<string, string>> = {}) {
    const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}`)
    this.#head = ` HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
    this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
    this.#socket.setTimeout(patienceMs, () => this.#socket.destroy(new Error('No answer came')))
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes))
    this.#socket.once('error', (error) => this.#waiting?.reject(error))
    this.#socket.once('close', () => this.#waiting?.reject(new Error('The connection was closed')))
  }

  get(path: string): Promise<HttpAnswer> {
    this.#waiting = Promise.withResolvers<HttpAnswer>()
    if (this.#socket.destroyed) this.#waiting.reject(new Error('The connection is closed'))
    else this.#socket.write(`GET ${path}${this.#head}`, 'latin1')
    return this.#waiting.promise
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#received.push(bytes)
    this.#length += bytes.length
    if (this.#target === undefined) this.#readHead()
    if (this.#target === undefined || this.#length < this.#target) return
    if (this.#target === -1) {
      if (!this.#hasEnded()) return
      this.#answer.sizeBytes = this.#length - this.#headLength
    }
    const waiting = this.#waiting
    this.#received = []
    this.#length = 0
    this.#target = undefined
    waiting?.resolve(this.#answer)
  }

  #readHead(): void {
    const all = this.#received.length === 1 ? (this.#received[0] as Buffer) : Buffer.concat(this.#received)
    const end = all.indexOf(headEnd)
    if (end < 0) return
    const head = all.toString('latin1', 0, end)
    const status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    const hasBody = status !== 204 && status !== 304
    const sizeBytes = hasBody ? Number(length) : 0
    this.#answer = { status, sizeBytes }
    this.#headLength = end + headEnd.length
    this.#target = hasBody && length === undefined ? -1 : this.#headLength + sizeBytes
  }

  #hasEnded(): boolean {
    const last = this.#received.at(-1) as Buffer
    const tail =
      last.length < lastPiece.length ? Buffer.concat(this.#received.slice(-lastPiece.length)) : last
    return tail.subarray(-lastPiece.length).equals(lastPiece)
  }
}
