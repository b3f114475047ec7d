import { writeGeometryText } from '../../../src/geo/wkb-to-wkt.ts'
import type { GdalTable } from '../gdal-files.ts'
import type { GdalLayer } from '../gdal-reference.ts'
import { heldForm, reportedForm } from '../gdal-values.ts'
import type { Cell } from '../table-batches.ts'

interface Comparison {
  /** Attribute that identifies a row. */
  key: string
  /** Names that GDAL gives to attributes of another name. */
  renamed?: Record<string, string>
  /** Attributes that GDAL does not read, or that it reads wrongly, with the reason. */
  meant?: Record<string, string>
}

/** Lists the differences between what GDAL and Terrane read: missing rows and attributes, values, geometries. */
export function differencesOf(layer: GdalLayer, table: GdalTable, comparison: Comparison): string[] {
  const { key, renamed = {}, meant = {} } = comparison
  const { attributes } = table.layer.schema
  const indexOf = (name: string) => layer.fields.findIndex((field) => field.name === (renamed[name] ?? name))
  const keyIndex = attributes.findIndex(({ name }) => name === key)
  const reported = new Map(layer.rows.map((row) => [String(row.values[indexOf(key)]), row]))
  const geometries = geometriesOf(table)
  const found: string[] = []
  if (reported.size !== table.rows.length) found.push(`${reported.size} and ${table.rows.length} rows`)
  for (const [number, cells] of table.rows.entries()) {
    const row = reported.get(String(cells[keyIndex]))
    if (row === undefined) {
      found.push(`GDAL has no row ${String(cells[keyIndex])}`)
      continue
    }
    const [theirs, ours] = [shapeOf(row.geometry), geometries[number] ?? null]
    if (theirs !== ours) found.push(`row ${String(cells[keyIndex])}: ${theirs}, ${ours}`.slice(0, 400))
    for (const [at, { name, type }] of attributes.entries()) {
      if (name in meant) continue
      const index = indexOf(name)
      const field = layer.fields[index]
      if (field === undefined) {
        found.push(`GDAL has no attribute ${name}`)
        continue
      }
      const expected = reportedForm(row.values[index] ?? null, field.type, type, {})
      const held = heldForm(cells[at] as Cell, type, field.type, {})
      if (held !== expected)
        found.push(
          `row ${String(cells[keyIndex])} ${name} (${field.type}, ${type}): ${expected}, ${held}`.slice(
            0,
            300,
          ),
        )
    }
  }
  for (const { name } of layer.fields) {
    const isKnown = attributes.some((one) => (renamed[one.name] ?? one.name) === name)
    if (!isKnown && !(name in meant)) found.push(`Terrane has no attribute ${name}`)
  }
  return [...new Set(found)]
}

function geometriesOf(table: GdalTable): (string | null)[] {
  return table.batches.flatMap(({ geometry, rowCount }) =>
    Array.from({ length: rowCount }, (_, row) => {
      const start = geometry?.offsets[row] ?? 0
      const end = geometry?.offsets[row + 1] ?? 0
      if (geometry === undefined || start === end) return null
      return shapeOf(Buffer.from(geometry.bytes.subarray(start, end)).toString('hex'))
    }),
  )
}

/** Text of a geometry, single ones as multi ones of one part: which of both a reader makes is its choice. */
function shapeOf(hex: string | null): string | null {
  if (hex === null) return null
  const text = writeGeometryText(Buffer.from(hex, 'hex'))
  return text.replace(/^(POINT|LINESTRING|POLYGON)( Z| M| ZM)? (\(.*\))$/, 'MULTI$1$2 ($3)')
}
