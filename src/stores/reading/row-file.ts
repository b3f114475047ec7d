import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Envelope } from '../../geo/envelope.ts'
import type { ShownCells } from '../../tiles/attributes.ts'
import { isText } from '../../tiles/attributes.ts'
import { NearRows } from '../../tiles/rows/row-chunk.ts'
import type { RowDirectory } from '../../tiles/rows/row-directory.ts'
import {
  headBytes,
  readDirectory,
  readHead,
  sidesAround,
  touchingRows,
  widenedBoxes,
} from '../../tiles/rows/row-directory.ts'
import { RowMemory } from '../../tiles/rows/row-memory.ts'
import { readAttributes } from '../tile-reading.ts'

/** What a tile's chunks take at most: rows of a tile that has more are read from their table, page by page. */
const mostBytes = 32 << 20
/** Memory for chunks that a thread keeps for the next tile. */
const mostKept = 4
const mostKeptBytes = 4 << 20
const leastBytes = 1 << 18
const mostChoices = 20
const groupChunks = 64
/** What lies between two chunks is read with them where that takes less time than another look into the file. */
const mostBetween = 1 << 14

/** The rows of a tile, in the order of their keys, and how they are shown. `release` is called when they are no longer needed. */
export interface FoundRows {
  rows: NearRows
  shown: ShownCells
  release(): void
}

const spare: NearRows[] = []

function takeRows(sizeBytes: number): NearRows {
  const at = spare.findIndex(({ memory }) => memory.sizeBytes >= sizeBytes)
  const [found] = at < 0 ? [] : spare.splice(at, 1)
  if (found === undefined)
    return new NearRows(new RowMemory(Math.max(leastBytes, 2 ** Math.ceil(Math.log2(sizeBytes)))))
  found.clear()
  return found
}

function giveBack(rows: NearRows): void {
  if (spare.length < mostKept && rows.memory.sizeBytes <= mostKeptBytes) spare.push(rows)
}

/**
 * Rows of a layer for tiles, in chunks of such as lie near each other (`docs/tiles.md`): what a tile shows is read with a few
 * looks into a file. Good for the version of the layer that the file was made of.
 */
export class RowFile {
  readonly #file: number
  readonly #directory: RowDirectory
  /** The envelope of each so many chunks, which lie near each other too. */
  readonly #groups: Float32Array
  readonly #choices = new Map<string, ShownCells>()
  /** Which groups and chunks touch a tile: written over for each. */
  readonly #foundGroups: Uint32Array
  #foundChunks = new Uint32Array(groupChunks)

  /** Undefined where there is no such file, or none that was written whole. */
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

  /** Rows that touch the boxes, and maybe others whose envelope does; undefined where they are too large to be read at once, or cannot be read. */
  find(boxes: readonly Envelope[], attributes: readonly string[] | undefined): FoundRows | undefined {
    const wide = widenedBoxes(boxes)
    const count = this.#findChunks(wide)
    const sizeBytes = this.#sizeOf(count)
    if (sizeBytes > mostBytes) return undefined
    const rows = takeRows(sizeBytes)
    try {
      this.#read(count, rows, wide)
      rows.sort()
      return { rows, shown: this.#choose(attributes), release: () => giveBack(rows) }
    } catch {
      // The table has them all.
      giveBack(rows)
      return undefined
    }
  }

  /** The chunks that touch the boxes, in `#foundChunks`, ascending; gives their number. */
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

  /** Where the chunk at a place among those found ends in the file, with those behind it that are read together with it. */
  #lastOfRun(first: number, count: number): number {
    const { starts } = this.#directory
    let last = first
    while (last + 1 < count) {
      const end = starts[(this.#foundChunks[last] as number) + 1] as number
      if ((starts[this.#foundChunks[last + 1] as number] as number) - end > mostBetween) break
      last += 1
    }
    return last
  }

  /** What is read of the file for the chunks found. */
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

  /** The chunks one behind the other; such as are near each other in the file are read by one look. */
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
    if (this.#choices.size >= mostChoices) this.#choices.clear()
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
  const first = new Uint8Array(headBytes)
  if (readSync(file, first, 0, headBytes, 0) < headBytes) return undefined
  const head = readHead(first)
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
