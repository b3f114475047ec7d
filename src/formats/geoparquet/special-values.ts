import type { ParquetValueSource } from './value-source.ts'

/** Formats an integer with its decimal point moved left by `scale` digits. */
export function decimalText(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const sign = unscaled < 0n ? '-' : ''
  if (scale === 0) return sign + digits
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** IEEE 754 binary16, little-endian. */
export function halfFloat({ view, start }: ParquetValueSource): number {
  const bits = view.getUint16(start, true)
  const sign = bits >> 15 === 0 ? 1 : -1
  const exponent = (bits >> 10) & 0x1f
  const fraction = (bits & 0x3ff) / 1024
  if (exponent === 0) return sign * 2 ** -14 * fraction
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * 2 ** (exponent - 15) * (1 + fraction)
}

/** Formats sixteen bytes as in RFC 9562. */
export function uuidText({ bytes, start }: ParquetValueSource): string {
  const hex = Buffer.from(bytes.subarray(start, start + 16)).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Formats months, days and milliseconds as an ISO 8601 duration. */
export function intervalText({ view, start }: ParquetValueSource): string {
  const seconds = (view.getUint32(start + 8, true) / 1000).toString()
  return `P${view.getUint32(start, true)}M${view.getUint32(start + 4, true)}DT${seconds}S`
}
