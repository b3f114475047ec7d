import type { FeatureBatch } from '../geo/batch.ts'
import type { Column } from '../geo/column.ts'
import { columnValue, isValid } from '../geo/column.ts'
import type { Schema } from '../geo/schema.ts'
import { dateText, timestampText, timeText } from '../geo/time-text.ts'
import { walkCoordinates } from '../geo/wkb.ts'
import { ProtobufWriter } from './protobuf.ts'
import type { TileAddress, TileMatrixSet } from './tile-matrix-sets.ts'
import { tileEnvelope } from './tile-matrix-sets.ts'
import { tileExtent } from './tile-units.ts'

/** What is to be encoded. */
export interface TileEncoderOptions {
  /** Of the layer in the tile. */
  name: string
  schema: Schema
  set: TileMatrixSet
  tile: TileAddress
}

/** What became of the rows that were read for a tile. */
export interface TileCounts {
  read: number
  drawn: number
  /** Left out by the rules of thinning. */
  thinned: number
  /** Left out since a vertex has no image in the tile's CRS. */
  withoutImage: number
}

/** One layer of a vector tile: several of them one after the other are a tile of several layers. */
interface EncodedTile {
  /** Empty where nothing is drawn. */
  bytes: Uint8Array
  counts: TileCounts
}

/** Takes rows whose coordinates are in the CRS of the set, in their order, and makes a layer of a tile of them. */
export interface TileEncoder {
  add(page: { batch: FeatureBatch; ids: readonly string[] }): void
  finish(): EncodedTile
}

const text = new TextEncoder()
const zigzag = (value: number): number => (value >= 0 ? value * 2 : value * -2 - 1)

/** Begins a layer of a tile. */
export function createTileEncoder({ name, schema, set, tile }: TileEncoderOptions): TileEncoder {
  const features = new ProtobufWriter()
  const keys = schema.attributes.map(({ name: key }) => text.encode(key))
  const values = new Map<string, number>()
  const valueBytes: Uint8Array[] = []
  const counts = { read: 0, drawn: 0, thinned: 0, withoutImage: 0 }
  const envelope = tileEnvelope(set, tile)

  function valueIndex(column: Column, row: number): number | undefined {
    const value = shownValue(column, row)
    if (value === undefined) return undefined
    const key = `${typeof value}${String(value)}`
    const known = values.get(key)
    if (known !== undefined) return known
    values.set(key, valueBytes.length)
    valueBytes.push(encodeValue(value))
    return valueBytes.length - 1
  }

  function addRow(batch: FeatureBatch, row: number, id: string): void {
    counts.read += 1
    const { geometry } = batch
    if (geometry === undefined || !isValid(geometry.validity, row)) return
    const wkb = geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])
    const shape = encodeShape(wkb, envelope)
    if (shape === undefined) {
      counts.withoutImage += 1
      return
    }
    const feature = new ProtobufWriter()
    if (/^(?:0|[1-9]\d{0,14})$/.test(id)) {
      feature.tag(1, 0)
      feature.varint(Number(id))
    }
    const tags = new ProtobufWriter()
    for (const [index, column] of batch.columns.entries()) {
      const value = valueIndex(column, row)
      if (value === undefined) continue
      tags.varint(index)
      tags.varint(value)
    }
    feature.bytes(2, tags.finish())
    feature.tag(3, 0)
    feature.varint(shape.type)
    feature.bytes(4, shape.commands)
    features.bytes(2, feature.finish())
    counts.drawn += 1
  }

  return {
    add({ batch, ids }) {
      for (let row = 0; row < batch.rowCount; row += 1) addRow(batch, row, ids[row] ?? '')
    },
    finish() {
      if (counts.drawn === 0) return { bytes: new Uint8Array(0), counts }
      const layer = new ProtobufWriter()
      layer.bytes(1, text.encode(name))
      const body = features.finish()
      const parts = new ProtobufWriter()
      for (const key of keys) parts.bytes(3, key)
      for (const value of valueBytes) parts.bytes(4, value)
      parts.tag(5, 0)
      parts.varint(tileExtent)
      parts.tag(15, 0)
      parts.varint(2)
      const all = Buffer.concat([layer.finish(), body, parts.finish()])
      const out = new ProtobufWriter()
      out.bytes(3, all)
      return { bytes: out.finish(), counts }
    },
  }
}

function shownValue(column: Column, row: number): string | number | boolean | undefined {
  const value = columnValue(column, row)
  if (value === null || value instanceof Uint8Array) return undefined
  if (column.type === 'date') return dateText(value as number)
  if (column.type === 'time') return timeText(value as bigint)
  if (column.type === 'timestamp') return timestampText(value as bigint)
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function encodeValue(value: string | number | boolean): Uint8Array {
  const writer = new ProtobufWriter()
  if (typeof value === 'string') writer.bytes(1, text.encode(value))
  else if (typeof value === 'boolean') {
    writer.tag(7, 0)
    writer.varint(value ? 1 : 0)
  } else if (Number.isSafeInteger(value)) {
    writer.tag(6, 0)
    writer.varint(zigzag(value))
  } else writer.double(3, value)
  return writer.finish()
}

const commandOf = { moveTo: 1, lineTo: 2, closePath: 7 }

function encodeShape(
  wkb: Uint8Array,
  envelope: ReturnType<typeof tileEnvelope>,
): { type: number; commands: Uint8Array } | undefined {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
  const base = (view.getUint32(1, true) % 1000) as 1 | 2 | 3 | 4 | 5 | 6 | 7
  const type = base === 7 ? 1 : ((base - 1) % 3) + 1
  const commands = new ProtobufWriter()
  let x = 0
  let y = 0
  let isWhole = true
  walkCoordinates(view, 0, (offset, count, dimensions) => {
    const last = type === 3 ? count - 1 : count
    for (let point = 0; point < last; point += 1) {
      const at = offset + point * dimensions * 8
      const toX = Math.round(
        ((view.getFloat64(at, true) - envelope.minX) / (envelope.maxX - envelope.minX)) * tileExtent,
      )
      const toY = Math.round(
        ((envelope.maxY - view.getFloat64(at + 8, true)) / (envelope.maxY - envelope.minY)) * tileExtent,
      )
      if (!(Math.abs(toX) < 2 ** 30 && Math.abs(toY) < 2 ** 30)) isWhole = false
      if (point === 0) commands.varint(commandOf.moveTo + 8)
      else if (point === 1) commands.varint(commandOf.lineTo + (last - 1) * 8)
      commands.varint(zigzag(toX - x))
      commands.varint(zigzag(toY - y))
      x = toX
      y = toY
    }
    if (type === 3) commands.varint(commandOf.closePath + 8)
  })
  return isWhole && commands.length > 0 ? { type, commands: commands.finish() } : undefined
}
