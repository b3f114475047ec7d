import type { CellParser } from '../../core/values/cell-kind.ts'
import {
  booleanKind,
  dateKind,
  floatKind,
  int32Kind,
  int64Kind,
  longIntKind,
  timeKind,
  timestampKind,
  timestampMicroseconds,
} from '../../core/values/cell-kind.ts'
import { asciiText } from '../../core/values/decimal.ts'
import type { BigBuilder, FixedBuilder } from '../../geo/column-builder.ts'
import type { AttributeType } from '../../geo/schema.ts'

/** Kinds of texts that a column of each type accepts. */
const accepted: Partial<Record<AttributeType, number>> = {
  int32: int32Kind,
  int64: int32Kind | int64Kind | longIntKind,
  float64: int32Kind | int64Kind | floatKind,
  boolean: booleanKind,
  date: dateKind,
  time: timeKind,
  timestamp: timestampKind,
}

/** Appends a text to a column whose type was inferred from all its texts; false when it does not fit. */
export function appendInferred(
  target: FixedBuilder | BigBuilder,
  parser: CellParser,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (start === end) {
    target.appendNull()
    return true
  }
  const kind = parser.parse(bytes, start, end)
  if ((kind & (accepted[target.type] ?? 0)) === 0) return false
  if (target.kind === 'fixed') target.append(parser.value)
  else if (kind === longIntKind) target.append(BigInt(asciiText(bytes, start, end)))
  else if (kind === timeKind) target.appendNumber(parser.microseconds)
  else if (kind !== timestampKind) target.appendNumber(parser.value)
  else {
    target.appendExact(timestampMicroseconds(parser.value, parser.microseconds))
  }
  return true
}
