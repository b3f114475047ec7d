import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RejectedRow } from '../geo/batch.ts'
import type { RejectLine } from './reject-lines.ts'

/** The error for a well-formed row that cannot be loaded: it is rejected, and reading continues. */
export class RowError extends Error {
  /** The attribute with the invalid value. */
  field: string | undefined
  readonly value: string | undefined

  constructor(reason: string, place: { field?: string; value?: string | undefined } = {}) {
    super(reason)
    this.name = 'RowError'
    this.field = place.field
    this.value = place.value
  }
}

/** Maximum size of the file of rejected rows; further rows are only counted. */
const maxBytes = 256 * 2 ** 20
const flushBytes = 1 << 16

function toJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return value
}

function toLine(reject: RejectedRow, code: string | undefined, text: string | undefined): string {
  const { row, field, value, reason, properties, geometry } = reject
  const wkb = geometry === undefined ? undefined : Buffer.from(geometry).toString('base64')
  return toRejectLine({ row, code, field, value, text, reason, properties, wkb })
}

/**
 * Returns a line with its line end. Undefined values are omitted; the row number comes first, so that it can
 * be found without reading the rest.
 */
export function toRejectLine({ row, ...line }: Wide<RejectLine>): string {
  return `${JSON.stringify({ row, ...line }, toJson)}\n`
}

type Wide<T> = { [Key in keyof T]?: T[Key] | undefined }

/** Writes rejected rows, one JSON object per line, and counts them; creates the file with the first row. */
export class RejectWriter {
  count = 0
  readonly #path: string
  readonly #kept: number
  #file: number | undefined
  #waiting = ''
  #written = 0

  /** `kept` is the number of rows in the existing file; further ones are appended. */
  constructor(path: string, kept = 0) {
    this.#path = path
    this.#kept = kept
    this.count = kept
  }

  /**
   * `code` tells what rejected the row; `text` is the row if its values could not be separated. Returns false
   * if the row was only counted.
   */
  add(reject: RejectedRow, code?: string, text?: string): boolean {
    this.count += 1
    if (this.#written > maxBytes) return false
    this.#waiting += toLine(reject, code, text)
    if (this.#waiting.length >= flushBytes) this.#flush()
    return true
  }

  /** Flushes everything to disk. */
  sync(): void {
    this.#flush()
    if (this.#file !== undefined) fsyncSync(this.#file)
  }

  close(): void {
    this.#flush()
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #flush(): void {
    if (this.#waiting === '') return
    if (this.#file === undefined) {
      mkdirSync(dirname(this.#path), { recursive: true })
      this.#file = openSync(this.#path, this.#kept === 0 ? 'w' : 'a', 0o600)
    }
    this.#written += writeSync(this.#file, this.#waiting)
    this.#waiting = ''
  }
}
