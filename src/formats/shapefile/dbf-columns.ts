import { DistinctNames } from '../../core/text/free-name.ts'
import type { TextEncoding } from '../../core/text/text-encoding.ts'
import type { Attribute } from '../../geo/schema.ts'
import type { DbfField } from './dbf-header.ts'

/** Interpretation of a field's bytes. */
type DbfKind =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'float'
  | 'date'
  | 'logical'
  | 'binary-integer'
  | 'binary-double'
  | 'date-time'
  | 'currency'
  | 'memo'

export interface DbfColumn {
  field: DbfField
  kind: DbfKind
  attribute: Attribute
}

/**
 * Returns the columns of a .dbf; fields without readable values (pictures, FoxPro's null flags) are omitted.
 */
export function dbfColumns(fields: DbfField[], encoding: TextEncoding): DbfColumn[] {
  const columns: DbfColumn[] = []
  const names = new DistinctNames()
  for (const [index, field] of fields.entries()) {
    if ('0GP'.includes(field.letter)) continue
    const source = encoding.decode(field.nameBytes).trim()
    const name = names.take(source === '' ? `field_${index + 1}` : source)
    const { kind, ...type } = columnType(field)
    const attribute: Attribute = { name, ...type }
    if (name !== source && source !== '') attribute.source = source
    columns.push({ field, kind, attribute })
  }
  return columns
}

type ColumnType = { kind: DbfKind } & Omit<Attribute, 'name'>

function columnType({ letter, width, decimals }: DbfField): ColumnType {
  if (width === 0) return { kind: 'text', type: 'text' }
  if (letter === 'N' && decimals === 0) return wholeNumberType(width)
  if (letter === 'N' || letter === 'F') return { kind: 'float', type: 'float64' }
  if (letter === 'D' && width === 8) return { kind: 'date', type: 'date' }
  if (letter === 'L' && width === 1) return { kind: 'logical', type: 'boolean' }
  if ((letter === 'I' || letter === '+') && width === 4) return { kind: 'binary-integer', type: 'int32' }
  if ((letter === 'B' || letter === 'O') && width === 8) return { kind: 'binary-double', type: 'float64' }
  if ((letter === 'T' || letter === '@') && width === 8) return { kind: 'date-time', type: 'timestamp' }
  if (letter === 'Y' && width === 8) return { kind: 'currency', type: 'decimal', precision: 19, scale: 4 }
  if (letter === 'M' && (width === 10 || width === 4)) return { kind: 'memo', type: 'text' }
  return { kind: 'text', type: 'text', maxLength: width }
}

/** Returns the smallest type for numbers with this many digits. */
function wholeNumberType(width: number): ColumnType {
  if (width <= 9) return { kind: 'integer', type: 'int32' }
  if (width <= 18) return { kind: 'integer', type: 'int64' }
  return { kind: 'decimal', type: 'decimal', precision: width, scale: 0 }
}

export function hasBinaryFields(columns: DbfColumn[]): boolean {
  return columns.some(({ kind, field }) => isBinary(kind) || (kind === 'memo' && field.width === 4))
}

function isBinary(kind: DbfKind): boolean {
  return kind.startsWith('binary') || kind === 'date-time' || kind === 'currency'
}
