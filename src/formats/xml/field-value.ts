import { isUtf8Range } from '../../core/text/utf8.ts'
import type { CellParser } from '../../core/values/cell-kind.ts'
import {
  booleanKind,
  dateKind,
  floatKind,
  int32Kind,
  int64Kind,
  longIntKind,
  textKind,
  timeKind,
  timestampKind,
  timestampMicroseconds,
} from '../../core/values/cell-kind.ts'
import { asciiText } from '../../core/values/decimal.ts'
import { TimeReader } from '../../core/values/time-reader.ts'
import { xmlDateTime } from '../../core/values/time-rules.ts'
import type { BigBuilder, ColumnBuilder, FixedBuilder, VarBuilder } from '../../geo/column-builder.ts'
import { RowError } from '../reject-writer.ts'
import { looseInteger, looseNumber } from './loose-number.ts'
import type { TextToken } from './xml-scanner.ts'

const reader = new TimeReader(xmlDateTime)

/**
 * Parses `xs:dateTime`, `xs:date`, `xs:gYearMonth` or `xs:gYear` to microseconds since 1970-01-01T00:00:00Z
 * (its first moment, UTC without a zone); undefined for anything else.
 */
export function parseXmlTime(bytes: Uint8Array, start: number, end: number): number | bigint | undefined {
  return reader.parse(bytes, start, end) ? reader.sinceEpoch : undefined
}

const wrong = 'the file was changed since it was examined'

/** Appends a text to a column of the type that the survey of the file found for it. */
export function appendFieldValue(column: ColumnBuilder, text: TextToken, parser: CellParser): void {
  if (column.kind === 'var') appendText(column, text)
  else if (text.textStart === text.textEnd) column.appendNull()
  else if (column.kind === 'big') appendBig(column, text, parser)
  else appendFixed(column, text, parser)
}

function appendText(column: VarBuilder, text: TextToken): void {
  const { textBytes, textStart, textEnd } = text
  if (!text.isAscii && !isUtf8Range(textBytes, textStart, textEnd)) {
    throw new RowError(
      'The text is not valid in its encoding: set the charset if the file declares a wrong one',
    )
  }
  column.appendBytes(textBytes, textStart, textEnd)
}

function appendBig(column: BigBuilder, text: TextToken, parser: CellParser): void {
  const { textBytes, textStart, textEnd } = text
  const kind = parser.parse(textBytes, textStart, textEnd)
  if (column.type === 'timestamp') {
    const time =
      kind === timestampKind || kind === dateKind
        ? timestampMicroseconds(parser.value, kind === dateKind ? 0 : parser.microseconds)
        : parseXmlTime(textBytes, textStart, textEnd)
    if (time === undefined) throw new RowError(`The value is not a time; ${wrong}`)
    column.appendExact(time)
  } else if (column.type === 'time') {
    if (kind !== timeKind) throw new RowError(`The value is not a time of day; ${wrong}`)
    column.appendNumber(parser.microseconds)
  } else if (kind === int32Kind || kind === int64Kind) column.appendNumber(parser.value)
  else if (kind === longIntKind) column.append(BigInt(asciiText(textBytes, textStart, textEnd)))
  else {
    const value = looseInteger(text)
    if (value === undefined) throw new RowError(`The value is not a 64-bit integer; ${wrong}`)
    column.append(value)
  }
}

function appendFixed(column: FixedBuilder, text: TextToken, parser: CellParser): void {
  const kind = parser.parse(text.textBytes, text.textStart, text.textEnd)
  const isPlain =
    column.type === 'float64'
      ? (kind & (int32Kind | int64Kind | floatKind)) !== 0
      : kind === (column.type === 'boolean' ? booleanKind : column.type === 'date' ? dateKind : int32Kind)
  if (isPlain) {
    column.append(parser.value)
    return
  }
  const value = column.type === 'date' ? Number.NaN : looseValue(column.type, kind, text, parser.value)
  if (Number.isNaN(value)) throw new RowError(`The value is not ${column.type}; ${wrong}`)
  column.append(value)
}

/** Returns a value in a form that a declared type accepts although it is not the usual one. */
function looseValue(type: FixedBuilder['type'], kind: number, text: TextToken, value: number): number {
  if (type === 'boolean') return kind === int32Kind && (value === 0 || value === 1) ? value : Number.NaN
  if ((kind & (textKind | longIntKind)) === 0) return Number.NaN
  if (type === 'float64') return looseNumber(text)
  return Number(looseInteger(text) ?? Number.NaN)
}
