import type { FeatureBatch, RejectedRow } from '../../geo/batch.ts'
import { BatchBuilder, batchRows } from '../../geo/batch.ts'
import { columnValue } from '../../geo/column.ts'
import type { ColumnBuilder } from '../../geo/column-builder.ts'
import type { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { Schema } from '../../geo/schema.ts'
import type { OpenFile } from '../open-file.ts'
import { RowAssembler } from './assemble-row.ts'
import type { ColumnCursor } from './column-cursor.ts'
import { FlatColumn, isFlat, JsonColumn, NativeColumn, WkbColumn } from './column-cursor.ts'
import type { GeometryInfo } from './geo-metadata.ts'
import { LeafCursor } from './leaf-cursor.ts'
import { NativeWriter, nativeValues } from './native-geometry.ts'
import { PageMemory, PageReader } from './page-reader.ts'
import { damaged } from './parquet-error.ts'
import type { ColumnChunk, ParquetFile, ParquetNode, ParquetRowGroup } from './parquet-file.ts'

/** Wide tables get batches with fewer rows, to limit the memory of a batch. */
const valuesPerBatch = batchRows * 64

/** Columns of a file that form a layer, in the order of its schema. */
export interface LayerColumns {
  attributes: ParquetNode[]
  geometry: { node: ParquetNode; info: GeometryInfo } | undefined
}

function leavesOf(node: ParquetNode): ParquetNode[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(leavesOf)
}

/** Opens columns of a row group; their pages share one memory limit. */
export class GroupReader {
  readonly #file: OpenFile
  readonly #group: ParquetRowGroup
  readonly #memory = new PageMemory()

  constructor(file: OpenFile, group: ParquetRowGroup) {
    this.#file = file
    this.#group = group
  }

  leaf(node: ParquetNode): LeafCursor {
    const chunk = this.#group.chunks[node.leaf] as ColumnChunk
    return new LeafCursor(node, new PageReader(this.#file, node, chunk, this.#memory))
  }

  attribute(node: ParquetNode): ColumnCursor<ColumnBuilder> {
    if (isFlat(node)) return new FlatColumn(this.leaf(node))
    return new JsonColumn(new RowAssembler(node, this.#leaves(node), JsonColumn.making))
  }

  geometry(node: ParquetNode, { encoding }: GeometryInfo): ColumnCursor<GeometryBuilder> {
    if (encoding === 'wkb') return new WkbColumn(this.leaf(node))
    const rows = new RowAssembler(node, this.#leaves(node), nativeValues)
    return new NativeColumn(rows, new NativeWriter(encoding, node))
  }

  #leaves(node: ParquetNode): LeafCursor[] {
    return leavesOf(node).map((leaf) => this.leaf(leaf))
  }
}

/** Reads the row groups of a file one after the other, each column from its own pages. */
export class ParquetRowReader {
  readonly #schema: Schema
  readonly #columns: LayerColumns
  #builder: BatchBuilder
  #row = 0

  constructor(schema: Schema, columns: LayerColumns) {
    this.#schema = schema
    this.#columns = columns
    const perRow = schema.attributes.length + 1
    const capacity = Math.max(16, Math.min(batchRows, Math.floor(valuesPerBatch / perRow)))
    this.#builder = new BatchBuilder(schema, capacity)
  }

  async *read(file: OpenFile, { rowGroups }: ParquetFile, signal: AbortSignal): AsyncGenerator<FeatureBatch> {
    for (const [index, group] of rowGroups.entries()) {
      for await (const batch of this.#readGroup(new GroupReader(file, group), group.rowCount, index)) {
        signal.throwIfAborted()
        yield batch
      }
    }
    if (!this.#builder.isEmpty) yield this.#takeBatch()
  }

  async *#readGroup(group: GroupReader, rowCount: number, index: number): AsyncGenerator<FeatureBatch> {
    const attributes = this.#columns.attributes.map((node) => group.attribute(node))
    const geometry = this.#columns.geometry
    const shapes = geometry && group.geometry(geometry.node, geometry.info)
    const all: ColumnCursor<never>[] = shapes === undefined ? attributes : [...attributes, shapes]
    for (let left = rowCount; left > 0; ) {
      let ready = left
      for (const column of all) {
        if (column.ready === 0 && !(await column.load())) {
          throw damaged(`row group ${index + 1} has ${rowCount} rows, a column of it only ${rowCount - left}`)
        }
        ready = Math.min(ready, column.ready)
      }
      left -= ready
      if (all.length === 0) left = 0
      for (; ready > 0; ready -= 1) {
        this.#takeRow(attributes, shapes)
        if (this.#builder.isFull) yield this.#takeBatch()
      }
    }
  }

  #takeBatch(): FeatureBatch {
    const batch = this.#builder.finish()
    this.#builder = this.#builder.next()
    return batch
  }

  #takeRow(
    attributes: readonly ColumnCursor<ColumnBuilder>[],
    shapes: ColumnCursor<GeometryBuilder> | undefined,
  ): void {
    const builder = this.#builder
    this.#row += 1
    let problem = ''
    let field = ''
    if (shapes !== undefined && builder.geometry !== undefined) {
      problem = shapes.append(builder.geometry)
      if (problem !== '') field = this.#schema.geometry?.name ?? ''
    }
    for (let index = 0; index < attributes.length; index += 1) {
      const reason = (attributes[index] as ColumnCursor<ColumnBuilder>).append(
        builder.columns[index] as ColumnBuilder,
      )
      if (reason === '' || problem !== '') continue
      problem = reason
      field = this.#schema.attributes[index]?.name ?? ''
    }
    if (problem === '') builder.endRow(this.#row)
    else builder.rejectRow(this.#reject(field, problem))
  }

  #reject(field: string, reason: string): RejectedRow {
    const { columns, rowCount } = this.#builder
    const properties: Record<string, unknown> = {}
    for (const [index, column] of columns.entries()) {
      if (column.length <= rowCount) continue
      properties[this.#schema.attributes[index]?.name ?? ''] = columnValue(column.finish(), rowCount)
    }
    return { row: this.#row, field, reason, properties }
  }
}
