import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { featureToJson } from '../../geo/feature-json.ts'
import { reprojectBatch } from '../../geo/reproject-batch.ts'
import type { Reprojector } from '../../geo/reprojector.ts'
import type { Schema } from '../../geo/schema.ts'
import { selectRows } from '../../geo/select-rows.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import { writeGeometryText } from '../../geo/wkb-to-wkt.ts'
import { csvLine } from '../../lib/text/csv-line.ts'
import type { LoadPlace, OpenRows, RowsPlan } from './open-rows.ts'
import { openRows } from './open-rows.ts'

/** As what rows are shown. */
export type RowsForm = 'geojson' | 'csv'

/** Which rows of a task are wanted. Plain data; it may hold secrets. */
export interface RowsWish {
  plan: RowsPlan
  limit: number
  offset: number
  form: RowsForm
  /** What the coordinates are in, where that is known: GeoJSON has longitude and latitude then. */
  crs?: CrsDeclaration | string
}

/** A part of some rows, in order. Plain data. */
export interface RowsPart {
  /** GeoJSON features with commas between and before, but not before the first of all; or lines of CSV with their head. */
  bytes: Uint8Array
  /** In all parts so far. */
  shown: number
  /** Rows that were read so far and cannot be loaded. */
  rejected: number
  isLast: boolean
  /** Whether there are rows after these; known in the last part. */
  hasMore: boolean
}

const degrees = 'EPSG:4326'
/** Characters of a part, about. */
const partLength = 64 * 1024
const encoder = new TextEncoder()

/** Reads as many rows of a task as it takes, and writes those that are wanted. */
export async function* writeRows(
  wish: RowsWish,
  place: LoadPlace,
  signal: AbortSignal,
): AsyncGenerator<RowsPart> {
  const rows = await openRows(wish.plan, place, signal)
  const isMoved = wish.form === 'geojson' && wish.crs !== undefined && rows.schema.geometry !== undefined
  const reprojector = isMoved ? await towardsDegrees(wish.crs ?? '', signal) : undefined
  try {
    yield* partsOf(rows, wish, reprojector, signal)
  } finally {
    await Promise.all([rows.close(), reprojector?.close()])
  }
}

/** Undefined where nothing has to be moved: what moves coordinates is much code. */
async function towardsDegrees(
  crs: CrsDeclaration | string,
  signal: AbortSignal,
): Promise<Reprojector | undefined> {
  if ((typeof crs === 'string' ? crs : crs.srs) === degrees) return undefined
  const { createReprojector } = await import('../../geo/crs-reproject.ts')
  return createReprojector(crs, degrees, { signal })
}

async function* partsOf(
  { schema, batches }: OpenRows,
  { limit, offset, form }: RowsWish,
  reprojector: Reprojector | undefined,
  signal: AbortSignal,
): AsyncGenerator<RowsPart> {
  let text = form === 'csv' ? csvLine(columnNames(schema)) : ''
  const counts = { shown: 0, rejected: 0 }
  let passed = 0
  const take = (end: { isLast: boolean; hasMore: boolean }): RowsPart => {
    const bytes = encoder.encode(text)
    text = ''
    return { bytes, ...counts, ...end }
  }
  for await (const batch of batches) {
    signal.throwIfAborted()
    counts.rejected += batch.rejects.length
    const from = Math.min(batch.rowCount, Math.max(0, offset - passed))
    const to = Math.min(batch.rowCount, from + limit - counts.shown)
    passed += batch.rowCount
    const wanted = to > from ? await reprojectBatch(windowOf(batch, from, to), reprojector) : undefined
    for (let row = 0; wanted !== undefined && row < wanted.rowCount; row += 1) {
      text +=
        form === 'csv' ? rowLine(wanted, row) : `${counts.shown > 0 ? ',\n' : ''}${feature(wanted, row)}`
      counts.shown += 1
      if (text.length >= partLength) yield take({ isLast: false, hasMore: false })
    }
    if (counts.shown >= limit && passed > offset + limit) {
      yield take({ isLast: true, hasMore: true })
      return
    }
  }
  yield take({ isLast: true, hasMore: false })
}

function windowOf(batch: FeatureBatch, from: number, to: number): FeatureBatch {
  if (from === 0 && to === batch.rowCount) return batch
  return selectRows(
    batch,
    Uint32Array.from({ length: to - from }, (_, at) => from + at),
  )
}

/** With the row's number in the source as its id, as a rejected row has. */
function feature(batch: FeatureBatch, row: number): string {
  return featureToJson(batch, row, String(batch.rowNumbers[row] ?? 0), { isYx: false })
}

function columnNames({ attributes, geometry }: Schema): string[] {
  const names = attributes.map(({ name }) => name)
  return geometry === undefined ? names : [...names, geometry.name]
}

/** Attributes, then the geometry as WKT in the coordinates that it is loaded with. */
function rowLine({ columns, geometry }: FeatureBatch, row: number): string {
  const cells = columns.map((column) => cellText(column, row))
  if (geometry === undefined) return csvLine(cells)
  const { validity, bytes, offsets } = geometry
  const wkb = bytes.subarray(offsets[row], offsets[row + 1])
  return csvLine([...cells, isValid(validity, row) ? writeGeometryText(wkb) : ''])
}

function cellText(column: Column, row: number): string {
  const value = columnValue(column, row)
  if (value === null) return ''
  if (column.type === 'date') return dateText(Number(value))
  if (column.type === 'time') return timeText(BigInt(value as bigint))
  if (column.type === 'timestamp') return timestampText(BigInt(value as bigint))
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)
}
