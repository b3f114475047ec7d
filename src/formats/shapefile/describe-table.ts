import { getTextEncoding, type TextEncoding } from '../../core/text/text-encoding.ts'
import type { DataFile, FormatMessage, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import { type DbfColumn, dbfColumns } from './dbf-columns.ts'
import { DbfScan } from './dbf-scan.ts'
import { declaredEncoding, type TableFiles } from './shapefile-files.ts'

export function add(
  messages: FormatMessage[],
  level: FormatMessage['level'],
  code: string,
  message: string,
): void {
  messages.push({ level, code, message })
}

export interface DbfDescription {
  columns: DbfColumn[]
  encoding: TextEncoding | undefined
  rows: number
  deleted: number
}

/** Reads all rows once; `shapeCount` is set if there are shapes. */
export async function describeDbf(
  file: DataFile,
  parts: TableFiles,
  shapeCount: number | undefined,
  context: ReadContext,
  messages: FormatMessage[],
): Promise<DbfDescription> {
  if (parts.dbf === undefined) {
    add(messages, 'warning', 'no-dbf', 'There is no .dbf beside the .shp: the layer has no attributes')
    return { columns: [], encoding: undefined, rows: 0, deleted: 0 }
  }
  const { header } = parts.dbf
  const declared = await declaredEncoding(file, header.languageDriver, context, messages)
  const scan = new DbfScan(
    dbfColumns(header.fields, declared ?? getTextEncoding('UTF-8')),
    declared === undefined ? parts.memo : undefined,
  )
  await scan.run(parts.dbf.file, header, shapeCount ?? 0)
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

function describeRows(
  parts: TableFiles,
  shapes: number | undefined,
  scan: DbfScan,
  messages: FormatMessage[],
): void {
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
  if (shapes !== undefined && scan.rows < shapes) {
    const text = `The .shp has ${shapes} shapes, the .dbf ${scan.rows} rows: ${shapes - scan.rows} shapes have no attributes`
    add(messages, 'warning', 'rows-missing', text)
  } else if (shapes !== undefined && scan.rows > shapes) {
    const text = `The .dbf has ${scan.rows} rows, the .shp ${shapes} shapes: ${scan.rows - shapes} rows have no geometry`
    add(messages, 'warning', 'shapes-missing', text)
  }
  if (scan.deleted > 0) {
    add(messages, 'info', 'deleted-rows', `${scan.deleted} rows are marked as deleted and were left out`)
  }
}

function describeColumns(
  parts: TableFiles,
  columns: DbfColumn[],
  scan: DbfScan,
  messages: FormatMessage[],
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
