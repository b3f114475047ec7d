import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { geoparquet } from '../../src/formats/geoparquet/geoparquet.ts'
import type { GeoParquetOptions } from './geoparquet-writer.ts'
import { writeGeoParquet } from './geoparquet-writer.ts'
import type { ReadLayer } from './read-layer.ts'
import { readLayer } from './read-layer.ts'

/** Writes a Parquet file, reads it back and removes it. */
export async function readParquet(options: GeoParquetOptions): Promise<ReadLayer> {
  const folder = mkdtempSync(join(tmpdir(), 'geoparquet-'))
  try {
    const path = join(folder, 'a.parquet')
    writeGeoParquet(path, options)
    return await readLayer(geoparquet, path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The values of the first attribute. */
export function columnOf({ rows }: ReadLayer): unknown[] {
  return rows.map((row) => row.values[0])
}
