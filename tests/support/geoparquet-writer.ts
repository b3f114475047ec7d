import { writeFileSync } from 'node:fs'
import type { KeyValue, SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'

type WriteOptions = Parameters<typeof parquetWriteBuffer>[0]

export interface GeoParquetOptions extends Omit<WriteOptions, 'kvMetadata'> {
  /** Metadata of the column `geometry` in the `geo` key; no metadata if absent. */
  geo?: Record<string, unknown>
  keyValues?: KeyValue[]
}

/** A point as WKB. */
export function pointWkb(x: number, y: number): Uint8Array {
  const wkb = Buffer.alloc(21)
  wkb[0] = 1
  wkb.writeUInt32LE(1, 1)
  wkb.writeDoubleLE(x, 5)
  wkb.writeDoubleLE(y, 13)
  return wkb
}

/** Bytes of a Parquet file whose geometry is the column `geometry`. */
export function geoParquetBytes({ geo, keyValues = [], ...options }: GeoParquetOptions): Uint8Array {
  const metadata = { version: '1.1.0', primary_column: 'geometry', columns: { geometry: geo } }
  const own = geo === undefined ? [] : [{ key: 'geo', value: JSON.stringify(metadata) }]
  return new Uint8Array(parquetWriteBuffer({ ...options, kvMetadata: [...own, ...keyValues] }))
}

export function writeGeoParquet(path: string, options: GeoParquetOptions): void {
  writeFileSync(path, geoParquetBytes(options))
}

/** A schema of columns below a root. */
export function parquetSchema(...columns: SchemaElement[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns]
}
