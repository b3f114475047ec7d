import type { AttributeTable } from './attributes.ts'
import { ProtobufWriter, varintLength } from './protobuf.ts'
import type { ValueTable } from './value-table.ts'
import { tileExtent } from './world.ts'

/** Limits of one layer of a tile. */
export interface TileLimits {
  features: number
  vertices: number
  /** Size of features and their values, before compression. */
  bytes: number
}

const defaultLimits: TileLimits = { features: 50_000, vertices: 1_000_000, bytes: 8 << 20 }

/** Numbers of fields (Mapbox Vector Tile 2.1, section 4). */
const layerField = 3
const layerFields = { name: 1, feature: 2, key: 3, value: 4, extent: 5, version: 15 }
const featureFields = { id: 1, tags: 2, type: 3, geometry: 4 }

/** A feature to add; the writers are read immediately and can be reused. */
export interface TileFeature {
  /** Row index: a row may be several features. */
  row: number
  /** Larger features take precedence over smaller ones if a tile cannot contain all. */
  size: number
  /** -1 for none. */
  id: number
  type: number
  tags: ProtobufWriter
  commands: ProtobufWriter
  vertices: number
}

/** The features of a layer in row order, within limits. */
export class TileFeatures {
  readonly #limits: TileLimits
  #tags: ProtobufWriter
  #commands: ProtobufWriter
  readonly #values: ValueTable
  #vertices = 0
  #leftOut = 0
  #ids: number[] = []
  #types: number[] = []
  #rows: number[] = []
  #sizes: number[] = []
  #vertexCounts: number[] = []
  #tagEnds: number[] = []
  #commandEnds: number[] = []
  /** Exceeding these makes thinning worthwhile: the first feature alone may exceed the limits. */
  #maxVertices: number
  #maxBytes: number
  /** The first omitted row: all later ones in the order of preference are omitted too. */
  #firstOut: { row: number; size: number } | undefined
  /** The last omitted row that was counted: a row may be several features. */
  #lastOut = 0

  /**
   * Stores tags and commands in the writers, which must be empty; the tags refer to `values`, which may be
   * shared until then.
   */
  constructor(
    { tags, commands, values }: { tags: ProtobufWriter; commands: ProtobufWriter; values: ValueTable },
    limits: Partial<TileLimits> = {},
  ) {
    this.#tags = tags
    this.#commands = commands
    this.#values = values
    this.#limits = { ...defaultLimits, ...limits }
    this.#maxVertices = this.#limits.vertices * 2
    this.#maxBytes = this.#limits.bytes * 2
  }

  add({ row, size, id, type, tags, commands, vertices }: TileFeature): void {
    if (this.#isOut(row, size)) return
    this.#tags.append(tags.bytes, 0, tags.length)
    this.#commands.append(commands.bytes, 0, commands.length)
    this.#ids.push(id)
    this.#types.push(type)
    this.#rows.push(row)
    this.#sizes.push(size)
    this.#vertexCounts.push(vertices)
    this.#tagEnds.push(this.#tags.length)
    this.#commandEnds.push(this.#commands.length)
    this.#vertices += vertices
    const isMany = this.#ids.length > this.#limits.features * 2
    if (!isMany && this.#vertices <= this.#maxVertices && this.#bytes <= this.#maxBytes) return
    this.#keepWithinLimits()
    this.#maxVertices = Math.max(this.#limits.vertices, this.#vertices) * 2
    this.#maxBytes = Math.max(this.#limits.bytes, this.#bytes) * 2
  }

  #isOut(row: number, size: number): boolean {
    const first = this.#firstOut
    if (first === undefined || size > first.size || (size === first.size && row < first.row)) return false
    if (row !== this.#lastOut) this.#leftOut += 1
    this.#lastOut = row
    return true
  }

  /** Omits features beyond the limits; returns the total number of omitted rows. */
  thin(): number {
    const { features, vertices, bytes } = this.#limits
    if (this.#ids.length > features || this.#vertices > vertices || this.#bytes > bytes)
      this.#keepWithinLimits()
    return this.#leftOut
  }

  /** Returns a tile with this layer; empty without features. `layer` must be an empty writer. */
  write(name: string, attributes: AttributeTable, layer: ProtobufWriter): Uint8Array {
    const count = this.#ids.length
    if (count === 0) return new Uint8Array(0)
    const used = this.#leftOut > 0 ? this.#renumber(attributes) : undefined
    layer.reserve(this.#bytes + count * 16 + 1024)
    layer.tag(layerFields.version, 0)
    layer.varint(2)
    layer.textField(layerFields.name, name)
    for (let feature = 0; feature < count; feature += 1) this.#writeFeature(feature, layer)
    const keys = used?.keys ?? attributes.keys.keys()
    for (const key of keys) layer.textField(layerFields.key, attributes.keys[key] as string)
    if (used === undefined) attributes.values.writeAll(layer, layerFields.value)
    else for (const value of used.values) attributes.values.write(value, layer, layerFields.value)
    layer.tag(layerFields.extent, 0)
    layer.varint(tileExtent)
    const tile = new ProtobufWriter(1 + varintLength(layer.length) + layer.length)
    tile.field(layerField, layer.bytes, 0, layer.length)
    return tile.bytes.subarray(0, tile.length)
  }

  get #bytes(): number {
    return this.#tags.length + this.#commands.length + this.#values.length
  }

  #writeFeature(feature: number, layer: ProtobufWriter): void {
    const id = this.#ids[feature] as number
    const tagStart = feature === 0 ? 0 : (this.#tagEnds[feature - 1] as number)
    const tagEnd = this.#tagEnds[feature] as number
    const start = feature === 0 ? 0 : (this.#commandEnds[feature - 1] as number)
    const end = this.#commandEnds[feature] as number
    const [tags, commands] = [tagEnd - tagStart, end - start]
    const idLength = id < 0 ? 0 : 1 + varintLength(id)
    const tagLength = tags === 0 ? 0 : 1 + varintLength(tags) + tags
    layer.tag(layerFields.feature, 2)
    layer.varint(idLength + tagLength + 2 + 1 + varintLength(commands) + commands)
    if (id >= 0) {
      layer.tag(featureFields.id, 0)
      layer.varint(id)
    }
    if (tags > 0) layer.field(featureFields.tags, this.#tags.bytes, tagStart, tagEnd)
    layer.tag(featureFields.type, 0)
    layer.varint(this.#types[feature] as number)
    layer.field(featureFields.geometry, this.#commands.bytes, start, end)
  }

  /**
   * Retains the largest rows, of equally large ones the earlier ones, up to the limits, and always the first
   * one. The result does not depend on when this is called, since the rows retained from a subset include
   * those retained from all.
   */
  #keepWithinLimits(): void {
    const order = this.#ids.map((_, feature) => feature)
    order.sort((a, b) => (this.#sizes[b] as number) - (this.#sizes[a] as number) || a - b)
    const isUsed = new Uint8Array(this.#values.count)
    const kept: number[] = []
    let [vertices, bytes] = [0, 0]
    for (let at = 0, end = 0; at < order.length; at = end) {
      const row = this.#rows[order[at] as number] as number
      for (end = at; end < order.length && this.#rows[order[end] as number] === row; end += 1) {
        vertices += this.#vertexCounts[order[end] as number] as number
        bytes += this.#bytesOf(order[end] as number, isUsed)
      }
      const isOver =
        kept.length + end - at > this.#limits.features ||
        vertices > this.#limits.vertices ||
        bytes > this.#limits.bytes
      if (isOver && kept.length > 0) {
        this.#firstOut = { row, size: this.#sizes[order[at] as number] as number }
        break
      }
      kept.push(...order.slice(at, end))
    }
    const [rowsBefore, last] = [new Set(this.#rows).size, this.#rows.at(-1) ?? 0]
    this.#keep(kept.sort((a, b) => a - b))
    this.#leftOut += rowsBefore - new Set(this.#rows).size
    if (this.#rows.at(-1) !== last) this.#lastOut = last
    this.#dropValues()
  }

  /** Size of a feature, including values that no other feature has used before. */
  #bytesOf(feature: number, isUsed: Uint8Array): number {
    const [tagStart, tagEnd] = [this.#tagStart(feature), this.#tagEnds[feature] as number]
    const start = feature === 0 ? 0 : (this.#commandEnds[feature - 1] as number)
    let bytes = tagEnd - tagStart + (this.#commandEnds[feature] as number) - start
    readTags(this.#tags.bytes, tagStart, tagEnd, (_, value) => {
      if (isUsed[value] === 0) bytes += this.#values.lengthOf(value)
      isUsed[value] = 1
    })
    return bytes
  }

  #tagStart(feature: number): number {
    return feature === 0 ? 0 : (this.#tagEnds[feature - 1] as number)
  }

  /** Removes the values of omitted features. */
  #dropValues(): void {
    const isUsed = new Uint8Array(this.#values.count)
    readTags(this.#tags.bytes, 0, this.#tags.length, (_, value) => {
      isUsed[value] = 1
    })
    const numbers = this.#values.keepOnly((value) => isUsed[value] === 1)
    this.#rewriteTags(
      (key) => key,
      (value) => numbers[value] as number,
    )
  }

  #rewriteTags(toKey: (key: number) => number, toValue: (value: number) => number): void {
    const tags = new ProtobufWriter(this.#tags.length)
    const ends: number[] = []
    for (let feature = 0; feature < this.#tagEnds.length; feature += 1) {
      const end = this.#tagEnds[feature] as number
      readTags(this.#tags.bytes, this.#tagStart(feature), end, (key, value) => {
        tags.varint(toKey(key))
        tags.varint(toValue(value))
      })
      ends.push(tags.length)
    }
    this.#tags = tags
    this.#tagEnds = ends
  }

  #keep(kept: number[]): void {
    const [tags, commands] = [
      new ProtobufWriter(this.#tags.length),
      new ProtobufWriter(this.#commands.length),
    ]
    const [tagEnds, commandEnds]: [number[], number[]] = [[], []]
    for (const feature of kept) {
      const tagStart = feature === 0 ? 0 : (this.#tagEnds[feature - 1] as number)
      const start = feature === 0 ? 0 : (this.#commandEnds[feature - 1] as number)
      tags.append(this.#tags.bytes, tagStart, this.#tagEnds[feature] as number)
      commands.append(this.#commands.bytes, start, this.#commandEnds[feature] as number)
      tagEnds.push(tags.length)
      commandEnds.push(commands.length)
    }
    const pick = (values: number[]): number[] => kept.map((feature) => values[feature] as number)
    this.#ids = pick(this.#ids)
    this.#types = pick(this.#types)
    this.#rows = pick(this.#rows)
    this.#sizes = pick(this.#sizes)
    this.#vertexCounts = pick(this.#vertexCounts)
    this.#vertices = this.#vertexCounts.reduce((sum, count) => sum + count, 0)
    this.#tags = tags
    this.#commands = commands
    this.#tagEnds = tagEnds
    this.#commandEnds = commandEnds
  }

  /** Returns the keys and values still in use, in order of first use, with new numbers for tags. */
  #renumber(attributes: AttributeTable): { keys: number[]; values: number[] } {
    const keys = new Renumbering(attributes.keys.length)
    const values = new Renumbering(attributes.values.count)
    this.#rewriteTags(
      (key) => keys.of(key),
      (value) => values.of(value),
    )
    return { keys: keys.used, values: values.used }
  }
}

/** Calls back for each pair of key and value, which are varints. */
function readTags(
  bytes: Uint8Array,
  start: number,
  end: number,
  visit: (key: number, value: number) => void,
): void {
  let at = start
  const read = (): number => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = bytes[at] as number
      at += 1
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }
  while (at < end) {
    const key = read()
    visit(key, read())
  }
}

/** Assigns new numbers, from 0, in the order of use. */
class Renumbering {
  readonly used: number[] = []
  readonly #numbers: Int32Array

  constructor(count: number) {
    this.#numbers = new Int32Array(count).fill(-1)
  }

  of(number: number): number {
    if (this.#numbers[number] === -1) {
      this.#numbers[number] = this.used.length
      this.used.push(number)
    }
    return this.#numbers[number] as number
  }
}
