import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RejectedRow } from '../geo/batch.ts'
import { writeGeometryJson } from '../geo/wkb-to-geojson.ts'

/** Rejected rows are kept up to this size; further ones are counted. */
const maxBytes = 256 * 2 ** 20
const flushBytes = 1 << 16

function toJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return value
}

function geometryText(geometry: Uint8Array): string {
  try {
    return writeGeometryJson(geometry)
  } catch {
    return 'null'
  }
}

function toLine(reject: RejectedRow): string {
  const { geometry, ...facts } = reject
  const text = JSON.stringify(facts, toJson)
  return geometry === undefined ? `${text}\n` : `${text.slice(0, -1)},"geometry":${geometryText(geometry)}}\n`
}

/** Writes rejected rows, one JSON object a line, and counts them; the file is made with the first one. */
export class RejectWriter {
  count = 0
  readonly #path: string
  readonly #kept: number
  #file: number | undefined
  #waiting = ''
  #written = 0

  /** `kept` is how many rows the file holds already: further ones come behind them. */
  constructor(path: string, kept = 0) {
    this.#path = path
    this.#kept = kept
    this.count = kept
  }

  add(reject: RejectedRow): void {
    this.count += 1
    if (this.#written > maxBytes) return
    this.#waiting += toLine(reject)
    if (this.#waiting.length >= flushBytes) this.#flush()
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
