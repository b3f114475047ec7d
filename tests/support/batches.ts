import type { FeatureBatch } from '../../src/geo/batch.ts'
import { BatchBuilder, batchRows } from '../../src/geo/batch.ts'
import { columnValue, isValid } from '../../src/geo/column.ts'
import type { ColumnBuilder } from '../../src/geo/column-builder.ts'
import { GeometryBuilder } from '../../src/geo/geometry-builder.ts'
import type { Attribute, AttributeType, GeometryField, GeometryType, Schema } from '../../src/geo/schema.ts'
import { geometryTypeCode } from '../../src/geo/wkb.ts'

export type Value = string | number | bigint | boolean | Uint8Array | null

/** One row: WKB (null for none), then the attribute values in the order of the schema. */
export interface Row {
  geometry?: Uint8Array | null
  values: Value[]
}

/** `schemaOf({ name: 'text', pop: 'int64' }, 'Point')`; without geometry type an attribute table. */
export function schemaOf(
  attributes: Record<string, AttributeType | Attribute>,
  geometry?: GeometryType | GeometryField,
): Schema {
  const field: GeometryField | undefined =
    typeof geometry === 'string'
      ? { name: 'geom', type: geometry, hasZ: false, hasM: false, crs: { srs: 'EPSG:4326' } }
      : geometry
  return {
    attributes: Object.entries(attributes).map(([name, type]) =>
      typeof type === 'string' ? { name, type } : { ...type, name },
    ),
    geometry: field,
  }
}

function append(builder: ColumnBuilder, value: Value): void {
  if (value === null) builder.appendNull()
  else if (builder.kind === 'big') builder.append(BigInt(value as bigint))
  else if (builder.kind === 'fixed') builder.append(Number(value))
  else if (typeof value === 'string') builder.appendString(value)
  else builder.appendBytes(value as Uint8Array)
}

/** Rows as batches of at most `size` rows, numbered from 1. */
export async function* batchesOf(
  schema: Schema,
  rows: Iterable<Row>,
  size: number = batchRows,
): AsyncGenerator<FeatureBatch> {
  let builder = new BatchBuilder(schema, size)
  let rowNumber = 0
  for (const { geometry, values } of rows) {
    rowNumber += 1
    values.forEach((value, index) => {
      append(builder.columns[index] as ColumnBuilder, value)
    })
    if (geometry != null) builder.geometry?.appendWkb(geometry)
    builder.endRow(rowNumber)
    if (builder.isFull) {
      yield builder.finish()
      builder = new BatchBuilder(schema, size)
    }
  }
  if (!builder.isEmpty) yield builder.finish()
}

/** The rows of a batch as `batchesOf` takes them. */
export function rowsOf(batch: FeatureBatch): Required<Row>[] {
  return Array.from({ length: batch.rowCount }, (_, row) => {
    const { geometry } = batch
    const hasGeometry = geometry !== undefined && isValid(geometry.validity, row)
    return {
      geometry: hasGeometry
        ? Uint8Array.from(geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1]))
        : null,
      values: batch.columns.map((column) => {
        const value = columnValue(column, row)
        return value instanceof Uint8Array ? Uint8Array.from(value) : value
      }),
    }
  })
}

type Coordinates = number[] | Coordinates[]

/**
 * WKB of GeoJSON-like coordinates: `wkb('LineString', [[0, 0], [1, 1]])`; the parts of a `GeometryCollection` are
 * points. `dimensions` is `xy`, `xyz`, `xym` or `xyzm`.
 */
export function wkb(type: GeometryType, coordinates: Coordinates, dimensions = 'xy'): Uint8Array {
  const builder = new GeometryBuilder(1)
  write(builder, geometryTypeCode(type), coordinates, dimensions)
  builder.endGeometry()
  return Uint8Array.from(builder.finish().bytes)
}

function write(
  builder: GeometryBuilder,
  typeCode: number,
  coordinates: Coordinates,
  dimensions: string,
): void {
  builder.header(typeCode, dimensions.includes('z'), dimensions.includes('m'))
  if (typeCode === 1) {
    writePosition(builder, coordinates as number[])
    return
  }
  builder.count(coordinates.length)
  for (const part of coordinates as Coordinates[]) {
    if (typeCode === 2) writePosition(builder, part as number[])
    else if (typeCode === 3) {
      builder.count(part.length)
      for (const position of part) writePosition(builder, position as number[])
    } else write(builder, typeCode === 7 ? 1 : typeCode - 3, part as Coordinates, dimensions)
  }
}

function writePosition(builder: GeometryBuilder, [x, y, ...rest]: number[]): void {
  if (x === undefined || y === undefined) {
    for (let axis = 0; axis < 2; axis += 1) builder.ordinate(Number.NaN)
    return
  }
  builder.coordinate(x, y)
  for (const ordinate of rest) builder.ordinate(ordinate)
}
