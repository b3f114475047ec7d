import { basename, extname } from 'node:path'
import type { GeometryField, GeometryType } from '../../geo/schema.ts'
import { getTextEncoding, type TextEncoding } from '../../lib/text-encoding.ts'
import type { DataFile, LayerDescription, Message, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import { type DbfColumn, dbfColumns } from './dbf-columns.ts'
import { DbfScan } from './dbf-scan.ts'
import { parseProjection } from './projection.ts'
import { ShapeRecords, truncated } from './shape-records.ts'
import { ShapeScan } from './shape-scan.ts'
import { declaredEncoding, openParts, readSmallFile, type ShapefileParts } from './shapefile-parts.ts'

/** Looks through the whole file once: counts, geometry type, measures, encoding and everything worth a message. */
export async function describeShapefile(file: DataFile, context: ReadContext): Promise<LayerDescription[]> {
  const parts = await openParts(file, context.signal)
  try {
    const messages: Message[] = []
    const records = new ShapeRecords(parts.shp, parts.header.declaredBytes, { shx: parts.shx })
    const shapes = new ShapeScan(parts.header.type)
    await shapes.run(records, context.signal)
    checkLength(parts, records, messages)
    const table = await describeTable(file, parts, records.count, context, messages)
    const geometry = await describeGeometry(file, shapes, messages)
    const layer: LayerDescription = {
      name: basename(file.path, extname(file.path)),
      schema: { attributes: table.columns.map((column) => column.attribute), geometry },
      featureCount: Math.max(records.count, table.rows) - table.deleted,
      messages,
    }
    if (shapes.envelope !== undefined) layer.envelope = shapes.envelope
    if (table.encoding !== undefined) layer.charset = table.encoding.name
    return [layer]
  } finally {
    await parts.close()
  }
}

function add(messages: Message[], level: Message['level'], code: string, message: string): void {
  messages.push({ level, code, message })
}

/** A header may be wrong about the length; a file that other witnesses call shorter than it was is cut off. */
function checkLength(parts: ShapefileParts, records: ShapeRecords, messages: Message[]): void {
  const { declaredBytes } = parts.header
  const { size } = parts.shp
  if (parts.index !== undefined && parts.index.state !== 'followed') {
    const what = parts.index.state === 'invalid' ? 'is damaged' : 'does not belong to the .shp'
    add(messages, 'warning', 'index-ignored', `The .shx ${what}; records were read one after the other`)
  }
  if (records.trailingBytes > 0) {
    const text = `${records.trailingBytes} bytes behind the last record of the .shp are no record and were left out`
    add(messages, 'warning', 'trailing-bytes', text)
  } else if (declaredBytes !== size) {
    const isWhole = [parts.index?.entries, parts.dbf?.header.declaredRows].includes(records.count)
    if (declaredBytes > size && !isWhole) {
      throw truncated(declaredBytes, size, `It ends after record ${records.count}`)
    }
    const text = `The header of the .shp says ${declaredBytes} bytes, the file has ${size}; all of it was read`
    add(messages, 'warning', 'wrong-length', text)
  }
}

interface TableDescription {
  columns: DbfColumn[]
  encoding: TextEncoding | undefined
  rows: number
  deleted: number
}

async function describeTable(
  file: DataFile,
  parts: ShapefileParts,
  shapeCount: number,
  context: ReadContext,
  messages: Message[],
): Promise<TableDescription> {
  if (parts.dbf === undefined) {
    add(messages, 'warning', 'no-dbf', 'There is no .dbf beside the .shp: the layer has no attributes')
    return { columns: [], encoding: undefined, rows: 0, deleted: 0 }
  }
  const { header } = parts.dbf
  const declared = await declaredEncoding(file, header.languageDriver, context, messages)
  const scan = new DbfScan(dbfColumns(header.fields, declared ?? getTextEncoding('UTF-8')))
  await scan.run(parts.dbf.file, header, shapeCount)
  const isUtf8 = scan.isUtf8 && header.fields.every((field) => isUtf8Name(field.nameBytes))
  const encoding = declared ?? getTextEncoding(isUtf8 ? 'UTF-8' : 'windows-1252')
  if (declared === undefined && !isUtf8) {
    const text =
      'Nothing says which encoding the texts are in; they are no UTF-8 and were read as Windows-1252'
    add(messages, 'warning', 'charset-assumed', text)
  }
  const columns = dbfColumns(header.fields, encoding)
  describeRows(parts, shapeCount, scan, messages)
  describeColumns(parts, columns, scan, messages)
  return { columns, encoding, rows: scan.rows, deleted: scan.deleted }
}

function isUtf8Name(name: Uint8Array): boolean {
  return !new TextDecoder().decode(name).includes('\ufffd')
}

function describeRows(parts: ShapefileParts, shapes: number, scan: DbfScan, messages: Message[]): void {
  const header = parts.dbf?.header
  if (header === undefined) return
  for (const correction of header.corrections) {
    add(messages, 'warning', 'wrong-dbf-header', `The header is wrong: ${correction}`)
  }
  if (header.declaredRows > header.possibleRows && header.declaredRows === shapes) {
    const text = `The .dbf is cut short: its header says ${header.declaredRows} rows, as the .shp does, ${header.possibleRows} are there`
    throw new FormatError(text, { code: 'truncated' })
  }
  if (header.declaredRows !== scan.rows) {
    const text = `The header of the .dbf says ${header.declaredRows} rows; ${scan.rows} were found`
    add(messages, 'warning', 'wrong-dbf-header', text)
  }
  if (scan.rows < shapes) {
    const text = `The .shp has ${shapes} shapes, the .dbf ${scan.rows} rows: ${shapes - scan.rows} shapes have no attributes`
    add(messages, 'warning', 'rows-missing', text)
  } else if (scan.rows > shapes) {
    const text = `The .dbf has ${scan.rows} rows, the .shp ${shapes} shapes: ${scan.rows - shapes} rows have no geometry`
    add(messages, 'warning', 'shapes-missing', text)
  }
  if (scan.deleted > 0) {
    add(messages, 'info', 'deleted-rows', `${scan.deleted} rows are marked as deleted and were left out`)
  }
}

function describeColumns(
  parts: ShapefileParts,
  columns: DbfColumn[],
  scan: DbfScan,
  messages: Message[],
): void {
  for (const [index, { attribute }] of columns.entries()) {
    const overflows = scan.overflows[index] ?? 0
    if (overflows > 0) {
      const text = `Field "${attribute.name}": ${overflows} values are asterisks (null, or too long for the field) and became null`
      add(messages, 'warning', 'overflowed-values', text)
    }
    if (attribute.source !== undefined) {
      const text = `Field "${attribute.source}" stands twice; the second became "${attribute.name}"`
      add(messages, 'warning', 'renamed-field', text)
    }
  }
  const left = (parts.dbf?.header.fields.length ?? 0) - columns.length
  if (left > 0)
    add(messages, 'warning', 'fields-left-out', `${left} fields of the .dbf hold nothing readable`)
  if (parts.memo === undefined && columns.some((column) => column.kind === 'memo')) {
    add(messages, 'warning', 'no-memo-file', 'The .dbt or .fpt with the long texts is missing: they are null')
  }
}

async function describeGeometry(
  file: DataFile,
  shapes: ShapeScan,
  messages: Message[],
): Promise<GeometryField | undefined> {
  const type = geometryType(shapes)
  if (type === undefined) return undefined
  if (shapes.incomplete > 0) {
    const text = `${shapes.incomplete} shapes have open rings or too few points; points were repeated to complete them`
    add(messages, 'warning', 'completed-geometries', text)
  }
  const path = file.sidecars.prj ?? file.sidecars.qpj
  const projection = path === undefined ? undefined : parseProjection(await readSmallFile(path))
  messages.push(...(projection?.messages ?? []))
  const hasM = shapes.type.hasM || (shapes.type.hasZ && shapes.hasMeasures)
  return { name: 'geom', type, hasZ: shapes.type.hasZ, hasM, crs: projection?.crs }
}

/** Undefined where the file holds nothing but null shapes and says so itself: a table. */
function geometryType(shapes: ShapeScan): GeometryType | undefined {
  switch (shapes.type.base) {
    case 'Null':
      return undefined
    case 'PolyLine':
      return shapes.isMulti ? 'MultiLineString' : 'LineString'
    case 'Polygon':
      return shapes.isMulti ? 'MultiPolygon' : 'Polygon'
    default:
      return shapes.type.base
  }
}
