import { conflict } from '../../core/errors/errors.ts'
import { defined } from '../../core/values/defined.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column, VarColumn } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import { createColumnBuilder } from '../../geo/column-builder.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { reprojectGeometry } from '../../geo/reproject-geometry.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import { attributeIndex } from '../../geo/schema.ts'
import type { FeaturePage, VectorStore } from '../../stores/index.ts'
import { shownPage } from '../../stores/reading/shown-columns.ts'
import { queryOf } from '../../stores/reading/write-page.ts'
import { convertColumn, findReprojector } from '../../stores/worker.ts'
import { wholeLength } from './file-columns.ts'
import { withoutLost } from './lost-values.ts'
import { NumberFieldSurvey } from './number-fields.ts'
import type { RowExportRequest, RowsWritten } from './row-export-request.ts'

/** Returns the schema of the file for the schema of the layer. */
export function fileSchema({ columns, geometry, to }: RowExportRequest): Schema {
  const crs = typeof to === 'string' ? { srs: to } : to
  return { attributes: columns.map(({ attribute }) => attribute), geometry: geometry && { ...geometry, crs } }
}

/**
 * Yields the rows as written to the file, all from one state of the table: one statement or transaction.
 * Fills `counts`.
 */
export async function* fileRows(
  store: VectorStore,
  request: RowExportRequest,
  counts: RowsWritten,
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  const { table, select, from, to, shown, page: part } = request
  const page = {
    ...select,
    query: { table, limit: Number.MAX_SAFE_INTEGER, offset: 0, isExact: true, ...defined(part ?? {}) },
  }
  const query = await queryOf({ ...page, crs: from, srs: '', isYx: false })
  const isMoved = from !== undefined && to !== undefined && request.geometry !== undefined
  const reprojector = isMoved ? await findReprojector(from, to) : undefined
  const schema = fileSchema(request)
  const codes = new Set<number>()
  const numbers = new Map<string, NumberFieldSurvey>()
  try {
    for await (const read of store.readFeatures(query, signal)) {
      const { batch, ids } = shown === undefined ? read : shownPage(read, shown)
      const columns = request.columns.map((column) => columnOf(batch, column, request, { counts, numbers }))
      const placed = await placedGeometry(batch, reprojector, counts)
      counts.rows += batch.rowCount
      addTypeCodes(codes, placed, batch.rowCount)
      counts.withoutGeometry += countEmpty(placed, batch.rowCount)
      yield { batch: { ...batch, schema, columns, geometry: schema.geometry && placed }, ids }
    }
    for (const [source, survey] of numbers) counts.numbers[source] = survey.finish()
    counts.typeCodes = [...codes].toSorted((a, b) => a - b)
  } finally {
    await reprojector?.close()
  }
}

/** Counters of rows. */
interface Seen {
  counts: RowsWritten
  numbers: Map<string, NumberFieldSurvey>
}

function columnOf(
  batch: FeatureBatch,
  { source, attribute }: RowExportRequest['columns'][number],
  { maxTextBytes, lacks, as, hasNumberFields }: RowExportRequest,
  { counts, numbers }: Seen,
): Column {
  const column = batch.columns[attributeIndex(batch.schema, source)]
  if (column === undefined)
    throw conflict('layer-changed', `The layer has lost its column "${source}" meanwhile: ask anew`)
  const held = withoutLost(column, batch.rowCount, { attribute, lacks, as }, () => {
    counts.lostValues[source] = (counts.lostValues[source] ?? 0) + 1
  })
  const converted = asWritten(held, batch.rowCount, attribute)
  if (hasNumberFields === true && converted.kind !== 'var') {
    const survey = numbers.get(source) ?? new NumberFieldSurvey()
    numbers.set(source, survey)
    return survey.add(converted, batch.rowCount)
  }
  if (maxTextBytes === undefined || converted.kind !== 'var' || converted.type !== 'text') return converted
  return cutTexts(converted, batch.rowCount, maxTextBytes, () => {
    counts.cutTexts[source] = (counts.cutTexts[source] ?? 0) + 1
  })
}

function asWritten(column: Column, rowCount: number, attribute: Attribute): Column {
  if (column.type === 'binary' && attribute.type === 'text') return asBase64(column, rowCount)
  return convertColumn(column, rowCount, attribute, (_row, reason) => {
    throw conflict('layer-changed', `Column "${attribute.name}" has another type meanwhile: ${reason}`)
  })
}

function asBase64(column: Column, rowCount: number): Column {
  const builder = createColumnBuilder('text', rowCount)
  for (let row = 0; row < rowCount; row += 1) {
    const value = columnValue(column, row)
    if (value instanceof Uint8Array && builder.kind === 'var')
      builder.appendString(Buffer.from(value).toString('base64'))
    else builder.appendNull()
  }
  return builder.finish()
}

/** Truncates texts to a number of bytes, in whole characters. */
function cutTexts(column: VarColumn, rowCount: number, maxBytes: number, onCut: () => void): VarColumn {
  const { offsets, bytes, validity } = column
  const isLong = (row: number): boolean =>
    (offsets[row + 1] as number) - (offsets[row] as number) > maxBytes && isValid(validity, row)
  if (!Array.from({ length: rowCount }, (_, row) => row).some(isLong)) return column
  const builder = createColumnBuilder('text', rowCount)
  if (builder.kind !== 'var') return column
  for (let row = 0; row < rowCount; row += 1) {
    if (!isValid(validity, row)) {
      builder.appendNull()
      continue
    }
    const text = bytes.subarray(offsets[row], offsets[row + 1])
    if (isLong(row)) onCut()
    builder.appendBytes(text.subarray(0, wholeLength(text, maxBytes)))
  }
  const cut = builder.finish()
  return cut.kind === 'var' ? cut : column
}

async function placedGeometry(
  { geometry, rowCount }: FeatureBatch,
  reprojector: Reprojector | undefined,
  counts: RowsWritten,
): Promise<FeatureBatch['geometry']> {
  if (geometry === undefined || reprojector === undefined || reprojector.isIdentity) return geometry
  const moved = await reprojectGeometry(geometry, rowCount, reprojector)
  counts.unplaced += moved.failedRows.length
  const validity = moved.geometry.validity.slice()
  for (const row of moved.failedRows) validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7))
  const nullCount = moved.geometry.nullCount + moved.failedRows.length
  return { ...moved.geometry, validity, nullCount }
}

function addTypeCodes(codes: Set<number>, geometry: FeatureBatch['geometry'], rowCount: number): void {
  if (geometry === undefined) return
  const view = new DataView(geometry.bytes.buffer, geometry.bytes.byteOffset, geometry.bytes.byteLength)
  for (let row = 0; row < rowCount; row += 1)
    if (isValid(geometry.validity, row))
      codes.add(view.getUint32((geometry.offsets[row] as number) + 1, true) % 1000)
}

function countEmpty(geometry: FeatureBatch['geometry'], rowCount: number): number {
  if (geometry === undefined) return 0
  let count = 0
  for (let row = 0; row < rowCount; row += 1)
    if (!isValid(geometry.validity, row) || Number.isNaN(geometry.envelopes[row * 4])) count += 1
  return count
}
