import type { FileHandle } from 'node:fs/promises'

/** Fields of one TIFF directory by tag: numbers, or text. */
export type TiffFields = ReadonlyMap<number, readonly number[] | string>

/** Maximum number of values of a field; a file with more blocks is left to GDAL. */
const maxValues = 1 << 21
const maxFields = 1024
const maxDirectories = 64
/** Bytes of a value by field type (TIFF 6.0, section 2; BigTIFF adds 16 to 18). */
const widths: Record<number, number> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  16: 8,
  17: 8,
  18: 8,
}

/** Reads exactly `length` bytes; throws if the file ends earlier. */
export async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const target = Buffer.alloc(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(target, done, length - done, position + done)
    if (bytesRead === 0) throw new Error(`The TIFF ends before byte ${position + length}`)
    done += bytesRead
  }
  return target
}

/** Reads the directories of a TIFF or BigTIFF in sequence, with the requested fields. */
export class TiffDirectories {
  readonly #file: FileHandle
  readonly #requested: ReadonlySet<number>
  readonly isLittle: boolean
  readonly #isBig: boolean
  readonly #first: number

  private constructor(file: FileHandle, requested: ReadonlySet<number>, head: Buffer) {
    this.#file = file
    this.#requested = requested
    this.isLittle = head[0] === 0x49
    this.#isBig = this.#number(head, 2, 2) === 43
    this.#first = this.#isBig ? this.#number(head, 8, 8) : this.#number(head, 4, 4)
  }

  static async open(file: FileHandle, requested: ReadonlySet<number>): Promise<TiffDirectories> {
    const head = await readBytes(file, 0, 16)
    const mark = head.toString('latin1', 0, 2)
    if (mark !== 'II' && mark !== 'MM') throw new Error('The file is not a TIFF')
    return new TiffDirectories(file, requested, head)
  }

  async read(): Promise<TiffFields[]> {
    const found: TiffFields[] = []
    const seen = new Set<number>()
    for (let at = this.#first; at !== 0 && !seen.has(at) && seen.size < maxDirectories; ) {
      seen.add(at)
      const { fields, next } = await this.#readDirectory(at)
      found.push(fields)
      at = next
    }
    return found
  }

  async #readDirectory(at: number): Promise<{ fields: TiffFields; next: number }> {
    const [countBytes, entryBytes, numberBytes] = this.#isBig ? [8, 20, 8] : [2, 12, 4]
    const count = this.#number(await readBytes(this.#file, at, countBytes), 0, countBytes)
    if (count > maxFields) throw new Error(`A directory of the TIFF has ${count} fields`)
    const table = await readBytes(this.#file, at + countBytes, count * entryBytes + numberBytes)
    const fields = new Map<number, readonly number[] | string>()
    for (let entry = 0; entry < count; entry += 1) {
      const start = entry * entryBytes
      const tag = this.#number(table, start, 2)
      if (!this.#requested.has(tag)) continue
      fields.set(tag, await this.#readField(table.subarray(start, start + entryBytes), numberBytes))
    }
    return { fields, next: this.#number(table, count * entryBytes, numberBytes) }
  }

  async #readField(entry: Buffer, numberBytes: number): Promise<readonly number[] | string> {
    const type = this.#number(entry, 2, 2)
    const count = this.#number(entry, 4, numberBytes)
    const width = widths[type]
    if (width === undefined || count > maxValues) throw new Error(`A field of the TIFF has ${count} values`)
    const at = 4 + numberBytes
    const bytes =
      count * width <= numberBytes
        ? entry.subarray(at, at + count * width)
        : await readBytes(this.#file, this.#number(entry, at, numberBytes), count * width)
    if (type === 2) return bytes.toString('latin1').replace(/\0.*$/s, '')
    return Array.from({ length: count }, (_, index) => this.#value(bytes, index * width, type, width))
  }

  #value(bytes: Buffer, at: number, type: number, width: number): number {
    if (type === 12) return this.isLittle ? bytes.readDoubleLE(at) : bytes.readDoubleBE(at)
    if (type === 11) return this.isLittle ? bytes.readFloatLE(at) : bytes.readFloatBE(at)
    if (type === 5 || type === 10) return this.#number(bytes, at, 4) / this.#number(bytes, at + 4, 4)
    return this.#number(bytes, at, width)
  }

  #number(bytes: Buffer, at: number, width: number): number {
    if (width === 1) return bytes.readUInt8(at)
    if (width === 2) return this.isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)
    if (width === 4) return this.isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
    return Number(this.isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  }
}
