import type { Duplex } from 'node:stream'
import type { ClientConfig } from 'pg'
import { Client } from 'pg'
import { CopyTap } from './copy-tap.ts'

/** A row has at most 256 MiB; before the login is done nothing is long. */
const maxMessageBytes = 300 * 2 ** 20
const maxGreetingBytes = 2 ** 20
/** Rows of one answer, which are kept until it is whole; those of COPY are not. */
const maxResultBytes = 512 * 2 ** 20
/** What a row costs here beside its bytes. */
const rowCost = 128
const headerBytes = 5

const dataRow = 0x44
const commandComplete = 0x43
const portalSuspended = 0x73
const readyForQuery = 0x5a

/**
 * Reads along what a server sends (PostgreSQL, "Message Formats") and gives what is wrong with it: a message, or rows of
 * one answer, that would take more memory than is allowed.
 */
export class MessageGuard {
  readonly #header = Buffer.alloc(headerBytes)
  #headerLength = 0
  /** Bytes of the present message that are still to come. */
  #left = 0
  #resultBytes = 0
  #isGreeted = false

  /** Whether what has come so far ends with a message. */
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

/** What a connection of `pg` calls once bytes of the protocol are to come, after TLS where there is any. */
interface Listening {
  attachListeners(stream: Duplex): void
}

function isListening(connection: object): connection is Listening {
  return 'attachListeners' in connection && typeof connection.attachListeners === 'function'
}

/** Stands in place of those who listen, since a COPY takes a listener away and gives it what it has not read itself. */
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

/** A client that ends its connection when the server sends more than memory should hold. */
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
