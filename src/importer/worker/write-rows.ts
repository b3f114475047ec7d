import { csvLine } from '../../core/text/escape.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Column } from '../../geo/column.ts'
import { columnValue, isValid } from '../../geo/column.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Reprojector } from '../../geo/crs-projector.ts'
import { featureToJson } from '../../geo/feature-json.ts'
import { reprojectBatch } from '../../geo/reproject-geometry.ts'
import type { Schema } from '../../geo/schema.ts'
import { selectRows } from '../../geo/select-rows.ts'
import { dateText, timestampText, timeText } from '../../geo/time-text.ts'
import { writeGeometryText } from '../../geo/wkb-to-wkt.ts'
import type { OpenRows, RowsPlan, WorkLocation } from './open-rows.ts'
import { openRows } from './open-rows.ts'

/** Output format of rows. */
export type RowsForm = 'geojson' | 'csv'

/** A request for rows of a task. Plain data; may contain secrets. */
export interface TaskRowsRequest {
  plan: RowsPlan
  limit: number
  offset: number
  form: RowsForm
  /** CRS of the coordinates, if known: GeoJSON then has longitude and latitude. */
  crs?: CrsDeclaration | string
}

/** A consecutive part of some rows. Plain data. */
export interface RowsPart {
  /**
   * GeoJSON features separated by commas, with a leading comma except before the first of all; or CSV lines
   * with a header.
   */
  bytes: Uint8Array
  /** Number in all parts so far. */
  shown: number
  /** Number of rows read so far that cannot be loaded. */
  rejected: number
  isLast: boolean
  /** True if more rows follow; known in the last part. */
  hasMore: boolean
}

const degrees = 'EPSG:4326'
/** Approximate number of characters per part. */
const partLength = 64 * 1024
const encoder = new TextEncoder()

/** Reads rows of a task up to the last requested one and yields the requested rows as text. */
export async function* writeTaskRows(
  request: TaskRowsRequest,
  location: WorkLocation,
  signal: AbortSignal,
): AsyncGenerator<RowsPart> {
  const rows = await openRows(request.plan, location, signal)
  const isMoved =
    request.form === 'geojson' && request.crs !== undefined && rows.schema.geometry !== undefined
  const reprojector = isMoved ? await towardsDegrees(request.crs ?? '', signal) : undefined
  try {
    yield* partsOf(rows, request, reprojector, signal)
  } finally {
    await Promise.all([rows.close(), reprojector?.close()])
  }
}

/** Returns undefined if no reprojection is needed; the large code for it is imported on demand. */
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
  { limit, offset, form }: TaskRowsRequest,
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
    const featureBatch = to > from ? await reprojectBatch(windowOf(batch, from, to), reprojector) : undefined
    for (let row = 0; featureBatch !== undefined && row < featureBatch.rowCount; row += 1) {
      text +=
        form === 'csv'
          ? rowLine(featureBatch, row)
          : `${counts.shown > 0 ? ',\n' : ''}${feature(featureBatch, row)}`
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

/** Uses the row number in the source as id, like rejected rows. */
function feature(batch: FeatureBatch, row: number): string {
  return featureToJson(batch, row, String(batch.rowNumbers[row] ?? 0), { isYx: false })
}

function columnNames({ attributes, geometry }: Schema): string[] {
  const names = attributes.map(({ name }) => name)
  return geometry === undefined ? names : [...names, geometry.name]
}

/** Returns attributes, then the geometry as WKT in the coordinates of the load. */
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
