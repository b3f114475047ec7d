import type { Envelope } from '../../geo/envelope.ts'
import { ceilFloat32, floorFloat32 } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'

/** Layout version: files with an older one are rebuilt. */
const rowFileFormat = 2
const magic = 'terrarow'
/** Magic bytes, format, number of chunks, offset of the directory, size of the file. */
export const directoryHeadBytes = 32
/** Maximum relative error of the outward rounding of an index to a 32-bit float. */
const floatStep = 2 ** -21

/** Locations and envelopes of the chunks of a row file. */
export interface RowDirectory {
  /** Schema of the rows. */
  schema: Schema
  /** Start offset of each chunk, and the end of the last one. */
  starts: Float64Array
  /** minX, minY, maxX, maxY of each chunk, rounded outwards. */
  sides: Float32Array
}

/** Contents of the head of a row file. */
export interface RowFileHead {
  chunks: number
  directoryAt: number
  sizeBytes: number
}

/** Returns the directory as stored after the chunks. */
export function writeDirectory({ schema, starts, sides }: RowDirectory): Uint8Array {
  const text = Buffer.from(JSON.stringify(schema))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length)
  return Buffer.concat([bytesOf(starts), bytesOf(sides), length, text])
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Written last: a file without it is incomplete. */
export function writeHead({ chunks, directoryAt, sizeBytes }: RowFileHead): Uint8Array {
  const head = Buffer.alloc(directoryHeadBytes)
  head.write(magic, 'latin1')
  head.writeUInt32LE(rowFileFormat, 8)
  head.writeUInt32LE(chunks, 12)
  head.writeDoubleLE(directoryAt, 16)
  head.writeDoubleLE(sizeBytes, 24)
  return head
}

/** Returns undefined for bytes of another format, or an incomplete file. */
export function readDirectoryHead(bytes: Uint8Array): RowFileHead | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length < directoryHeadBytes || buffer.toString('latin1', 0, 8) !== magic) return undefined
  if (buffer.readUInt32LE(8) !== rowFileFormat) return undefined
  return {
    chunks: buffer.readUInt32LE(12),
    directoryAt: buffer.readDoubleLE(16),
    sizeBytes: buffer.readDoubleLE(24),
  }
}

export function readDirectory(bytes: Uint8Array, { chunks }: RowFileHead): RowDirectory {
  const copy = Uint8Array.prototype.slice.call(bytes) as Uint8Array<ArrayBuffer>
  const startBytes = (chunks + 1) * 8
  const sideBytes = chunks * 16
  const view = new DataView(copy.buffer)
  const textAt = startBytes + sideBytes
  const length = view.getUint32(textAt, true)
  const text = Buffer.from(copy.buffer, textAt + 4, length).toString()
  return {
    starts: new Float64Array(copy.buffer, 0, chunks + 1),
    sides: new Float32Array(copy.buffer, startBytes, chunks * 4),
    schema: JSON.parse(text) as Schema,
  }
}

/** Returns envelopes as 32-bit floats rounded outwards. */
export function roundedSides(envelopes: Float64Array): Float32Array {
  const sides = new Float32Array(envelopes.length)
  for (let at = 0; at < envelopes.length; at += 4) {
    sides[at] = floorFloat32(envelopes[at] as number)
    sides[at + 1] = floorFloat32(envelopes[at + 1] as number)
    sides[at + 2] = ceilFloat32(envelopes[at + 2] as number)
    sides[at + 3] = ceilFloat32(envelopes[at + 3] as number)
  }
  return sides
}

/** Returns the envelope of all of them. */
export function sidesAround(sides: Float32Array): [number, number, number, number] {
  const all: [number, number, number, number] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]
  for (let at = 0; at < sides.length; at += 4) {
    all[0] = Math.min(all[0], sides[at] as number)
    all[1] = Math.min(all[1], sides[at + 1] as number)
    all[2] = Math.max(all[2], sides[at + 2] as number)
    all[3] = Math.max(all[3], sides[at + 3] as number)
  }
  return all
}

/** Returns boxes with tolerance for an index that rounds outwards: minX, minY, maxX, maxY of each. */
export function widenedBoxes(boxes: readonly Envelope[]): Float64Array {
  const wide = new Float64Array(boxes.length * 4)
  for (const [at, { minX, minY, maxX, maxY }] of boxes.entries())
    wide.set([below(minX), below(minY), above(maxX), above(maxY)], at * 4)
  return wide
}

/** A range of envelopes, and the boxes, from `widenedBoxes`, that they must touch. */
export interface TouchQuery {
  /** Index of the first one. */
  from: number
  count: number
  boxes: Float64Array
}

/**
 * Writes the indexes of envelopes that touch one of the boxes to `found` from `at` on, relative to the first
 * one, ascending; returns the end index. `found` must have space for all of them.
 */
export function touchingRows(
  sides: Float32Array,
  { from, count, boxes }: TouchQuery,
  found: Uint32Array,
  at: number,
): number {
  let end = at
  for (let row = 0, side = from; row < count; row += 1, side += 4) {
    const minX = sides[side] as number
    const minY = sides[side + 1] as number
    const maxX = sides[side + 2] as number
    const maxY = sides[side + 3] as number
    for (let box = 0; box < boxes.length; box += 4) {
      const isTouching =
        minX <= (boxes[box + 2] as number) &&
        maxX >= (boxes[box] as number) &&
        minY <= (boxes[box + 3] as number) &&
        maxY >= (boxes[box + 1] as number)
      if (!isTouching) continue
      found[end] = row
      end += 1
      break
    }
  }
  return end
}

const above = (value: number): number => value + Math.abs(value) * floatStep + 1e-37
const below = (value: number): number => value - Math.abs(value) * floatStep - 1e-37
