import { Failure } from '../../core/errors/errors.ts'
import type { NumberedEnvelopes } from '../store.ts'

const signature = 'PGCOPY\n\xff\r\n\0'
const headerBytes = signature.length + 8
const boxBytes = 32
const pointBytes = 16
const sideBytes = 8
/** Minimum size of a row: a field count, and a key and a box, or a null. */
const minRowBytes = 12

function broken(what: string): Failure {
  const text = `The database sent envelopes that cannot be read: ${what}`
  return new Failure('unavailable', 'database-protocol', text)
}

/**
 * Parses rows of `COPY ... TO STDOUT (FORMAT binary)` (PostgreSQL, "COPY", binary format) with an integer and
 * an envelope: a value of type `box` or `point`, or four numbers. Skips rows with a null envelope.
 */
export class EnvelopeRows {
  #rest: Uint8Array = new Uint8Array(0)
  #ids = new Float64Array(0)
  #envelopes = new Float64Array(0)
  #hasHeader = false
  #isAtEnd = false

  /** Returns the rows that end within the next bytes. */
  take(piece: Uint8Array): NumberedEnvelopes {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#makeRoom(Math.ceil(bytes.length / minRowBytes))
    const [ids, envelopes] = [this.#ids, this.#envelopes]
    let at = this.#skipHeader(bytes, view)
    let count = 0
    while (!this.#isAtEnd) {
      const end = this.#rowEnd(view, at)
      if (end === undefined) break
      if (!this.#isAtEnd && putEnvelope(view, at, envelopes, count * 4)) {
        ids[count] = keyOf(view, at + 2)
        count += 1
      }
      at = end
    }
    this.#rest = bytes.slice(at)
    return { ids: ids.subarray(0, count), envelopes: envelopes.subarray(0, count * 4) }
  }

  #makeRoom(rows: number): void {
    if (rows <= this.#ids.length) return
    this.#ids = new Float64Array(rows)
    this.#envelopes = new Float64Array(rows * 4)
  }

  /** Throws if the last row is incomplete. */
  end(): void {
    if (!this.#isAtEnd) throw broken('they break off')
  }

  #skipHeader(bytes: Uint8Array, view: DataView): number {
    if (this.#hasHeader || bytes.length < headerBytes) return 0
    const found = Buffer.from(bytes.buffer, bytes.byteOffset, signature.length).toString('latin1')
    if (found !== signature || view.getInt32(headerBytes - 4) !== 0) throw broken('the header is another one')
    this.#hasHeader = true
    return headerBytes
  }

  /** Returns the end of the row; undefined if it is incomplete. The last row is only a count. */
  #rowEnd(view: DataView, start: number): number | undefined {
    if (!this.#hasHeader || start + 2 > view.byteLength) return undefined
    const count = view.getInt16(start)
    if (count === -1) {
      this.#isAtEnd = true
      return start + 2
    }
    if (count !== 2 && count !== 5) throw broken(`a row has ${count} fields`)
    let at = start + 2
    for (let field = 0; field < count; field += 1) {
      if (at + 4 > view.byteLength) return undefined
      at += 4 + Math.max(0, view.getInt32(at))
      if (at > view.byteLength) return undefined
    }
    return at
  }
}

function keyOf(view: DataView, at: number): number {
  const length = view.getInt32(at)
  if (length === 8) return view.getInt32(at + 4) * 2 ** 32 + view.getUint32(at + 8)
  if (length === 4) return view.getInt32(at + 4)
  if (length === 2) return view.getInt16(at + 4)
  throw broken(`a key has ${length} bytes`)
}

/** Returns false if there is none. */
function putEnvelope(view: DataView, row: number, envelopes: Float64Array, to: number): boolean {
  const at = row + 6 + view.getInt32(row + 2)
  const length = view.getInt32(at)
  if (length < 0) return false
  if (view.getInt16(row) === 2) {
    if (length === pointBytes) {
      envelopes[to] = envelopes[to + 2] = view.getFloat64(at + 4)
      envelopes[to + 1] = envelopes[to + 3] = view.getFloat64(at + 12)
      return true
    }
    if (length !== boxBytes) throw broken(`a box has ${length} bytes`)
    // The upper right corner comes first.
    envelopes[to] = view.getFloat64(at + 20)
    envelopes[to + 1] = view.getFloat64(at + 28)
    envelopes[to + 2] = view.getFloat64(at + 4)
    envelopes[to + 3] = view.getFloat64(at + 12)
    return true
  }
  for (let side = 0; side < 4; side += 1) {
    const from = at + side * (4 + sideBytes)
    if (view.getInt32(from) !== sideBytes) throw broken('a side is not a number')
    envelopes[to + side] = view.getFloat64(from + 4)
  }
  return true
}
