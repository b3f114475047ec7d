/**
 * PostgreSQL's binary `numeric`: int16 number of digits, weight of the first, sign, display scale, then
 * digits of base 10,000 (numeric_recv in src/backend/utils/adt/numeric.c).
 */
const positive = 0x0000
const negative = 0x4000
const headerBytes = 8
const specialSigns = { NaN: 0xc000, Infinity: 0xd000, '-Infinity': 0xf000 } as const
/** Number of digits that PostgreSQL allows before and after the decimal point. */
const maxIntegerDigits = 131_072
const maxFractionDigits = 16_383

/** Returns the maximum size of a decimal with `length` characters. */
export function numericBytes(length: number): number {
  return headerBytes + 2 * ((length >> 2) + 3)
}

/** Size of NaN and of the infinities. */
export const specialNumericBytes = headerBytes

/** Writes NaN or an infinity to `target` at `at`. */
export function writeSpecialNumeric(text: keyof typeof specialSigns, target: Uint8Array, at: number): void {
  putInt16(target, at, 0)
  putInt16(target, at + 2, 0)
  putInt16(target, at + 4, specialSigns[text])
  putInt16(target, at + 6, 0)
}

/** Offsets of the parts of a decimal in its bytes; one object is reused for all values. */
export interface DecimalOffsets {
  isNegative: boolean
  integerStart: number
  integerEnd: number
  fractionStart: number
  end: number
}

/**
 * Finds sign, digits and decimal point in `source[start, end)`; false if it is not a plain decimal (without
 * exponent).
 */
export function findDecimalParts(
  source: Uint8Array,
  start: number,
  end: number,
  parts: DecimalOffsets,
): boolean {
  const first = source[start]
  parts.isNegative = first === 0x2d
  const from = start < end && (parts.isNegative || first === 0x2b) ? start + 1 : start
  let point = end
  for (let at = from; at < end; at += 1) {
    const byte = source[at] as number
    if (byte === 0x2e && point === end) point = at
    else if (byte < 0x30 || byte > 0x39) return false
  }
  parts.integerStart = from
  parts.integerEnd = point
  parts.fractionStart = Math.min(point + 1, end)
  parts.end = end
  const integerDigits = point - from
  const fractionDigits = end - parts.fractionStart
  return (
    integerDigits + fractionDigits > 0 &&
    integerDigits <= maxIntegerDigits &&
    fractionDigits <= maxFractionDigits
  )
}

/**
 * True if `numeric(precision, scale)` stores the decimal without rounding; the scale may be negative or
 * greater than the precision.
 */
export function fitsNumeric(
  source: Uint8Array,
  parts: DecimalOffsets,
  precision: number,
  scale: number,
): boolean {
  const { integerStart, integerEnd, fractionStart, end } = parts
  // Positions of the first and last non-zero digit relative to the decimal point: 0 for ones, -1 for tenths.
  let highest = Number.NEGATIVE_INFINITY
  let lowest = 0
  for (let at = integerStart; at < end; at += 1) {
    if (at === integerEnd || source[at] === 0x30) continue
    const exponent = at < integerEnd ? integerEnd - at - 1 : fractionStart - at - 1
    if (highest === Number.NEGATIVE_INFINITY) highest = exponent
    lowest = exponent
  }
  return highest === Number.NEGATIVE_INFINITY || (highest < precision - scale && lowest >= -scale)
}

/** Writes the decimal to `target` at `at` and returns the number of bytes written. */
export function writeNumeric(
  source: Uint8Array,
  parts: DecimalOffsets,
  target: Uint8Array,
  at: number,
): number {
  const { integerStart, integerEnd, fractionStart, end } = parts
  const groupsBefore = (integerEnd - integerStart + 3) >> 2
  const groups = groupsBefore + ((end - fractionStart + 3) >> 2)
  let written = 0
  let used = 0
  let weight = 0
  for (let group = 0; group < groups; group += 1) {
    const from =
      group < groupsBefore
        ? integerEnd - (groupsBefore - group) * 4
        : fractionStart + (group - groupsBefore) * 4
    const value =
      group < groupsBefore
        ? groupValue(source, from, integerStart, integerEnd)
        : groupValue(source, from, from, end)
    if (value === 0 && written === 0) continue
    if (written === 0) weight = groupsBefore - 1 - group
    putInt16(target, at + headerBytes + written * 2, value)
    written += 1
    if (value !== 0) used = written
  }
  putInt16(target, at, used)
  putInt16(target, at + 2, weight)
  putInt16(target, at + 4, parts.isNegative && used > 0 ? negative : positive)
  putInt16(target, at + 6, end - fractionStart)
  return headerBytes + used * 2
}

/** Returns the value of four digits from `from` on; those outside of `[start, end)` count as 0. */
function groupValue(source: Uint8Array, from: number, start: number, end: number): number {
  let value = 0
  for (let at = from; at < from + 4; at += 1) {
    value = value * 10 + (at >= start && at < end ? (source[at] as number) - 0x30 : 0)
  }
  return value
}

function putInt16(target: Uint8Array, at: number, value: number): void {
  target[at] = (value >> 8) & 0xff
  target[at + 1] = value & 0xff
}
