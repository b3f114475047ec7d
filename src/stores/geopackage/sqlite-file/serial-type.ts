/** The serial type of a double in the record format (SQLite file format, section 2.1). */
export const serialDouble = 7

/** Returns the serial type of an integer of at most 53 bits. */
export function integerSerial(value: number): number {
  if (value === 0) return 8
  if (value === 1) return 9
  const size = value < 0 ? -value - 1 : value
  if (size < 0x80) return 1
  if (size < 0x8000) return 2
  if (size < 0x800000) return 3
  if (size < 0x80000000) return 4
  return size < 0x800000000000 ? 5 : 6
}

/** Returns the serial type of a 64-bit integer in two halves. */
export function wideSerial(high: number, low: number): number {
  if (high === low >> 31) return integerSerial(low)
  return high >= -0x8000 && high < 0x8000 ? 5 : 6
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

/** Returns the size of a value. */
export function serialBytes(serial: number): number {
  return serial < 10 ? (integerBytes[serial] as number) : Math.floor((serial - 12) / 2)
}

/** Writes a 64-bit integer with the size of its serial type and returns the offset after it. */
export function writeInteger(view: DataView, at: number, serial: number, high: number, low: number): number {
  switch (serial) {
    case 1:
      view.setInt8(at, low)
      return at + 1
    case 2:
      view.setInt16(at, low)
      return at + 2
    case 3:
      view.setInt8(at, low >> 16)
      view.setUint16(at + 1, low & 0xffff)
      return at + 3
    case 4:
      view.setInt32(at, low)
      return at + 4
    case 5:
      view.setInt16(at, high)
      view.setInt32(at + 2, low)
      return at + 6
    case 6:
      view.setInt32(at, high)
      view.setInt32(at + 4, low)
      return at + 8
    default:
      return at
  }
}
