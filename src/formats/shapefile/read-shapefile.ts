import type { FeatureBatch } from '../../geo/batch.ts'
import type { DataFile, LayerDescription, PlacedBatch, ReadContext, RowAccess } from '../format.ts'
import { placedWindowBytes, ShapefileRowReader } from './row-reader.ts'
import { ShapeRecords } from './shape-records.ts'
import { openParts, openTable, type TableFiles } from './shapefile-files.ts'

async function* scanShapefile(
  file: DataFile,
  layer: LayerDescription,
  { signal }: ReadContext,
): AsyncGenerator<PlacedBatch> {
  const parts = await openParts(file, signal)
  yield* readRows(parts, () => new ShapefileRowReader(parts, layer, new ShapeRecords(parts)), signal)
}

/** Streams the rows of a .dbf without shapes. */
export async function* readTable(
  file: DataFile,
  layer: LayerDescription,
  { signal }: ReadContext,
): AsyncGenerator<FeatureBatch> {
  const parts = await openTable(file, signal)
  const rows = readRows(parts, () => new ShapefileRowReader(parts, layer, undefined), signal)
  for await (const { batch } of rows) yield batch
}

async function* readRows(
  parts: TableFiles,
  makeReader: () => ShapefileRowReader,
  signal: AbortSignal,
): AsyncGenerator<PlacedBatch> {
  try {
    const rows = makeReader()
    for (let batch = await rows.readBatch(); batch !== undefined; batch = await rows.readBatch()) {
      signal.throwIfAborted()
      yield batch
    }
  } finally {
    await parts.close()
  }
}

/** Streams the rows. */
export async function* readShapefile(
  file: DataFile,
  layer: LayerDescription,
  context: ReadContext,
): AsyncGenerator<FeatureBatch> {
  for await (const { batch } of scanShapefile(file, layer, context)) yield batch
}

/** Locates rows by the offset of their shape and by their number in the .dbf. */
export const shapefileRows: RowAccess = {
  sidecars: ['shx', 'dbf', 'dbt', 'fpt', 'cpg', 'cst', 'prj', 'qpj'],
  scan: scanShapefile,
  open: async (file, layer, { signal }, options) => {
    const parts = await openParts(file, signal, { isPlaced: true })
    try {
      const shapes = new ShapeRecords(parts, { windowBytes: placedWindowBytes })
      const rows = new ShapefileRowReader(parts, layer, shapes, { ...options, isPlaced: true })
      return {
        files: parts.files,
        read: (rowOffsets, own) => rows.readPlaced(rowOffsets, own),
        close: parts.close,
      }
    } catch (error) {
      await parts.close()
      throw error
    }
  },
}
