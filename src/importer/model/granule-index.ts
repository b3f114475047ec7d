import type { FeatureBatch } from '../../geo/batch.ts'
import { BatchBuilder } from '../../geo/batch.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Schema } from '../../geo/schema.ts'
import { geometryTypeCode } from '../../geo/wkb.ts'
import type { Corners } from './granule-record.ts'

/** One row of the granule index. Plain data: it is passed between threads. */
export interface IndexRow {
  /** Name of the granule in the mosaic: its path below the data folder. */
  file: string
  /** Absolute path of the file. */
  location: string
  timeMs?: number
  width: number
  height: number
  sizeBytes: number
  footprint: Corners
}

/** Schema of the index of a mosaic: a row for each granule. */
export function indexSchema(crs: CrsDeclaration | undefined): Schema {
  return {
    attributes: [
      { name: 'file', type: 'text' },
      { name: 'location', type: 'text' },
      { name: 'time', type: 'timestamp' },
      { name: 'width', type: 'int32' },
      { name: 'height', type: 'int32' },
      { name: 'size_bytes', type: 'int64' },
    ],
    geometry: { name: 'footprint', type: 'Polygon', hasZ: false, hasM: false, crs },
  }
}

function appendText(column: ColumnBuilder | undefined, text: string): void {
  ;(column as VarBuilder).appendString(text)
}

function appendNumber(column: ColumnBuilder | undefined, value: number): void {
  ;(column as FixedBuilder).append(value)
}

function appendFootprint(builder: BatchBuilder, footprint: Corners): void {
  const { geometry } = builder
  const [first] = footprint
  if (geometry === undefined || first === undefined) return
  geometry.header(geometryTypeCode('Polygon'), false, false)
  geometry.count(1)
  geometry.count(footprint.length + 1)
  for (const [x, y] of [...footprint, first]) geometry.coordinate(x, y)
  geometry.endGeometry()
}

function appendRow(builder: BatchBuilder, row: IndexRow, rowNumber: number): void {
  const [file, location, time, width, height, size] = builder.columns
  appendText(file, row.file)
  appendText(location, row.location)
  if (row.timeMs !== undefined) (time as BigBuilder).append(BigInt(row.timeMs) * 1000n)
  appendNumber(width, row.width)
  appendNumber(height, row.height)
  ;(size as BigBuilder).append(BigInt(row.sizeBytes))
  appendFootprint(builder, row.footprint)
  builder.endRow(rowNumber)
}

/** Yields the rows of an index as batches. */
export async function* indexBatches(rows: IndexRow[], schema: Schema): AsyncGenerator<FeatureBatch> {
  let builder = new BatchBuilder(schema)
  for (const [index, row] of rows.entries()) {
    appendRow(builder, row, index + 1)
    if (!builder.isFull) continue
    yield builder.finish()
    builder = new BatchBuilder(schema)
  }
  if (!builder.isEmpty) yield builder.finish()
}
