import type { FeatureBatch } from '../../geo/batch.ts'
import type { DataFile, LayerDescription, PlacedBatch, ReadContext, RowAccess } from '../format.ts'
import { RowReader } from './row-reader.ts'
import { openParts } from './shapefile-parts.ts'

async function* scanShapefile(
  file: DataFile,
  layer: LayerDescription,
  { signal }: ReadContext,
): AsyncGenerator<PlacedBatch> {
  const parts = await openParts(file, signal)
  try {
    const rows = new RowReader(parts, layer)
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

/** Rows by the offset of their shape and by their number in the .dbf. */
export const shapefileRows: RowAccess = {
  sidecars: ['shx', 'dbf', 'dbt', 'fpt', 'cpg', 'cst', 'prj', 'qpj'],
  scan: scanShapefile,
  open: async (file, layer, { signal }, options) => {
    const parts = await openParts(file, signal, { isPlaced: true })
    try {
      const rows = new RowReader(parts, layer, { ...options, isPlaced: true })
      return { files: parts.files, read: (wanted, own) => rows.readPlaced(wanted, own), close: parts.close }
    } catch (error) {
      await parts.close()
      throw error
    }
  },
}
