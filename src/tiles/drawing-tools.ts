import { ProtobufWriter } from './protobuf.ts'
import type { Placer } from './shape/placer.ts'
import { ShapeReader } from './shape/read-shape.ts'
import { ShapeWriter } from './shape/shape-writer.ts'
import { ValueTable } from './value-table.ts'

/** Approximate number of tiles that one thread renders at the same time. */
const maxIdle = 4
/** Larger buffers, grown for a large tile or geometry, are not retained. */
const maxTileBytes = 1 << 20
const maxShapeBytes = 1 << 16

/** Buffers for drawing a tile layer: some sixty buffers, which successive tiles reuse. */
export class DrawingTools {
  /** Tags of the current feature. */
  readonly tags = new ProtobufWriter()
  readonly commands = new ProtobufWriter()
  /** Tags of all features. */
  readonly allTags = new ProtobufWriter(1 << 11)
  readonly allCommands = new ProtobufWriter(1 << 11)
  readonly values = new ValueTable()
  /** Output buffer of the layer. */
  readonly layer = new ProtobufWriter(1 << 13)
  readonly reader: ShapeReader
  readonly shapes: ShapeWriter

  constructor(placer: Placer, isWorld: boolean) {
    this.reader = new ShapeReader(placer)
    this.shapes = new ShapeWriter(this.commands, placer.turn, isWorld)
  }

  /** Starts another tile. */
  begin(placer: Placer, isWorld: boolean): void {
    this.reader.begin(placer)
    this.shapes.begin(placer.turn, isWorld)
    this.values.clear()
    for (const writer of [this.tags, this.commands, this.allTags, this.allCommands, this.layer])
      writer.truncate(0)
  }

  get isSmall(): boolean {
    const writers = [this.allTags, this.allCommands, this.layer]
    const tileBytes = writers.reduce((sum, { bytes }) => sum + bytes.length, this.values.sizeBytes)
    return tileBytes <= maxTileBytes && this.commands.bytes.length <= maxShapeBytes
  }
}

const idle: DrawingTools[] = []

/** Returns buffers for a layer; those not given back are garbage-collected. */
export function takeTools(placer: Placer, isWorld: boolean): DrawingTools {
  const tools = idle.pop()
  if (tools === undefined) return new DrawingTools(placer, isWorld)
  tools.begin(placer, isWorld)
  return tools
}

/** Returns buffers for reuse. Results created with them must not refer to their memory any more. */
export function giveToolsBack(tools: DrawingTools): void {
  if (idle.length < maxIdle && tools.isSmall) idle.push(tools)
}
