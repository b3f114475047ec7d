const backslash = 0x5c
const noDigit = 0xff

/** Value of each byte as a hexadecimal digit. */
const hexDigits = new Uint8Array(256).fill(noDigit)
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16)
  hexDigits[digit.charCodeAt(0)] = value
  hexDigits[digit.toUpperCase().charCodeAt(0)] = value
}

/** Parses hexadecimal text; undefined if it is invalid. */
export function parseHex(source: Uint8Array, start: number, end: number): Uint8Array | undefined {
  const length = (end - start) / 2
  if (!Number.isInteger(length)) return undefined
  const bytes = new Uint8Array(length)
  for (let index = 0, at = start; at < end; index += 1, at += 2) {
    const high = hexDigits[source[at] as number] as number
    const low = hexDigits[source[at + 1] as number] as number
    if (high === noDigit || low === noDigit) return undefined
    bytes[index] = high * 16 + low
  }
  return bytes
}

/**
 * Parses a `bytea` value: in PostgreSQL's hexadecimal format (`\x89504e47`), or in its escape format, which
 * GDAL 3.6 writes (`\211PNG\015`); undefined if it is neither.
 */
export function parseBytea(source: Uint8Array, start: number, end: number): Uint8Array | undefined {
  if (source[start] === backslash && source[start + 1] === 0x78) return parseHex(source, start + 2, end)
  const bytes = new Uint8Array(end - start)
  let length = 0
  for (let at = start; at < end; at += 1, length += 1) {
    const byte = source[at] as number
    if (byte < 0x20 || byte > 0x7e) return undefined
    if (byte !== backslash) {
      bytes[length] = byte
    } else if (at + 1 < end && source[at + 1] === backslash) {
      bytes[length] = backslash
      at += 1
    } else {
      const value = octalByte(source, at + 1, end)
      if (value === undefined) return undefined
      bytes[length] = value
      at += 3
    }
  }
  return bytes.subarray(0, length)
}

/** Parses three octal digits, at most 377. */
function octalByte(source: Uint8Array, at: number, end: number): number | undefined {
  if (at + 3 > end) return undefined
  let value = 0
  for (let index = at; index < at + 3; index += 1) {
    const digit = (source[index] as number) - 0x30
    if (digit < 0 || digit > 7) return undefined
    value = value * 8 + digit
  }
  return value > 0xff ? undefined : value
}
