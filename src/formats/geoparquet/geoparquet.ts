import type { Format } from '../format.ts'
import { readLater } from '../format.ts'
import { isParquetHead } from './parquet-head.ts'

/**
 * GeoParquet 1.1 and earlier versions, and Parquet with its own geometry types. A Parquet file with neither
 * is a table without geometry.
 */
export const geoparquet: Format = {
  name: 'GeoParquet',
  kind: 'vector',
  extensions: ['parquet', 'geoparquet', 'pq'],
  mediaTypes: { 'application/vnd.apache.parquet': ['parquet'] },
  canServeDirectly: false,
  writtenByGdal: { drivers: ['Parquet'], extension: 'parquet' },
  detect: (_file, head) => isParquetHead(head),
  ...readLater(async () => (await import('./read-geoparquet.ts')).geoparquetReading),
}
