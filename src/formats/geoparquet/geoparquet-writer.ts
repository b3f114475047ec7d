import { zstdCompressSync } from 'node:zlib'
import type { KeyValue, SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope } from '../../geo/envelope.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import { geometryTypeName } from '../../geo/wkb.ts'
import { FormatError } from '../format.ts'

/** Approximate maximum number of rows, and of bytes of geometries and texts, in one row group. */
const maxRows = 65_536
const maxBytes = 32 << 20

/**
 * Returns the Parquet schema element of a type (Parquet format, LogicalTypes.md); decimals are stored as text
 * to preserve their digits.
 */
function elementOf({ name, type }: Attribute): SchemaElement {
  const optional = { name, repetition_type: 'OPTIONAL' } as const
  switch (type) {
    case 'boolean':
      return { ...optional, type: 'BOOLEAN' }
    case 'int16':
      return { ...optional, type: 'INT32', converted_type: 'INT_16' }
    case 'int32':
      return { ...optional, type: 'INT32' }
    case 'int64':
      return { ...optional, type: 'INT64' }
    case 'float32':
      return { ...optional, type: 'FLOAT' }
    case 'float64':
      return { ...optional, type: 'DOUBLE' }
    case 'date':
      return { ...optional, type: 'INT32', converted_type: 'DATE' }
    case 'time':
      return { ...optional, type: 'INT64', converted_type: 'TIME_MICROS' }
    case 'timestamp':
      return { ...optional, type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }
    case 'binary':
      return { ...optional, type: 'BYTE_ARRAY' }
    default:
      return { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' }
  }
}

function cellOf(column: Column, row: number): unknown {
  const value = columnValue(column, row)
  return value instanceof Uint8Array ? value.slice() : value
}

/**
 * Writes GeoParquet 1.0 (geometries as WKB, x first), one row group at a time. `crs` is PROJJSON, null for an
 * unknown CRS, absent for longitude and latitude on WGS 84; `keyValues` are stored in the file metadata. Uses
 * blocking calls: for dedicated threads and processes.
 */
export class GeoParquetWriter {
  readonly #schema: Schema
  readonly #crs: object | null | undefined
  readonly #writer: ParquetWriter
  readonly #keyValues: KeyValue[] = []
  readonly #types = new Set<string>()
  readonly #bounds: Envelope = emptyEnvelope()
  #values: unknown[][]
  #bytes = 0

  constructor(
    path: string,
    schema: Schema,
    { crs, keyValues = {} }: { crs?: object | null; keyValues?: Record<string, string> } = {},
  ) {
    this.#schema = schema
    this.#crs = crs
    this.#keyValues.push(...Object.entries(keyValues).map(([key, value]) => ({ key, value })))
    const geometry: SchemaElement[] =
      schema.geometry === undefined
        ? []
        : [{ name: schema.geometry.name, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' }]
    const columns = [...schema.attributes.map(elementOf), ...geometry]
    if (columns.length === 0) throw new FormatError('A Parquet file needs a column, and none is left')
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: [{ name: 'root', num_children: columns.length }, ...columns],
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => new Uint8Array(zstdCompressSync(bytes)) },
      kvMetadata: this.#keyValues,
      createdBy: 'terrane',
    })
    this.#values = columns.map(() => [])
  }

  add(batch: FeatureBatch): void {
    for (const [index, column] of batch.columns.entries()) {
      const values = this.#values[index]
      for (let row = 0; row < batch.rowCount; row += 1) values?.push(cellOf(column, row))
      if (column.kind === 'var') this.#bytes += column.bytes.length
    }
    this.#addGeometry(batch)
    if ((this.#values[0]?.length ?? 0) >= maxRows || this.#bytes >= maxBytes) this.#flush()
  }

  /** Completes the file. */
  finish(): void {
    this.#flush()
    const { geometry } = this.#schema
    if (geometry !== undefined) {
      const { minX, minY, maxX, maxY } = this.#bounds
      const about = {
        encoding: 'WKB',
        geometry_types: [...this.#types].toSorted(),
        crs: this.#crs,
        bbox: minX <= maxX ? [minX, minY, maxX, maxY] : undefined,
      }
      const geo = { version: '1.0.0', primary_column: geometry.name, columns: { [geometry.name]: about } }
      this.#keyValues.push({ key: 'geo', value: JSON.stringify(geo) })
    }
    void this.#writer.finish()
  }

  #flush(): void {
    const names = [...this.#schema.attributes.map(({ name }) => name)]
    if (this.#schema.geometry !== undefined) names.push(this.#schema.geometry.name)
    const rows = this.#values[0]?.length ?? 0
    if (rows === 0) return
    const columnData = names.map((name, index) => ({ name, data: this.#values[index] ?? [] }))
    void this.#writer.write({ columnData, rowGroupSize: rows })
    this.#values = names.map(() => [])
    this.#bytes = 0
  }

  #addGeometry({ geometry, rowCount }: FeatureBatch): void {
    if (geometry === undefined || this.#schema.geometry === undefined) return
    const { bytes, offsets, validity, envelopes } = geometry
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const values = this.#values.at(-1)
    this.#bytes += bytes.length
    for (let row = 0; row < rowCount; row += 1) {
      if (!isValid(validity, row)) {
        values?.push(null)
        continue
      }
      const start = offsets[row] as number
      values?.push(bytes.slice(start, offsets[row + 1]))
      const code = view.getUint32(start + 1, true)
      const hasZ = Math.floor(code / 1000) % 2 === 1
      this.#types.add(`${geometryTypeName(code % 1000)}${hasZ ? ' Z' : ''}`)
      this.#grow(envelopes, row * 4)
    }
  }

  #grow(envelopes: Float64Array, at: number): void {
    const [minX, minY, maxX, maxY] = envelopes.subarray(at, at + 4) as unknown as [
      number,
      number,
      number,
      number,
    ]
    if (Number.isNaN(minX)) return
    const bounds = this.#bounds
    bounds.minX = Math.min(bounds.minX, minX)
    bounds.minY = Math.min(bounds.minY, minY)
    bounds.maxX = Math.max(bounds.maxX, maxX)
    bounds.maxY = Math.max(bounds.maxY, maxY)
  }
}
