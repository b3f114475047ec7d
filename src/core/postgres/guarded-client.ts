import type { Duplex } from 'node:stream'
import type { ClientConfig } from 'pg'
import { Client } from 'pg'
import { CopyTap } from './copy-tap.ts'

/** Maximum message size: a row has at most 256 MiB. */
const maxMessageBytes = 300 * 2 ** 20
const maxGreetingBytes = 2 ** 20
/** Limit of the rows of one result, which are retained until it is complete; COPY rows are not. */
const maxResultBytes = 512 * 2 ** 20
/** Memory of a row in addition to its bytes. */
const rowCost = 128
const headerBytes = 5

const dataRow = 0x44
const commandComplete = 0x43
const portalSuspended = 0x73
const readyForQuery = 0x5a

/**
 * Parses the messages of a server as they arrive (PostgreSQL, "Message Formats") and reports a violation: an
 * invalid message, or rows of one result that exceed the memory limit.
 */
export class MessageGuard {
  readonly #header = Buffer.alloc(headerBytes)
  #headerLength = 0
  /** Number of missing bytes of the current message. */
  #left = 0
  #resultBytes = 0
  #isGreeted = false

  /** True if the bytes so far end with a complete message. */
  get isBetween(): boolean {
    return this.#left === 0 && this.#headerLength === 0
  }

  take(chunk: Uint8Array): string | undefined {
    let at = 0
    while (at < chunk.length) {
      if (this.#left > 0) {
        const step = Math.min(this.#left, chunk.length - at)
        this.#left -= step
        at += step
        continue
      }
      this.#header[this.#headerLength] = chunk[at] ?? 0
      this.#headerLength += 1
      at += 1
      if (this.#headerLength < headerBytes) continue
      this.#headerLength = 0
      const fault = this.#begin(this.#header[0] ?? 0, this.#header.readUInt32BE(1))
      if (fault !== undefined) return fault
    }
    return undefined
  }

  #begin(type: number, length: number): string | undefined {
    const most = this.#isGreeted ? maxMessageBytes : maxGreetingBytes
    if (length < 4 || length > most) return 'It does not speak the protocol of PostgreSQL'
    this.#left = length - 4
    if (type === dataRow) this.#resultBytes += length + rowCost
    else if (type === commandComplete || type === portalSuspended) this.#resultBytes = 0
    else if (type === readyForQuery) {
      this.#isGreeted = true
      this.#resultBytes = 0
    }
    return this.#resultBytes > maxResultBytes ? 'It answers with rows without end' : undefined
  }
}

/**
 * Method of a `pg` connection that is called once protocol bytes follow, after the TLS handshake if there is
 * one.
 */
interface Listening {
  attachListeners(stream: Duplex): void
}

function isListening(connection: object): connection is Listening {
  return 'attachListeners' in connection && typeof connection.attachListeners === 'function'
}

/** Replaces the listeners of the stream: a COPY removes a listener and passes unread bytes to it. */
function guardListeners(stream: Duplex): void {
  const listeners = stream.listeners('data')
  stream.removeAllListeners('data')
  const guard = new MessageGuard()
  const tap = new CopyTap(
    stream,
    () => guard.isBetween,
    (chunk) => {
      for (const listener of listeners) listener.call(stream, chunk)
    },
  )
  stream.on('data', (chunk: Buffer) => {
    const fault = guard.take(chunk)
    if (fault !== undefined) stream.destroy(new Error(fault))
    else tap.give(chunk)
  })
}

/** A client that closes its connection if the server sends invalid messages or too large results. */
export class GuardedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config)
    const { connection } = this
    if (!isListening(connection)) throw new Error('This version of pg cannot be guarded')
    const attach = connection.attachListeners.bind(connection)
    connection.attachListeners = (stream) => {
      attach(stream)
      guardListeners(stream)
    }
  }
}
