const signatureBytes = 11
const isNull = -1
const isEnd = -1

/** The numbers of PostgreSQL's binary copy format, every column `float8`: row after row, null as NaN. */
export function readBinaryCopy(bytes: Uint8Array, columnCount: number): Float64Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rowBytes = 2 + columnCount * 4
  const numbers = new Float64Array(Math.ceil(bytes.byteLength / rowBytes) * columnCount)
  let at = signatureBytes + 8 + view.getInt32(signatureBytes + 4)
  let count = 0
  while (view.getInt16(at) !== isEnd) {
    at += 2
    for (let column = 0; column < columnCount; column += 1) {
      const isAbsent = view.getInt32(at) === isNull
      at += 4
      numbers[count] = isAbsent ? Number.NaN : view.getFloat64(at)
      if (!isAbsent) at += 8
      count += 1
    }
  }
  return numbers.subarray(0, count)
}
