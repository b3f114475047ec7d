import { closeSync, openSync, readSync } from 'node:fs'
import type { RowOffsets } from '../../../formats/worker.ts'
import type { AreaTest, EnvelopeRelation } from '../../../geo/area-test.ts'
import type { IndexHeader, IndexRowGroup } from './layout.ts'
import {
  blockBoxes,
  blockCount,
  boxBytes,
  groupRows,
  indexEntryBytes,
  indexHeadBytes,
  indexMagic,
  indexVersion,
  layoutOf,
  nullBytes,
  placeBytes,
  rowNumberBytes,
  timeBytes,
} from './layout.ts'
import type { IndexRowSet } from './row-set.ts'

const maxHeaderBytes = 1 << 26
/** Number of values processed before yielding to other work. */
const pieceValues = 1 << 13

/** Spatial relation between an envelope and the query envelopes. */

/** Receives one entry: the position of a row and its envelope, rounded outwards. */
type TakeEntry = (position: number, minX: number, minY: number, maxX: number, maxY: number) => void

/** Spatially adjacent rows of one group; the first row has the position `from`. */
interface Block {
  size: number
  from: number
  /** True if all of them are within the areas. */
  isWithin: boolean
}

/** An open index file, read piece by piece and never loaded whole. The caller must call `close()`. */
export class FileIndex {
  readonly header: IndexHeader
  readonly #fd: number

  constructor(fd: number, header: IndexHeader) {
    this.#fd = fd
    this.header = header
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** Returns the file offsets of the rows at these ascending positions. */
  placesOf(positions: Uint32Array): RowOffsets {
    const rows = new Float64Array(positions.length)
    const places = new Uint32Array(positions.length * 2)
    for (let from = 0; from < positions.length; ) {
      const to = endOfRun(positions, from)
      const first = positions[from] as number
      const group = this.#groupOf(first)
      const layout = layoutOf(group, this.header.times.length)
      const within = first % groupRows
      const count = to - from
      const run = this.#read(new Uint32Array(count * 2), layout.places + within * placeBytes)
      const numbers = this.#read(new Uint32Array(count), layout.rowNumbers + within * rowNumberBytes)
      places.set(run, from * 2)
      for (let index = 0; index < count; index += 1) rows[from + index] = numbers[index] as number
      from = to
    }
    return { rows, places }
  }

  /** Returns the position of the row with this number in the source; undefined if there is none. */
  positionOf(row: number): number | undefined {
    const { groups, times } = this.header
    const groupIndex = groups.findIndex(({ firstRow, lastRow }) => row >= firstRow && row <= lastRow)
    const group = groups[groupIndex]
    if (group === undefined) return undefined
    const { rowNumbers } = layoutOf(group, times.length)
    const one = new Uint32Array(1)
    const numberAt = (at: number): number => this.#read(one, rowNumbers + at * rowNumberBytes)[0] as number
    let low = 0
    let high = group.rows - 1
    // If no rows are skipped, the first guess is right.
    for (let guess = Math.min(high, row - group.firstRow); low <= high; guess = (low + high) >> 1) {
      const number = numberAt(guess)
      if (number === row) return groupIndex * groupRows + guess
      if (number < row) low = guess + 1
      else high = guess - 1
    }
    return undefined
  }

  addRowsWithoutGeometry(target: IndexRowSet): void {
    if (this.header.withoutGeometry === 0) return
    for (const [groupIndex, group] of this.header.groups.entries()) {
      const { nulls } = layoutOf(group, this.header.times.length)
      target.addBits(this.#read(new Uint32Array(nullBytes(group.rows) / 4), nulls), groupIndex * groupRows)
    }
  }

  /**
   * Classifies the rows that have an envelope by its relation to the areas; envelopes are rounded outwards.
   * Yields after each piece.
   */
  *sortByAreas(areas: readonly AreaTest[], within: IndexRowSet, across: IndexRowSet): Generator<void> {
    yield* this.#blocks(areas, (bytes, block) => sortBlock(bytes, { ...block, areas }, { within, across }))
  }

  /**
   * Calls back for each envelope that touches one of the areas, or for every envelope, in no particular
   * order. Yields like `sortByAreas`.
   */
  *entries(areas: readonly AreaTest[] | undefined, take: TakeEntry): Generator<void> {
    yield* this.#blocks(areas, (bytes, { size, from, isWithin }) => {
      const sides = new Float32Array(bytes.buffer, 0, size * 4)
      const rows = new Uint32Array(bytes.buffer, size * boxBytes, size)
      for (let index = 0; index < size; index += 1) {
        if (!isWithin && relationOf(sides, index * 4, areas ?? []) === 'apart') continue
        const [minX = 0, maxX = 0, minY = 0, maxY = 0] = sides.subarray(index * 4, index * 4 + 4)
        take(from + (rows[index] as number), minX, minY, maxX, maxY)
      }
    })
  }

  *#blocks(
    areas: readonly AreaTest[] | undefined,
    take: (bytes: Uint8Array<ArrayBuffer>, block: Block) => void,
  ): Generator<void> {
    let blocksAt = this.header.blocksAt
    for (const [groupIndex, group] of this.header.groups.entries()) {
      const { entries } = layoutOf(group, this.header.times.length)
      const count = blockCount(group.boxes)
      const unions = this.#read(new Float32Array(count * 4), blocksAt)
      blocksAt += count * boxBytes
      let sinceYield = 0
      for (let block = 0; block < count; block += 1) {
        const relation = areas === undefined ? 'within' : relationOf(unions, block * 4, areas)
        if (relation === 'apart') continue
        const size = Math.min(blockBoxes, group.boxes - block * blockBoxes)
        const bytes = this.#read(
          new Uint8Array(size * indexEntryBytes),
          entries + block * blockBoxes * indexEntryBytes,
        )
        take(bytes, { size, from: groupIndex * groupRows, isWithin: relation === 'within' })
        sinceYield += size
        if (sinceYield < pieceValues) continue
        sinceYield = 0
        yield
      }
      yield
    }
  }

  /** Adds the rows whose attribute value is within the interval in microseconds, both ends included. */
  *addByTime(attribute: string, span: { from: number; to: number }, target: IndexRowSet): Generator<void> {
    const column = this.header.times.indexOf(attribute)
    for (const [groupIndex, group] of this.header.groups.entries()) {
      const at = layoutOf(group, this.header.times.length).times[column]
      if (at === undefined) throw new Error(`The index has no times of "${attribute}"`)
      for (let from = 0; from < group.rows; from += pieceValues) {
        const values = this.#read(
          new Float64Array(Math.min(pieceValues, group.rows - from)),
          at + from * timeBytes,
        )
        for (let index = 0; index < values.length; index += 1) {
          const value = values[index] as number
          if (value >= span.from && value <= span.to) target.add(groupIndex * groupRows + from + index)
        }
        yield
      }
    }
  }

  #groupOf(position: number): IndexRowGroup {
    const group = this.header.groups[Math.floor(position / groupRows)]
    if (group === undefined) throw new Error(`The index has no position ${position}`)
    return group
  }

  #read<Values extends ArrayBufferView>(values: Values, position: number): Values {
    readWhole(this.#fd, new Uint8Array(values.buffer, values.byteOffset, values.byteLength), position)
    return values
  }
}

function readWhole(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const got = readSync(fd, bytes, done, bytes.length - done, position + done)
    if (got === 0) throw new Error('The index ends early')
    done += got
  }
}

/** Returns the end of the run of consecutive positions in one group that starts at `from`. */
function endOfRun(positions: Uint32Array, from: number): number {
  let to = from + 1
  while (
    to < positions.length &&
    positions[to] === (positions[to - 1] as number) + 1 &&
    (positions[to] as number) % groupRows !== 0
  ) {
    to += 1
  }
  return to
}

/** `sides` contains minX, maxX, minY, maxY from `at` on. */
function relationOf(sides: Float32Array, at: number, areas: readonly AreaTest[]): EnvelopeRelation {
  const minX = sides[at] as number
  const maxX = sides[at + 1] as number
  const minY = sides[at + 2] as number
  const maxY = sides[at + 3] as number
  let relation: EnvelopeRelation = 'apart'
  for (const area of areas) {
    const one = area.relationTo(minX, minY, maxX, maxY)
    if (one === 'within') return one
    if (one === 'across') relation = one
  }
  return relation
}

function sortBlock(
  bytes: Uint8Array<ArrayBuffer>,
  block: Block & { areas: readonly AreaTest[] },
  { within, across }: { within: IndexRowSet; across: IndexRowSet },
): void {
  const { size, from, areas, isWithin } = block
  const sides = new Float32Array(bytes.buffer, 0, size * 4)
  const rows = new Uint32Array(bytes.buffer, size * boxBytes, size)
  for (let index = 0; index < size; index += 1) {
    const relation = isWithin ? 'within' : relationOf(sides, index * 4, areas)
    if (relation === 'within') within.add(from + (rows[index] as number))
    else if (relation === 'across') across.add(from + (rows[index] as number))
  }
}

/** Opens an index; undefined if there is no complete one of this version. */
export function openIndex(path: string): FileIndex | undefined {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const header = readHeader(fd)
  if (header !== undefined) return new FileIndex(fd, header)
  closeSync(fd)
  return undefined
}

function readHeader(fd: number): IndexHeader | undefined {
  try {
    const head = Buffer.alloc(indexHeadBytes)
    readWhole(fd, head, 0)
    const length = head.readDoubleLE(16)
    if (head.toString('latin1', 0, 8) !== indexMagic || !(length <= maxHeaderBytes)) return undefined
    const text = Buffer.alloc(length)
    readWhole(fd, text, head.readDoubleLE(8))
    const header = JSON.parse(text.toString()) as IndexHeader
    return header.version === indexVersion ? header : undefined
  } catch {
    return undefined
  }
}
