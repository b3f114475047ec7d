import type { Envelope } from '../../geo/envelope.ts'
import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import type { LayerLevels } from './layer-thinning.ts'
import { comesBefore } from './layer-thinning.ts'
import type { LeftOutBySet } from './left-out.ts'
import { countLeftOut, tileNumber } from './left-out.ts'
import type { Places } from './places.ts'
import { mostDrawn } from './select-rows.ts'
import { levelOf } from './tile-cells.ts'

/** Another layout or other rules make another number: overviews with an older one are made anew. */
const overviewFormat = 1
const magic = 'terraovw'
const headBytes = 16

/** What an overview tells of itself. */
export interface OverviewHeader {
  format: number
  /** See `LayerThinning`. */
  cells: number[]
  /** How many levels it answers for, from 0 on. */
  levels: number
  /** Rows that these levels show. */
  rows: number
  leftOut: LeftOutBySet
}

/** A layer with the ids and envelopes of its rows in the order of their keys. */
export interface OverviewSource {
  ids(row: number): string
  envelopes: Float64Array
  places: Places
  levels: LayerLevels
}

/**
 * Writes down which rows the first levels show: ids, envelopes, levels, and the order of preference. Rows themselves
 * are read from the layer.
 */
export function writeOverview({ ids, envelopes, places, levels }: OverviewSource, depth: number): Uint8Array {
  const rows: number[] = []
  for (let row = 0; row < places.count; row += 1) if ((levels.levels[row] as number) < depth) rows.push(row)
  const header: OverviewHeader = {
    format: overviewFormat,
    cells: [...levels.thinning.cells],
    levels: depth,
    rows: rows.length,
    leftOut: countLeftOut(places, levels, depth),
  }
  const boxes = new Float64Array(rows.length * 4)
  const ranks = new Uint32Array(rows.length)
  rows.forEach((row, at) => {
    boxes.set(envelopes.subarray(row * 4, row * 4 + 4), at * 4)
  })
  const order = rows.map((_, at) => at)
  order.sort((a, b) => (isBefore(places, rows[a] as number, rows[b] as number) ? -1 : 1))
  order.forEach((at, rank) => {
    ranks[at] = rank
  })
  const text = Buffer.from(JSON.stringify({ header, ids: rows.map(ids) }))
  const head = Buffer.alloc(headBytes)
  head.write(magic, 'latin1')
  head.writeDoubleLE(text.length, 8)
  const padding = Buffer.alloc((8 - (text.length % 8)) % 8)
  return Buffer.concat([
    ...[head, text, padding, new Uint8Array(boxes.buffer), new Uint8Array(ranks.buffer)],
    Uint8Array.from(rows, (row) => levels.levels[row] as number),
  ])
}

function isBefore({ size }: Places, row: number, other: number): boolean {
  return comesBefore(size[row] as number, row, size[other] as number, other)
}

/** Which tile is asked for, and the boxes in the CRS of the table that its features touch. */
export interface OverviewQuestion {
  set: TileMatrixSetId
  tile: TileAddress
  boxes: readonly Envelope[]
  most?: number
}

/** The rows that the first levels of a layer show. */
export class Overview {
  readonly header: OverviewHeader
  readonly sizeBytes: number
  readonly #ids: readonly string[]
  readonly #boxes: Float64Array
  readonly #ranks: Uint32Array
  readonly #levels: Uint8Array
  readonly #leftOut = new Map<string, ReadonlyMap<number, number>>()

  /** Undefined for bytes of another format, and for those that were not written whole. */
  static read(bytes: Uint8Array): Overview | undefined {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (buffer.length < headBytes || buffer.toString('latin1', 0, 8) !== magic) return undefined
    const length = buffer.readDoubleLE(8)
    if (!(length <= buffer.length - headBytes)) return undefined
    const text = buffer.toString('utf8', headBytes, headBytes + length)
    const { header, ids } = JSON.parse(text) as { header: OverviewHeader; ids: string[] }
    const start = headBytes + length + ((8 - (length % 8)) % 8)
    if (header.format !== overviewFormat || buffer.length !== start + header.rows * 37) return undefined
    return new Overview(header, ids, Uint8Array.prototype.slice.call(buffer, start))
  }

  private constructor(header: OverviewHeader, ids: string[], arrays: Uint8Array<ArrayBuffer>) {
    const { rows } = header
    this.header = header
    this.sizeBytes = arrays.length + rows * 40
    this.#ids = ids
    this.#boxes = new Float64Array(arrays.buffer, 0, rows * 4)
    this.#ranks = new Uint32Array(arrays.buffer, rows * 32, rows)
    this.#levels = new Uint8Array(arrays.buffer, rows * 36, rows)
  }

  /** Ids of the rows that a tile shows, in the order of their keys, and how many are left out. */
  select({ set, tile, boxes, most = mostDrawn }: OverviewQuestion): { ids: string[]; thinned: number } {
    const level = levelOf(set, tile.z)
    const found: number[] = []
    for (let at = 0; at < this.#levels.length; at += 1) {
      if ((this.#levels[at] as number) <= level && this.#touches(at, boxes)) found.push(at)
    }
    const kept = found.length > most ? this.#preferred(found, most) : found
    const hidden = this.#leftOutOf(set, tile.z).get(tileNumber(set, tile)) ?? 0
    return { ids: kept.map((at) => this.#ids[at] ?? ''), thinned: hidden + found.length - kept.length }
  }

  #touches(at: number, boxes: readonly Envelope[]): boolean {
    const minX = this.#boxes[at * 4] as number
    const minY = this.#boxes[at * 4 + 1] as number
    const maxX = this.#boxes[at * 4 + 2] as number
    const maxY = this.#boxes[at * 4 + 3] as number
    for (const box of boxes) {
      if (minX <= box.maxX && maxX >= box.minX && minY <= box.maxY && maxY >= box.minY) return true
    }
    return false
  }

  #preferred(found: number[], most: number): number[] {
    const ranks = this.#ranks
    const order = found.toSorted((a, b) => (ranks[a] as number) - (ranks[b] as number))
    return order.slice(0, most).sort((a, b) => a - b)
  }

  #leftOutOf(set: TileMatrixSetId, z: number): ReadonlyMap<number, number> {
    const key = `${set} ${z}`
    const known = this.#leftOut.get(key)
    if (known !== undefined) return known
    const counts = new Map<number, number>()
    const pairs = this.header.leftOut[set][z] ?? []
    for (let at = 0; at < pairs.length; at += 2) counts.set(pairs[at] as number, pairs[at + 1] as number)
    this.#leftOut.set(key, counts)
    return counts
  }
}
