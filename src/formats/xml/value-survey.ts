import type { CellParser } from '../../core/values/cell-kind.ts'
import {
  booleanKind,
  floatKind,
  int32Kind,
  int64Kind,
  longIntKind,
  timestampKind,
} from '../../core/values/cell-kind.ts'
import type { Attribute, AttributeType } from '../../geo/schema.ts'
import { ColumnType } from '../text/column-type.ts'
import { parseXmlTime } from './field-value.ts'
import { looseInteger, looseNumber } from './loose-number.ts'
import type { TextToken } from './xml-scanner.ts'

/** Types that a file or its format declares, by their KML names (OGC 12-007r2, section 9.9). */
export const declaredTypes = [
  'string',
  'short',
  'ushort',
  'int',
  'uint',
  'float',
  'double',
  'bool',
  'timestamp',
] as const
export type DeclaredType = (typeof declaredTypes)[number]

const attributeTypes: Record<DeclaredType, AttributeType> = {
  string: 'text',
  short: 'int16',
  ushort: 'int32',
  int: 'int32',
  uint: 'int64',
  float: 'float64',
  double: 'float64',
  bool: 'boolean',
  timestamp: 'timestamp',
}

const integerRanges: Partial<Record<DeclaredType, [number, number]>> = {
  short: [-32768, 32767],
  ushort: [0, 65535],
  int: [-2147483648, 2147483647],
  uint: [0, 4294967295],
}
const exampleLength = 80

/**
 * Type of one field over all its values, without loss: the declared type if every value matches, otherwise a
 * type that represents all values.
 */
export class ValueSurvey {
  declared: DeclaredType | undefined
  /** True after a row had the field, even if empty. */
  isUsed = false
  /** True after a value did not match the declared type. */
  isMisfit = false
  #example: string | undefined
  readonly #inferred = new ColumnType()

  constructor(declared?: DeclaredType) {
    this.declared = declared
  }

  observe(text: TextToken, parser: CellParser): void {
    this.isUsed = true
    const { textBytes, textStart, textEnd } = text
    if (textStart === textEnd) return
    this.#example ??= exampleOf(text)
    const { declared } = this
    if (declared === 'string' || (this.#inferred.isText && (declared === undefined || this.isMisfit))) return
    const kind = this.#inferred.observe(parser, textBytes, textStart, textEnd)
    if (declared !== undefined && !isFit(declared, kind, parser.value, text)) this.isMisfit = true
  }

  /** True if it contains times whose UTC offsets are lost. */
  get losesOffsets(): boolean {
    return this.#inferred.losesOffsets
  }

  attribute(name: string): Attribute {
    const { declared } = this
    const type = declared === undefined || this.isMisfit ? this.#inferred.type : attributeTypes[declared]
    return this.#example === undefined ? { name, type } : { name, type, example: this.#example }
  }
}

function exampleOf({ textBytes, textStart, textEnd }: TextToken): string {
  const end = Math.min(textEnd, textStart + exampleLength * 4)
  return Buffer.from(textBytes.subarray(textStart, end)).toString('utf8').slice(0, exampleLength)
}

function isFit(declared: DeclaredType, kind: number, value: number, text: TextToken): boolean {
  if (declared === 'float' || declared === 'double') {
    return (
      (kind & (int32Kind | int64Kind | longIntKind | floatKind)) !== 0 || !Number.isNaN(looseNumber(text))
    )
  }
  if (declared === 'bool') return kind === booleanKind || (kind === int32Kind && (value === 0 || value === 1))
  if (declared === 'timestamp') {
    return kind === timestampKind || parseXmlTime(text.textBytes, text.textStart, text.textEnd) !== undefined
  }
  const range = integerRanges[declared]
  if (range === undefined) return true
  const integer = (kind & (int32Kind | int64Kind)) !== 0 ? value : Number(looseInteger(text) ?? Number.NaN)
  return integer >= range[0] && integer <= range[1]
}
