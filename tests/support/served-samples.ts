import { writeFileSync } from 'node:fs'
import type { AttributeType, Schema } from '../../src/geo/schema.ts'
import type { Row, Value } from './batches.ts'
import { property, writeFlatGeobuf } from './flatgeobuf-writer.ts'
import { writeShapefile } from './shapefile-writer.ts'

/** Writes a sample file of a format that is served without import: points with numbers, dates and times. */
export interface ServedSample {
  /** Types of attributes that its columns cannot have. */
  lacks: readonly AttributeType[]
  write(path: string, schema: Schema, rows: readonly Row[]): void
}

/** One entry for each format that is served without import. */
export const servedSamples: Record<string, ServedSample> = {
  Shapefile: { lacks: ['timestamp'], write: writePointShapefile },
  FlatGeobuf: { lacks: ['date'], write: writePointFlatGeobuf },
}

function pointOf({ geometry }: Row): number[] | undefined {
  if (geometry == null) return undefined
  const view = new DataView(geometry.buffer, geometry.byteOffset)
  return [view.getFloat64(5, true), view.getFloat64(13, true)]
}

function dayText(value: Value): string | null {
  return value === null ? null : new Date(Number(value) * 86_400_000).toISOString().slice(0, 10)
}

function writePointShapefile(path: string, { attributes }: Schema, rows: readonly Row[]): void {
  const fields = attributes.map(({ name, type }) =>
    type === 'date' ? { name, type: 'D', width: 8 } : { name, type: 'N', width: 9 },
  )
  writeShapefile(path, {
    shapeType: 1,
    fields: fields.length === 0 ? [{ name: 'none', type: 'N', width: 1 }] : fields,
    rows: rows.map((row) => {
      const point = pointOf(row)
      const values = row.values.map((value, index) => {
        if (attributes[index]?.type === 'date') return dayText(value)?.replaceAll('-', '') ?? null
        return value === null ? null : Number(value)
      })
      return { shape: point === undefined ? null : { parts: [point] }, values }
    }),
  })
}

function writePointFlatGeobuf(path: string, { attributes }: Schema, rows: readonly Row[]): void {
  const features = rows.map((row) => {
    const xy = pointOf(row)
    const properties = row.values.flatMap((value, index) =>
      value === null
        ? []
        : [property(index, attributes[index]?.type === 'timestamp' ? timeText(value) : int32(value))],
    )
    return { ...(xy === undefined ? {} : { geometry: { xy } }), properties }
  })
  const columns = attributes.map(({ name, type }) => ({
    name,
    type: type === 'timestamp' ? ('DateTime' as const) : ('Int' as const),
  }))
  writeFileSync(path, writeFlatGeobuf({ geometryType: 1, columns, features }))
}

function timeText(value: Value): string {
  return new Date(Number(BigInt(value as bigint) / 1000n)).toISOString()
}

function int32(value: Value): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(Number(value))
  return bytes
}
