import { ProtobufWriter } from './protobuf.ts'

const extent = 4096
/** Drawn beyond the edges of a tile, so that outlines do not show them. */
const buffer = 64
const moveTo = 9
const lineTo = 26
const closePath = 15

/** A square cell of a zoom level, with integers as attributes. */
export interface SquareCell {
  column: number
  row: number
  values: Record<string, number>
}

/** A tile by zoom, column from the west and row from the north. */
interface Tile {
  z: number
  x: number
  y: number
}

/**
 * Returns the edges of a cell in pixels, for a tile of `size` pixels; undefined if the cell is outside the
 * tile.
 */
export function cellInTile(
  { column, row }: Pick<SquareCell, 'column' | 'row'>,
  zoom: number,
  { z, x, y }: Tile,
  { size, margin }: { size: number; margin: number },
): [west: number, north: number, east: number, south: number] | undefined {
  const side = size * 2 ** (z - zoom)
  const west = column * side - x * size
  const north = row * side - y * size
  const clip = (value: number): number => Math.min(size + margin, Math.max(-margin, Math.round(value)))
  const edges = [clip(west), clip(north), clip(west + side), clip(north + side)] as const
  const isInside = west < size && north < size && west + side > 0 && north + side > 0
  return isInside && edges[2] > edges[0] && edges[3] > edges[1] ? [...edges] : undefined
}

/** Encodes cells of a zoom level as squares of a vector tile; empty if no cell is in the tile. */
export function encodeSquareTile(
  name: string,
  zoom: number,
  cells: readonly SquareCell[],
  tile: Tile,
): Uint8Array {
  const keys: string[] = []
  const values: number[] = []
  const layer = new ProtobufWriter()
  layer.textField(1, name)
  let drawn = 0
  for (const cell of cells) {
    const edges = cellInTile(cell, zoom, tile, { size: extent, margin: buffer })
    if (edges === undefined) continue
    const feature = new ProtobufWriter(64)
    feature.tag(1, 0)
    feature.varint(cell.row * 2 ** zoom + cell.column)
    writeTags(feature, cell.values, keys, values)
    feature.tag(3, 0)
    feature.varint(3)
    writeSquare(feature, edges)
    layer.field(2, feature.bytes, 0, feature.length)
    drawn += 1
  }
  if (drawn === 0) return new Uint8Array(0)
  for (const key of keys) layer.textField(3, key)
  for (const value of values) writeValue(layer, value)
  layer.tag(5, 0)
  layer.varint(extent)
  layer.tag(15, 0)
  layer.varint(2)
  const whole = new ProtobufWriter(layer.length + 16)
  whole.field(3, layer.bytes, 0, layer.length)
  return whole.finish()
}

function writeTags(
  feature: ProtobufWriter,
  cellValues: SquareCell['values'],
  keys: string[],
  values: number[],
): void {
  const tags = new ProtobufWriter(32)
  for (const [key, value] of Object.entries(cellValues)) {
    tags.varint(indexOf(keys, key))
    tags.varint(indexOf(values, value))
  }
  feature.field(2, tags.bytes, 0, tags.length)
}

function indexOf<T>(list: T[], value: T): number {
  const known = list.indexOf(value)
  return known >= 0 ? known : list.push(value) - 1
}

function writeValue(layer: ProtobufWriter, value: number): void {
  const bytes = new ProtobufWriter(16)
  bytes.tag(5, 0)
  bytes.varint(value)
  layer.field(4, bytes.bytes, 0, bytes.length)
}

/** Clockwise on the screen, as exterior rings are. */
function writeSquare(
  feature: ProtobufWriter,
  [west, north, east, south]: readonly [number, number, number, number],
): void {
  const geometry = new ProtobufWriter(32)
  const zigzag = (value: number): void => geometry.varint(value < 0 ? -value * 2 - 1 : value * 2)
  geometry.varint(moveTo)
  zigzag(west)
  zigzag(north)
  geometry.varint(lineTo)
  for (const [dx, dy] of [
    [east - west, 0],
    [0, south - north],
    [west - east, 0],
  ] as const) {
    zigzag(dx)
    zigzag(dy)
  }
  geometry.varint(closePath)
  feature.field(4, geometry.bytes, 0, geometry.length)
}
