import { freeName } from '../../core/text/free-name.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import type { Schema } from '../../geo/schema.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import { writeGeometryText } from '../../geo/wkb-to-wkt.ts'
import type { FeatureFormat, FeatureWriter, WrittenAbout } from './feature-format.ts'
import { WrittenText } from './feature-format.ts'

/** Column name that other programs recognize as the geometry. */
const geometryName = 'WKT'

function quoted(text: string): string {
  return `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`
}

/** Returns a name unchanged, in quotes if needed. */
function nameCell(name: string): string {
  return name === '' || /[",\r\n]|^\s|\s$/.test(name) ? quoted(name) : name
}

function headLine(about: WrittenAbout, { attributes, geometry }: Schema): string {
  const names = attributes.map(({ name }) => name)
  const isTaken = (name: string): boolean => names.some((one) => one.toLowerCase() === name.toLowerCase())
  const all = [
    ...(about.hidesIds === true ? [] : [freeName('id', isTaken, { separator: '_' })]),
    ...names,
    ...(geometry === undefined ? [] : [freeName(geometryName, isTaken, { separator: '_' })]),
  ]
  return `${all.map(nameCell).join(',')}\r\n`
}

/**
 * Formats a value; empty for null, while an empty text has quotes. Texts always have quotes, which prevents
 * `007` from being read as a number.
 */
function cellOf(column: Column, row: number): string {
  const value = columnValue(column, row)
  if (value === null) return ''
  switch (column.type) {
    case 'text':
      return quoted(value as string)
    case 'date':
      return dateText(value as number)
    case 'time':
      return timeText(value as bigint)
    case 'timestamp':
      return timestampText(value as bigint)
    case 'binary':
      return quoted(Buffer.from(value as Uint8Array).toString('base64'))
    default:
      return String(value)
  }
}

function geometryCell({ geometry }: FeatureBatch, row: number, isYx: boolean): string {
  if (geometry === undefined || !isValid(geometry.validity, row)) return ''
  const bytes = geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])
  return quoted(writeGeometryText(bytes, { isYx }))
}

class CsvWriter extends WrittenText implements FeatureWriter {
  readonly #about: WrittenAbout
  readonly #hasGeometry: boolean

  constructor(about: WrittenAbout, schema: Schema) {
    super()
    this.#about = about
    this.#hasGeometry = schema.geometry !== undefined
    this.text = headLine(about, schema)
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    const { hidesIds, crs } = this.#about
    let line = hidesIds === true ? '' : idCell(id)
    for (const [index, column] of batch.columns.entries()) {
      if (index > 0 || hidesIds !== true) line += ','
      line += cellOf(column, row)
    }
    if (this.#hasGeometry) {
      if (line !== '' || batch.columns.length > 0) line += ','
      line += geometryCell(batch, row, crs?.isYx === true)
    }
    // An empty line would not be a row.
    this.text += `${line === '' ? '""' : line}\r\n`
  }
}

function idCell(id: string): string {
  return /^\d{1,15}$/.test(id) ? id : quoted(id)
}

/**
 * CSV (RFC 4180) in UTF-8: a header, one line per feature, the geometry as WKT. Values are not escaped
 * against formulas: one that begins with `=` is a formula in a spreadsheet that interprets it so.
 */
export const csvFormat: FeatureFormat = {
  open: (about, schema) => new CsvWriter(about, schema),
  end: () => '',
}
