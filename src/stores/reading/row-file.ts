import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Envelope } from '../../geo/envelope.ts'
import type { Schema } from '../../geo/schema.ts'
import type { MixedRows, RowPage } from '../../tiles/encode-tile.ts'
import type { ChosenColumns } from '../../tiles/rows/row-chunk.ts'
import { RowChunk } from '../../tiles/rows/row-chunk.ts'
import type { RowDirectory } from '../../tiles/rows/row-directory.ts'
import { headBytes, readDirectory, readHead, sidesAround, touching } from '../../tiles/rows/row-directory.ts'
import { readAttributes } from '../tile-reading.ts'

/** What a tile's chunks take at most: rows of a tile that has more are read from their table, page by page. */
const mostBytes = 32 << 20
/** Memory for chunks that a thread keeps for the next tile. */
const mostKept = 4
const mostKeptBytes = 4 << 20
const leastBytes = 1 << 18
const mostChoices = 20
const groupChunks = 64
/** A row takes more than 64 bytes: so many do not fit into `mostBytes`. */
const mostRows = 2 ** 20

/** The rows of a tile, in the order of their keys. `release` is called when they are no longer needed. */
export interface FoundRows extends MixedRows {
  schema: Schema
  count: number
  release(): void
}

const spare: ArrayBuffer[] = []

function takeMemory(sizeBytes: number): ArrayBuffer {
  const at = spare.findIndex(({ byteLength }) => byteLength >= sizeBytes)
  const [found] = at < 0 ? [] : spare.splice(at, 1)
  return found ?? new ArrayBuffer(Math.max(leastBytes, 2 ** Math.ceil(Math.log2(sizeBytes))))
}

function giveBack(memory: ArrayBuffer): void {
  if (spare.length < mostKept && memory.byteLength <= mostKeptBytes) spare.push(memory)
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
  readonly #choices = new Map<string, ChosenColumns>()

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
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Rows that touch the boxes, and maybe others whose envelope does; undefined where they are too large to be read at once, or cannot be read. */
  find(boxes: readonly Envelope[], attributes: readonly string[] | undefined): FoundRows | undefined {
    const { starts, sides } = this.#directory
    const numbers: number[] = []
    let sizeBytes = 0
    touching(this.#groups, boxes, (group) => {
      const first = group * groupChunks
      touching(sides.subarray(first * 4, (first + groupChunks) * 4), boxes, (at) => {
        const chunk = first + at
        numbers.push(chunk)
        sizeBytes += (starts[chunk + 1] as number) - (starts[chunk] as number)
      })
    })
    if (sizeBytes > mostBytes) return undefined
    const memory = takeMemory(sizeBytes)
    try {
      const chosen = this.#choose(attributes)
      const chunks = this.#read(numbers, memory)
      return { ...matches(chunks, boxes, chosen), schema: chosen.schema, release: () => giveBack(memory) }
    } catch {
      // The table has them all.
      giveBack(memory)
      return undefined
    }
  }

  /** The chunks one behind the other; such as are neighbours in the file are read by one look. */
  #read(numbers: readonly number[], memory: ArrayBuffer): RowChunk[] {
    const { starts, schema } = this.#directory
    const chunks: RowChunk[] = []
    let at = 0
    for (let first = 0; first < numbers.length; ) {
      let last = first
      while (numbers[last + 1] === (numbers[last] as number) + 1) last += 1
      const from = starts[numbers[first] as number] as number
      const length = (starts[(numbers[last] as number) + 1] as number) - from
      readWhole(this.#file, new Uint8Array(memory, at, length), from)
      for (; first <= last; first += 1) {
        const start = at + (starts[numbers[first] as number] as number) - from
        chunks.push(new RowChunk(memory, start, schema))
      }
      at += length
    }
    return chunks
  }

  #choose(attributes: readonly string[] | undefined): ChosenColumns {
    const key = JSON.stringify(attributes)
    const known = this.#choices.get(key)
    if (known !== undefined) return known
    const { schema } = this.#directory
    const shown = readAttributes(schema, attributes === undefined ? {} : { attributes })
    const chosen: ChosenColumns = {
      schema: { ...schema, attributes: shown },
      numbers: shown.map((attribute) => schema.attributes.indexOf(attribute)),
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
  readWhole(file, bytes, head.directoryAt)
  return readDirectory(bytes, head)
}

function readWhole(file: number, bytes: Uint8Array, from: number): void {
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, at, bytes.length - at, from + at)
    if (read === 0) throw new Error('A file of rows is shorter than its directory says')
    at += read
  }
}

/** The rows that touch the boxes, in the order of their keys. */
function matches(
  chunks: readonly RowChunk[],
  boxes: readonly Envelope[],
  chosen: ChosenColumns,
): MixedRows & { count: number } {
  const found: { places: number[]; pageOf: number[]; rows: number[] } = { places: [], pageOf: [], rows: [] }
  const pages: RowPage[] = []
  for (const chunk of chunks) {
    const { places, sides } = chunk
    const before = found.rows.length
    touching(sides, boxes, (row) => {
      found.places.push(places[row] as number)
      found.pageOf.push(pages.length)
      found.rows.push(row)
    })
    if (found.rows.length > before) pages.push(chunk.page(chosen))
  }
  const order = orderOf(found.places)
  return {
    ...{ pages, count: order.length },
    pageOf: order.map((at) => found.pageOf[at] as number),
    rows: order.map((at) => found.rows[at] as number),
  }
}

/** What order the places come in, by numbers that hold both: comparing them by a function takes ten times as long. */
function orderOf(places: readonly number[]): Uint32Array {
  const keys = Float64Array.from(places, (place, at) => place * mostRows + at).sort()
  return Uint32Array.from(keys, (key) => key % mostRows)
}
