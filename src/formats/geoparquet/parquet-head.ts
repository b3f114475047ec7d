export const parquetMagic = 'PAR1'
export const encryptedMagic = 'PARE'

/** True for the first bytes of a Parquet file. */
export function isParquetHead(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, 4))
  return text === parquetMagic || text === encryptedMagic
}
