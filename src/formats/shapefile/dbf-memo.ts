import { readSync } from 'node:fs'
import { asciiText } from '../../core/values/decimal.ts'
import type { OpenFile } from '../open-file.ts'

/** Long texts of a memo field, by block number. */
export interface MemoFile {
  /** Returns the bytes of a memo; undefined if the block is not a memo. */
  read(block: number): Uint8Array | undefined
}

/** Returns the block number in a memo field of a row: 0 for none, NaN if it is not a number. */
export function memoBlock(bytes: Uint8Array, at: number, width: number): number {
  if (width === 4) return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true)
  return Number(asciiText(bytes, at, at + width).replace(/\0.*$/s, ''))
}

const maxMemoBytes = 1 << 24

/**
 * Creates a reader for a .dbt of dBASE III (text up to 0x1A) or IV (blocks with a length), or a .fpt of
 * FoxPro.
 */
export function createMemoFile(file: OpenFile, extension: 'dbt' | 'fpt'): MemoFile {
  const head = readBytes(file, 0, 24)
  const view = new DataView(head.buffer)
  if (extension === 'fpt') {
    const blockBytes = (head.length >= 8 && view.getUint16(6)) || 512
    return { read: (block) => readSized(file, block * blockBytes, 4, false) }
  }
  const blockBytes = (head.length >= 22 && view.getUint16(20, true)) || 512
  return {
    read: (block) => {
      const mark = readBytes(file, block * blockBytes, 4)
      const isSized = mark.length === 4 && mark[0] === 0xff && mark[1] === 0xff && mark[2] === 8
      return isSized ? readSized(file, block * blockBytes, 4, true) : readMarked(file, block * 512)
    },
  }
}

function readBytes(file: OpenFile, position: number, count: number): Uint8Array<ArrayBuffer> {
  const length = Math.max(0, Math.min(count, file.size - position))
  const bytes = new Uint8Array(length)
  return bytes.subarray(0, length === 0 ? 0 : readSync(file.fd, bytes, 0, length, position))
}

/** The length of a dBASE IV memo includes its 8 header bytes, that of a FoxPro one does not. */
function readSized(
  file: OpenFile,
  position: number,
  lengthAt: number,
  isDbase: boolean,
): Uint8Array | undefined {
  const header = readBytes(file, position, 8)
  if (header.length < 8) return undefined
  const length = new DataView(header.buffer).getUint32(lengthAt, isDbase) - (isDbase ? 8 : 0)
  if (length < 0 || length > maxMemoBytes || position + 8 + length > file.size) return undefined
  return readBytes(file, position + 8, length)
}

function readMarked(file: OpenFile, position: number): Uint8Array | undefined {
  for (let length = 512; position < file.size; length *= 8) {
    const bytes = readBytes(file, position, length)
    const end = bytes.indexOf(0x1a)
    if (end >= 0) return bytes.subarray(0, end)
    if (bytes.length < length || length > maxMemoBytes) return undefined
  }
  return undefined
}
