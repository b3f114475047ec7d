import { createHash } from 'node:crypto'
import type { FeatureBatch } from './batch.ts'
import { columnValue, isValid } from './column.ts'

/** Returns a text that changes whenever a stored value or the geometry of a row changes. */
export function featureTag(batch: FeatureBatch, row: number, id: string): string {
  const hash = createHash('sha256').update(JSON.stringify(id))
  batch.schema.attributes.forEach(({ name }, index) => {
    const column = batch.columns[index]
    const value = column === undefined ? null : columnValue(column, row)
    hash.update(`\n${JSON.stringify(name)}:${typeof value}:`)
    if (value instanceof Uint8Array) hash.update(`${value.length}:`).update(value)
    else if (typeof value === 'string') hash.update(JSON.stringify(value))
    else hash.update(Object.is(value, -0) ? '-0' : String(value))
  })
  const { geometry } = batch
  if (geometry !== undefined && isValid(geometry.validity, row))
    hash
      .update('\ngeometry:')
      .update(geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1]))
  return hash.digest('base64url').slice(0, 22)
}
