import type { Envelope } from '../../geo/envelope.ts'
import { positionEnvelopesOf } from '../../tiles/generalize/position-envelopes.ts'
import { maxDrawn, selectTileRows } from '../../tiles/generalize/select-rows.ts'
import { tileRange, widenToCells } from '../../tiles/generalize/tile-cells.ts'
import type { TileReads } from '../store.ts'
import { findOverview } from './cached-overviews.ts'
import type { TileRequest, TileSource } from './tile-request.ts'

/** The rows that a tile shows, as a query, and the number of omitted rows. */
export interface ChosenRows {
  ids: readonly string[]
  /** Boxes that the ids were found by; absent if not needed. */
  boxes?: Envelope[]
  /**
   * Longer side of the envelope of each row; NaN without coordinates. Absent if only the overview contains
   * the sizes.
   */
  sizes?: Float32Array
  thinned: number
}

/** Areas that a tile covers, including its buffer. */
export interface TileBoxes {
  /** In units of the set, possibly across the antimeridian. */
  wide: Envelope
  /** In the CRS of the table. */
  boxes: Envelope[]
  /** Transforms a box of the set to the CRS of the table. */
  toTable(box: Envelope): Promise<Envelope[]>
}

interface TileRows {
  source: TileSource
  request: TileRequest
  place: TileBoxes
}

/**
 * Returns the rows of a tile according to the overview of the layer; undefined if the overview cannot tell.
 */
export async function chooseByOverview({
  source: { thinning },
  request: { set, tile },
  place,
}: TileRows): Promise<ChosenRows | undefined> {
  if (thinning?.overview === undefined) return undefined
  const overview = await findOverview(thinning.overview.path)
  return overview?.select({ set, tile, boxes: place.boxes })
}

/** Selects among all rows around the tile, by their envelopes. */
export async function chooseAmong(
  reads: TileReads,
  { source: { table, crs, thinning }, request: { set, tile }, place }: TileRows,
  signal: AbortSignal,
): Promise<ChosenRows> {
  const cell = thinning?.cell
  const boxes = cell === undefined ? place.boxes : await place.toTable(widenToCells(set, place.wide, cell))
  const ids: string[][] = []
  const pages: Float64Array[] = []
  for await (const page of reads.readEnvelopes({ table, boxes }, signal)) {
    ids.push(page.ids)
    pages.push(page.envelopes)
  }
  const envelopes = joined(pages)
  const placeEnvelopes = await positionEnvelopesOf(crs)
  const areas = thinning?.areas
  const positions = placeEnvelopes(envelopes, { hasAreas: areas !== undefined && cell !== undefined })
  const { rows, thinned } = selectTileRows({
    positions: positions,
    isTouching: (row) => touchesAny(envelopes, row * 4, place.boxes),
    range: tileRange(set, tile),
    cell,
    areas,
    most: maxDrawn,
  })
  const all = ids.flat()
  const sizes = Float32Array.from(rows, (row) => positions.size[row] as number)
  return { ids: Array.from(rows, (row) => all[row] ?? ''), boxes, sizes, thinned }
}

function joined(pages: Float64Array[]): Float64Array {
  const all = new Float64Array(pages.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const page of pages) {
    all.set(page, at)
    at += page.length
  }
  return all
}

function touchesAny(envelopes: Float64Array, at: number, boxes: readonly Envelope[]): boolean {
  const minX = envelopes[at] as number
  const minY = envelopes[at + 1] as number
  const maxX = envelopes[at + 2] as number
  const maxY = envelopes[at + 3] as number
  return boxes.some((box) => minX <= box.maxX && maxX >= box.minX && minY <= box.maxY && maxY >= box.minY)
}
