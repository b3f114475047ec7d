import { ProtobufWriter } from './protobuf.ts'
import type { Placer } from './shape/placer.ts'
import { ShapeReader } from './shape/read-shape.ts'
import { ShapeWriter } from './shape/shape-writer.ts'
import { ValueTable } from './value-table.ts'

/** Tiles that are made at the same time in one thread, about. */
const mostIdle = 4
/** What has grown for a large tile, or one large shape, is not kept. */
const mostTileBytes = 1 << 20
const mostShapeBytes = 1 << 16

/** What a layer of a tile is drawn with: some sixty pieces of memory, which one tile leaves to the next. */
export class DrawingTools {
  /** Of the feature that is drawn. */
  readonly tags = new ProtobufWriter()
  readonly commands = new ProtobufWriter()
  /** Of all features. */
  readonly allTags = new ProtobufWriter(1 << 11)
  readonly allCommands = new ProtobufWriter(1 << 11)
  readonly values = new ValueTable()
  /** Where the layer is put together. */
  readonly layer = new ProtobufWriter(1 << 13)
  readonly reader: ShapeReader
  readonly shapes: ShapeWriter

  constructor(placer: Placer, isWorld: boolean) {
    this.reader = new ShapeReader(placer)
    this.shapes = new ShapeWriter(this.commands, placer.turn, isWorld)
  }

  /** For another tile. */
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
    return tileBytes <= mostTileBytes && this.commands.bytes.length <= mostShapeBytes
  }
}

const idle: DrawingTools[] = []

/** Tools for a layer; who does not give them back leaves them to the garbage collector. */
export function takeTools(placer: Placer, isWorld: boolean): DrawingTools {
  const tools = idle.pop()
  if (tools === undefined) return new DrawingTools(placer, isWorld)
  tools.begin(placer, isWorld)
  return tools
}

/** Nothing that was made with them may refer to their memory. */
export function giveToolsBack(tools: DrawingTools): void {
  if (idle.length < mostIdle && tools.isSmall) idle.push(tools)
}
