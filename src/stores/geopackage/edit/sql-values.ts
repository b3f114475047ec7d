import type { SQLInputValue } from 'node:sqlite'
import { invalid } from '../../../core/errors/errors.ts'
import type { GeometryBox } from '../../../formats/geopackage/index.ts'
import type { FeatureBatch } from '../../../geo/batch.ts'
import type { Column } from '../../../geo/column.ts'
import { columnValue, isValid } from '../../../geo/column.ts'
import { fitGeometry } from '../../fit-geometry.ts'
import type { GeometryRules } from '../../geometry-rules.ts'
import {
  dateBytes,
  instantBytes,
  isWritableDay,
  splitInstant,
  writeDate,
  writeInstant,
} from '../date-digits.ts'

const headerBytes = 8
const envelopeBytes = 32

/** Returns the first value of a column as stored in the file. Throws `Failure` if it cannot be stored. */
export function sqlValue(name: string, column: Column): SQLInputValue {
  const value = columnValue(column, 0)
  if (value === null || typeof value === 'string' || value instanceof Uint8Array) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (column.type === 'date') return dateDigits(name, Number(value))
  if (column.type === 'timestamp' && column.kind === 'big') return instantDigits(name, column.values)
  return value
}

function dateDigits(name: string, days: number): string {
  if (!isWritableDay(days)) throw beyondYears(name)
  const bytes = new Uint8Array(dateBytes)
  writeDate(bytes, 0, days)
  return new TextDecoder().decode(bytes)
}

function instantDigits(name: string, values: BigInt64Array): string {
  const [low = 0, high = 0] = new Int32Array(values.buffer, values.byteOffset, 2)
  const instant = { days: 0, micros: 0 }
  splitInstant(high, low, instant)
  if (!isWritableDay(instant.days)) throw beyondYears(name)
  const bytes = new Uint8Array(instantBytes(instant))
  writeInstant(bytes, 0, instant)
  return new TextDecoder().decode(bytes)
}

function beyondYears(name: string): Error {
  return invalid('invalid-property', `The year of "${name}" is not between 0 and 9999`)
}

/** A geometry as stored in a file, and its bounding box. */
export interface GeometryBlob {
  blob: Uint8Array | null
  box: GeometryBox | undefined
}

/**
 * Returns the first geometry of a batch as a blob (OGC 12-128r18, section 2.1.3); throws `Failure` if the
 * column does not accept it.
 */
export function geometryBlob(
  { geometry }: FeatureBatch,
  rules: Omit<GeometryRules, 'isOpen'>,
  srsId: number,
): GeometryBlob {
  if (geometry === undefined || !isValid(geometry.validity, 0)) return { blob: null, box: undefined }
  const wkb = fitGeometry(
    { ...rules, isOpen: false },
    geometry.bytes.subarray(geometry.offsets[0], geometry.offsets[1]),
  )
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = geometry.envelopes
  const isEmpty = Number.isNaN(minX)
  const isPoint = new DataView(wkb.buffer, wkb.byteOffset).getUint32(1, true) % 1000 === 1
  const hasEnvelope = !isEmpty && !isPoint
  const start = headerBytes + (hasEnvelope ? envelopeBytes : 0)
  const blob = new Uint8Array(start + wkb.length)
  const view = new DataView(blob.buffer)
  view.setUint32(0, 0x47500000 | 1 | (hasEnvelope ? 2 : 0) | (isEmpty ? 0x10 : 0))
  view.setInt32(4, srsId, true)
  const sides = hasEnvelope ? [minX, maxX, minY, maxY] : []
  for (const [at, side] of sides.entries()) view.setFloat64(headerBytes + at * 8, side, true)
  blob.set(wkb, start)
  return { blob, box: isEmpty ? undefined : [minX, minY, maxX, maxY] }
}
