import type { Envelope } from '../../geo/envelope.ts'
import type { TileAddress, TileMatrixSetId } from '../tile-matrix-sets.ts'
import type { LeftOutBySet } from './dropped-features.ts'
import { countLeftOut, tileNumber } from './dropped-features.ts'
import type { FeaturePositions } from './feature-positions.ts'
import type { LayerLevels } from './layer-generalization.ts'
import { comesBefore } from './layer-generalization.ts'
import type { AreaRule } from './sample-points.ts'
import { maxDrawn } from './select-rows.ts'
import { levelOf } from './tile-cells.ts'

/** Format version. Increment it when layout or rules change: overviews with an older version are rebuilt. */
const overviewFormat = 3
const magic = 'terraovw'
const headBytes = 24
/** Maximum end offset of a header. */
export const overviewHeaderBytes = 4096
/** Size of a row: four 64-bit floats, its rank and its level. */
const rowBytes = 37

/** Header of an overview. */
export interface OverviewHeader {
  format: number
  /** See `LayerGeneralization`. */
  cells: number[]
  areas?: AreaRule
  /** Number of levels that it covers, from 0 on. */
  levels: number
  /** Number of rows shown at these levels. */
  rows: number
}

/** Texts stored after the header. */
interface OverviewTexts {
  ids: string[]
  leftOut: LeftOutBySet
}

/** A layer with the ids and envelopes of its rows in key order. */
export interface OverviewSource {
  ids(row: number): string
  envelopes: Float64Array
  positions: FeaturePositions
  levels: LayerLevels
}

/**
 * Writes which rows the first levels show: ids, envelopes, levels, and the order of preference. The rows
 * themselves are read from the layer.
 */
export function writeOverview(
  { ids, envelopes, positions, levels }: OverviewSource,
  depth: number,
): Uint8Array {
  const rows: number[] = []
  for (let row = 0; row < positions.count; row += 1)
    if ((levels.levels[row] as number) < depth) rows.push(row)
  const header: OverviewHeader = {
    format: overviewFormat,
    ...levels.thinning,
    cells: [...levels.thinning.cells],
    levels: depth,
    rows: rows.length,
  }
  const boxes = new Float64Array(rows.length * 4)
  const ranks = new Uint32Array(rows.length)
  rows.forEach((row, at) => {
    boxes.set(envelopes.subarray(row * 4, row * 4 + 4), at * 4)
  })
  const order = rows.map((_, at) => at)
  order.sort((a, b) => (isBefore(positions, rows[a] as number, rows[b] as number) ? -1 : 1))
  order.forEach((at, rank) => {
    ranks[at] = rank
  })
  const texts: OverviewTexts = { ids: rows.map(ids), leftOut: countLeftOut(positions, levels, depth) }
  return Buffer.concat([
    ...textBytes(header, texts),
    new Uint8Array(boxes.buffer),
    new Uint8Array(ranks.buffer),
    Uint8Array.from(rows, (row) => levels.levels[row] as number),
  ])
}

function textBytes(header: OverviewHeader, texts: OverviewTexts): Uint8Array[] {
  const first = Buffer.from(JSON.stringify(header))
  const second = Buffer.from(JSON.stringify(texts))
  const head = Buffer.alloc(headBytes)
  head.write(magic, 'latin1')
  head.writeDoubleLE(first.length, 8)
  head.writeDoubleLE(second.length, 16)
  return [head, first, second]
}

function isBefore({ size }: FeaturePositions, row: number, other: number): boolean {
  return comesBefore(size[row] as number, row, size[other] as number, other)
}

/** Parses the first `overviewHeaderBytes` of an overview; undefined for other files. */
export function readOverviewHeader(bytes: Uint8Array): OverviewHeader | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length < headBytes || buffer.toString('latin1', 0, 8) !== magic) return undefined
  const end = headBytes + buffer.readDoubleLE(8)
  if (!(end <= Math.min(buffer.length, overviewHeaderBytes))) return undefined
  const header = JSON.parse(buffer.toString('utf8', headBytes, end)) as OverviewHeader
  return header.format === overviewFormat ? header : undefined
}

/** A tile, and the boxes in the CRS of the table that its features touch. */
export interface OverviewTileQuery {
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
  readonly #leftOutPairs: LeftOutBySet
  readonly #leftOut = new Map<string, ReadonlyMap<number, number>>()

  /** Returns undefined for bytes of another format, or an incomplete file. */
  static read(bytes: Uint8Array): Overview | undefined {
    const header = readOverviewHeader(bytes)
    if (header === undefined) return undefined
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const start = headBytes + buffer.readDoubleLE(8)
    const end = start + buffer.readDoubleLE(16)
    if (buffer.length !== end + header.rows * rowBytes) return undefined
    const texts = JSON.parse(buffer.toString('utf8', start, end)) as OverviewTexts
    return new Overview(header, texts, Uint8Array.prototype.slice.call(buffer, end))
  }

  private constructor(
    header: OverviewHeader,
    { ids, leftOut }: OverviewTexts,
    arrays: Uint8Array<ArrayBuffer>,
  ) {
    const { rows } = header
    this.header = header
    this.sizeBytes = arrays.length + rows * 40
    this.#ids = ids
    this.#leftOutPairs = leftOut
    this.#boxes = new Float64Array(arrays.buffer, 0, rows * 4)
    this.#ranks = new Uint32Array(arrays.buffer, rows * 32, rows)
    this.#levels = new Uint8Array(arrays.buffer, rows * 36, rows)
  }

  /** Returns the ids of the rows that a tile shows, in key order, and the number of omitted rows. */
  select({ set, tile, boxes, most = maxDrawn }: OverviewTileQuery): { ids: string[]; thinned: number } {
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
    const pairs = this.#leftOutPairs[set][z] ?? []
    for (let at = 0; at < pairs.length; at += 2) counts.set(pairs[at] as number, pairs[at + 1] as number)
    this.#leftOut.set(key, counts)
    return counts
  }
}
