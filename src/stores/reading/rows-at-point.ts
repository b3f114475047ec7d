import { readyFor, rowFilter } from '../../filters/row-filter.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { isValid } from '../../geo/column.ts'
import type { GeometryColumn } from '../../geo/geometry-builder.ts'
import type { Area } from '../../geo/polygon-test.ts'
import { reprojectBatch } from '../../geo/reproject-geometry.ts'
import { selectRows } from '../../geo/select-rows.ts'
import { wkbDistance } from '../../geo/wkb-distance.ts'
import type { FeaturePage, FeatureQuery, VectorStore } from '../store.ts'
import { areasIn } from './boxes-in-crs.ts'
import type { FeaturePageRequest, MapPoint } from './feature-page-request.ts'
import { filterIn } from './filter-in-crs.ts'
import { findReprojector } from './reprojectors.ts'
import { isInDegrees } from './request-filter.ts'

/** Number of rows around a point above which a smaller neighbourhood is read first. */
const manyRows = 5000
/** The smallest neighbourhood, as a share of the whole. */
const minShare = 1 / 1024
/** Half the side of a cell. */
const ownCell = 0.5

/**
 * Reads the rows at a point of a map: rows whose geometry contains the point, then points and lines within
 * the tolerance by distance; rows that are equal in this come in drawing order, the uppermost first. At most
 * `limit` rows, one per page.
 */
export async function* readRowsAtPoint(
  store: VectorStore,
  request: FeaturePageRequest,
  { query, point }: { query: FeatureQuery; point: MapPoint },
  signal: AbortSignal,
): AsyncGenerator<FeaturePage> {
  const reaches = await listReaches(store, request, { query, point }, signal)
  const choice = await RowChoice.open(request, point, query.limit)
  try {
    for (const reach of reaches) {
      choice.clear()
      const bboxes = await areasAround(point, request, reach)
      for await (const page of store.readFeatures({ ...query, bboxes, limit: allRows }, signal))
        await choice.add(page)
      if (choice.isSettledWithin(reach)) break
    }
  } finally {
    await choice.close()
  }
  yield* choice.pages()
}

const allRows = 1e9

/**
 * Returns the distances, in cells, within which rows are read until enough are found: the last is the
 * tolerance.
 */
async function listReaches(
  store: VectorStore,
  request: FeaturePageRequest,
  { query, point }: { query: FeatureQuery; point: MapPoint },
  signal: AbortSignal,
): Promise<number[]> {
  const { tolerance } = point
  if (store.estimateRows === undefined || tolerance <= ownCell) return [tolerance]
  const estimate = async (areas: Area[] | undefined): Promise<number> =>
    (await store.estimateRows?.(query.table, areas, signal)) ?? 0
  const rowsWithin = async (reach: number): Promise<number> =>
    estimate(await areasAround(point, request, reach))
  const minRows = await rowsWithin(tolerance * minShare)
  // Without an index every distance scans the table.
  if (minRows > manyRows && minRows >= (await estimate(undefined))) return [tolerance]
  let reach = tolerance
  while (reach > tolerance * minShare && (await rowsWithin(reach)) > manyRows) reach /= 4
  const reaches = [reach]
  for (let next = reach * 4; next <= tolerance; next *= 4) reaches.push(next)
  return reaches
}

/** Returns the box around a point, `reach` cells to each side; without a tolerance that of its cell. */
function areasAround(
  { x, y, cell: [width, height] }: MapPoint,
  request: FeaturePageRequest,
  reach: number,
): Promise<Area[]> {
  const cells = reach === 0 ? ownCell : reach
  const [halfX, halfY] = [cells * width, cells * height]
  const box = { minX: x - halfX, minY: y - halfY, maxX: x + halfX, maxY: y + halfY }
  return areasIn({ boxes: [box], srs: request.srs }, request.crs)
}

interface ChosenRow {
  /** In cells; 0 if the geometry contains the point. */
  distance: number
  isContaining: boolean
  order: number
  page: FeaturePage
}

type RankedRow = Omit<ChosenRow, 'page'>

/** The best of all added rows. */
class RowChoice {
  #rows: ChosenRow[] = []
  #added = 0
  readonly #limit: number
  readonly #point: MapPoint
  readonly #request: FeaturePageRequest
  readonly #contains: (batch: FeatureBatch, row: number) => boolean
  readonly #reprojector: Awaited<ReturnType<typeof findReprojector>> | undefined

  private constructor(
    { limit, point, request }: { limit: number; point: MapPoint; request: FeaturePageRequest },
    contains: (batch: FeatureBatch, row: number) => boolean,
    reprojector: Awaited<ReturnType<typeof findReprojector>> | undefined,
  ) {
    this.#limit = limit
    this.#point = point
    this.#request = request
    this.#contains = contains
    this.#reprojector = reprojector
  }

  static async open(request: FeaturePageRequest, point: MapPoint, limit: number): Promise<RowChoice> {
    const filter = await filterIn(
      {
        requested: { kind: 'relation', relation: 's_intersects', wkb: pointWkb(point), isRowFirst: true },
        srs: request.srs,
      },
      request.crs,
    )
    await readyFor(filter)
    const contains = rowFilter(filter, { attributes: [], geometry: undefined })
    const reprojector =
      request.crs === undefined ? undefined : await findReprojector(request.crs, request.srs)
    return new RowChoice({ limit, point, request }, contains, reprojector)
  }

  clear(): void {
    this.#rows = []
    this.#added = 0
  }

  async add(page: FeaturePage): Promise<void> {
    const { batch } = page
    const { geometry } = await reprojectBatch({ ...batch, columns: [] }, this.#reprojector)
    for (let row = 0; row < batch.rowCount; row += 1) {
      this.#added += 1
      const isContaining = this.#contains(batch, row)
      const distance = isContaining ? 0 : this.#distanceOf(geometry, row)
      if (distance > this.#point.tolerance) continue
      this.#rank({ distance, isContaining, order: this.#added }, page, row)
    }
  }

  /** Returns true if no row further away than `reach` can be among the best ones. */
  isSettledWithin(reach: number): boolean {
    const last = this.#rows.at(-1)
    return last !== undefined && this.#rows.length >= this.#limit && last.distance <= reach
  }

  *pages(): Generator<FeaturePage> {
    for (const { page } of this.#rows) yield page
  }

  async close(): Promise<void> {
    await this.#reprojector?.close()
  }

  #distanceOf(geometry: GeometryColumn | undefined, row: number): number {
    if (geometry === undefined || !isValid(geometry.validity, row)) return Number.POSITIVE_INFINITY
    const { x, y, cell } = this.#point
    const { bytes, offsets } = geometry
    const distanceFrom = (fromX: number): number =>
      wkbDistance(bytes, offsets[row] as number, { x: fromX, y, scale: [1 / cell[0], 1 / cell[1]] })
    const turns = isInDegrees(this.#request.srs) ? [0, -360, 360] : [0]
    return Math.min(...turns.map((turn) => distanceFrom(x + turn)))
  }

  #rank(ranked: RankedRow, { batch, ids, ...page }: FeaturePage, row: number): void {
    const last = this.#rows.at(-1)
    if (last !== undefined && this.#rows.length >= this.#limit && !isBefore(ranked, last)) return
    const at = this.#rows.findIndex((other) => isBefore(ranked, other))
    const index = at < 0 ? this.#rows.length : at
    const single = selectRows(batch, Uint32Array.of(row))
    this.#rows.splice(index, 0, { ...ranked, page: { ...page, batch: single, ids: [ids[row] ?? ''] } })
    if (this.#rows.length > this.#limit) this.#rows.pop()
  }
}

function isBefore(one: RankedRow, other: RankedRow): boolean {
  if (one.isContaining !== other.isContaining) return one.isContaining
  if (one.distance !== other.distance) return one.distance < other.distance
  return one.order > other.order
}

/** Returns a point as ISO WKB. */
function pointWkb({ x, y }: MapPoint): Uint8Array {
  const view = new DataView(new ArrayBuffer(21))
  view.setUint8(0, 1)
  view.setUint32(1, 1, true)
  view.setFloat64(5, x, true)
  view.setFloat64(13, y, true)
  return new Uint8Array(view.buffer)
}
