import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Envelope } from '../../geo/envelope.ts'
import type { ShownCells } from '../../tiles/attributes.ts'
import { isText } from '../../tiles/attributes.ts'
import { NearRows, RowMemory } from '../../tiles/rows/row-chunk.ts'
import type { RowDirectory } from '../../tiles/rows/row-directory.ts'
import {
  directoryHeadBytes,
  readDirectory,
  readDirectoryHead,
  sidesAround,
  touchingRows,
  widenedBoxes,
} from '../../tiles/rows/row-directory.ts'
import { readAttributes } from '../tile-reading.ts'

/**
 * Maximum size of the chunks of a tile, in bytes: for a tile with more, rows are read from their table in
 * pages.
 */
const maxBytes = 32 << 20
/** Memory of a thread for chunks cached for the next tile. */
const maxKept = 4
const maxKeptBytes = 4 << 20
const minBytes = 1 << 18
const maxChoices = 20
const groupChunks = 64
/**
 * A gap between two chunks up to this size in bytes is read with them: that is faster than another read call.
 */
const maxBetween = 1 << 14

/**
 * The rows of a tile, in key order, and how they are shown. `release` is called when they are no longer
 * needed.
 */
export interface MatchingRows {
  rows: NearRows
  shown: ShownCells
  release(): void
}

const spare: NearRows[] = []

function takeRows(sizeBytes: number): NearRows {
  const at = spare.findIndex(({ memory }) => memory.sizeBytes >= sizeBytes)
  const [found] = at < 0 ? [] : spare.splice(at, 1)
  if (found === undefined)
    return new NearRows(new RowMemory(Math.max(minBytes, 2 ** Math.ceil(Math.log2(sizeBytes)))))
  found.clear()
  return found
}

function giveBack(rows: NearRows): void {
  if (spare.length < maxKept && rows.memory.sizeBytes <= maxKeptBytes) spare.push(rows)
}

/**
 * Rows of a layer for tiles, in chunks of nearby rows (`docs/tiles.md`): a tile needs few reads from a file.
 * Valid for the layer version that the file was built from.
 */
export class RowFile {
  readonly #file: number
  readonly #directory: RowDirectory
  /** Envelope of each group of chunks, which are near each other too. */
  readonly #groups: Float32Array
  readonly #choices = new Map<string, ShownCells>()
  /** Groups and chunks that intersect a tile; reused for each tile. */
  readonly #foundGroups: Uint32Array
  #foundChunks = new Uint32Array(groupChunks)

  /** Returns undefined if the file is missing or incomplete. */
  static open(path: string): RowFile | undefined {
    let file: number | undefined
    try {
      file = openSync(path, 'r')
      const directory = readFile(file)
      if (directory === undefined) closeSync(file)
      return directory && new RowFile(file, directory)
    } catch {
      if (file !== undefined) closeSync(file)
      return undefined
    }
  }

  private constructor(file: number, directory: RowDirectory) {
    this.#file = file
    this.#directory = directory
    this.#groups = groupsOf(directory)
    this.#foundGroups = new Uint32Array(this.#groups.length / 4)
  }

  close(): void {
    closeSync(this.#file)
  }

  /**
   * Returns rows that touch the boxes, and possibly others whose envelope does; undefined if they are too
   * large to be read together, or unreadable.
   */
  find(boxes: readonly Envelope[], attributes: readonly string[] | undefined): MatchingRows | undefined {
    const wide = widenedBoxes(boxes)
    const count = this.#findChunks(wide)
    const sizeBytes = this.#sizeOf(count)
    if (sizeBytes > maxBytes) return undefined
    const rows = takeRows(sizeBytes)
    try {
      this.#read(count, rows, wide)
      rows.sort()
      return { rows, shown: this.#choose(attributes), release: () => giveBack(rows) }
    } catch {
      // Reads the rows from the table instead.
      giveBack(rows)
      return undefined
    }
  }

  /** Finds the chunks that touch the boxes, in `#foundChunks`, ascending; returns their number. */
  #findChunks(boxes: Float64Array): number {
    const { sides, starts } = this.#directory
    const chunks = starts.length - 1
    const all = { from: 0, count: this.#foundGroups.length, boxes }
    const groups = touchingRows(this.#groups, all, this.#foundGroups, 0)
    let end = 0
    for (let at = 0; at < groups; at += 1) {
      const first = (this.#foundGroups[at] as number) * groupChunks
      const count = Math.min(groupChunks, chunks - first)
      if (end + count > this.#foundChunks.length) {
        const grown = new Uint32Array(this.#foundChunks.length * 2)
        grown.set(this.#foundChunks)
        this.#foundChunks = grown
      }
      const before = end
      end = touchingRows(sides, { from: first * 4, count, boxes }, this.#foundChunks, end)
      for (let chunk = before; chunk < end; chunk += 1)
        this.#foundChunks[chunk] = (this.#foundChunks[chunk] as number) + first
    }
    return end
  }

  /** Returns the index of the last chunk that is read together with the chunk at this index. */
  #lastOfRun(first: number, count: number): number {
    const { starts } = this.#directory
    let last = first
    while (last + 1 < count) {
      const end = starts[(this.#foundChunks[last] as number) + 1] as number
      if ((starts[this.#foundChunks[last + 1] as number] as number) - end > maxBetween) break
      last += 1
    }
    return last
  }

  /** Returns the number of bytes read for the found chunks. */
  #sizeOf(count: number): number {
    const { starts } = this.#directory
    let sizeBytes = 0
    for (let first = 0; first < count; ) {
      const last = this.#lastOfRun(first, count)
      const from = starts[this.#foundChunks[first] as number] as number
      sizeBytes += (starts[(this.#foundChunks[last] as number) + 1] as number) - from
      first = last + 1
    }
    return sizeBytes
  }

  /** Reads the chunks in order; chunks close to each other in the file are read with one call. */
  #read(count: number, rows: NearRows, boxes: Float64Array): void {
    const { starts } = this.#directory
    let at = 0
    for (let first = 0; first < count; ) {
      const last = this.#lastOfRun(first, count)
      const from = starts[this.#foundChunks[first] as number] as number
      const length = (starts[(this.#foundChunks[last] as number) + 1] as number) - from
      readWhole(this.#file, rows.memory.bytes, { at, length, from })
      for (; first <= last; first += 1) {
        const chunk = this.#foundChunks[first] as number
        const start = starts[chunk] as number
        rows.add(at + start - from, (starts[chunk + 1] as number) - start, boxes)
      }
      at += length
    }
  }

  #choose(attributes: readonly string[] | undefined): ShownCells {
    const key = attributes === undefined ? '' : JSON.stringify(attributes)
    const known = this.#choices.get(key)
    if (known !== undefined) return known
    const { schema } = this.#directory
    const shown = readAttributes(schema, attributes === undefined ? {} : { attributes })
    const chosen: ShownCells = {
      schema: { ...schema, attributes: shown },
      numberOf: Int16Array.from(schema.attributes, (attribute) => shown.indexOf(attribute)),
      areTexts: Uint8Array.from(schema.attributes, ({ type }) => (isText(type) ? 1 : 0)),
    }
    if (this.#choices.size >= maxChoices) this.#choices.clear()
    this.#choices.set(key, chosen)
    return chosen
  }
}

function groupsOf({ sides }: RowDirectory): Float32Array {
  const groups: number[] = []
  for (let from = 0; from < sides.length; from += groupChunks * 4)
    groups.push(...sidesAround(sides.subarray(from, from + groupChunks * 4)))
  return Float32Array.from(groups)
}

function readFile(file: number): RowDirectory | undefined {
  const first = new Uint8Array(directoryHeadBytes)
  if (readSync(file, first, 0, directoryHeadBytes, 0) < directoryHeadBytes) return undefined
  const head = readDirectoryHead(first)
  if (head === undefined || fstatSync(file).size !== head.sizeBytes) return undefined
  const bytes = new Uint8Array(head.sizeBytes - head.directoryAt)
  readWhole(file, bytes, { at: 0, length: bytes.length, from: head.directoryAt })
  return readDirectory(bytes, head)
}

interface Piece {
  at: number
  length: number
  from: number
}

function readWhole(file: number, bytes: Uint8Array, { at, length, from }: Piece): void {
  for (let done = 0; done < length; ) {
    const read = readSync(file, bytes, at + done, length - done, from + done)
    if (read === 0) throw new Error('A file of rows is shorter than its directory says')
    done += read
  }
}
