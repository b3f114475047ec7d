import type { FeatureBatch } from './batch.ts'
import type { Column } from './column.ts'
import { isValid } from './column.ts'
import type { GeometryColumn } from './geometry-builder.ts'

function selectValidity(
  validity: Uint8Array,
  rows: Uint32Array,
): { validity: Uint8Array; nullCount: number } {
  const selected = new Uint8Array((rows.length + 7) >> 3)
  let nullCount = 0
  for (let to = 0; to < rows.length; to += 1) {
    if (isValid(validity, rows[to] as number))
      selected[to >> 3] = (selected[to >> 3] as number) | (1 << (to & 7))
    else nullCount += 1
  }
  return { validity: selected, nullCount }
}

function selectBytes(
  offsets: Uint32Array,
  bytes: Uint8Array,
  rows: Uint32Array,
): { offsets: Uint32Array; bytes: Uint8Array } {
  const selectedOffsets = new Uint32Array(rows.length + 1)
  let size = 0
  for (const row of rows) size += (offsets[row + 1] as number) - (offsets[row] as number)
  const selected = new Uint8Array(size)
  let at = 0
  for (let to = 0; to < rows.length; to += 1) {
    const row = rows[to] as number
    selected.set(bytes.subarray(offsets[row], offsets[row + 1]), at)
    at += (offsets[row + 1] as number) - (offsets[row] as number)
    selectedOffsets[to + 1] = at
  }
  return { offsets: selectedOffsets, bytes: selected }
}

function selectColumn(column: Column, rows: Uint32Array): Column {
  const nulls = selectValidity(column.validity, rows)
  if (column.kind === 'var')
    return { ...column, ...nulls, ...selectBytes(column.offsets, column.bytes, rows) }
  if (column.kind === 'big') {
    const values = new BigInt64Array(rows.length)
    for (let to = 0; to < rows.length; to += 1) values[to] = column.values[rows[to] as number] as bigint
    return { ...column, ...nulls, values }
  }
  const values = column.values.slice(0, rows.length)
  for (let to = 0; to < rows.length; to += 1) values[to] = column.values[rows[to] as number] as number
  return { ...column, ...nulls, values }
}

function selectGeometry(geometry: GeometryColumn, rows: Uint32Array): GeometryColumn {
  const envelopes = new Float64Array(rows.length * 4)
  for (let to = 0; to < rows.length; to += 1) {
    const from = (rows[to] as number) * 4
    for (let side = 0; side < 4; side += 1)
      envelopes[to * 4 + side] = geometry.envelopes[from + side] as number
  }
  return {
    ...selectBytes(geometry.offsets, geometry.bytes, rows),
    ...selectValidity(geometry.validity, rows),
    envelopes,
  }
}

/** Returns the batch with only these rows (indexes from 0, in the given order); rejects are unchanged. */
export function selectRows(batch: FeatureBatch, rows: Uint32Array): FeatureBatch {
  const rowNumbers = new Float64Array(rows.length)
  for (let to = 0; to < rows.length; to += 1) rowNumbers[to] = batch.rowNumbers[rows[to] as number] as number
  return {
    schema: batch.schema,
    rowCount: rows.length,
    columns: batch.columns.map((column) => selectColumn(column, rows)),
    geometry: batch.geometry === undefined ? undefined : selectGeometry(batch.geometry, rows),
    rowNumbers,
    rejects: batch.rejects,
  }
}
