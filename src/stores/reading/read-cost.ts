import type { Filter } from '../../filters/filter.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { FeatureQuery, TileQuery } from '../store.ts'
import type { FeaturePageRequest, RequestBox } from './feature-page-request.ts'
import type { TileSource } from './tile-request.ts'

/** A box, and the CRS of the table; absent if the box is in that CRS. */
export interface EstimatedBox extends RequestBox {
  crs?: CrsDeclaration | string | undefined
}

/** Returns the estimated number of rows of the table, or of its rows in a box. */
export type EstimateRows = (box?: EstimatedBox) => Promise<number>

/**
 * Maximum number of rows of a light read. A GeoPackage filters or sorts some 400,000 rows/s, so that a light
 * read blocks its thread for 50 ms at most.
 */
export const lightRows = 20_000
/** Number of rows that a plain count processes in the time in which a filter processes one. */
const countedPerRow = 50
/** Cost of a comparison, and of a spatial relation, relative to reading a row. */
const comparisonWeight = 0.1
const relationWeight = 10
/** Bytes of WKB with the cost of a row. */
const bytesPerRow = 1600

type RowChoice = Pick<FeatureQuery, 'sort' | 'time' | 'featureId' | 'featureIds'>

/** Requirements of a read on a table. */
export interface ReadDemand extends RowChoice {
  offset: number
  limit: number
  box?: EstimatedBox | undefined
  filter?: Filter | undefined
  /** True if matching rows are counted. */
  isCounted: boolean
}

export function demandOfPage({ query, box, filter, crs, numberMatched }: FeaturePageRequest): ReadDemand {
  return {
    ...query,
    box: box === undefined ? undefined : { ...box, crs },
    filter: filter?.requested,
    isCounted: numberMatched === undefined,
  }
}

export function demandOfQuery({ bboxes, ...query }: FeatureQuery): ReadDemand {
  return { ...query, box: bboxes === undefined ? undefined : { boxes: bboxes, srs: '' }, isCounted: false }
}

export function demandOfCount(query: Omit<FeatureQuery, 'limit' | 'offset'>): ReadDemand {
  return { ...demandOfQuery({ ...query, limit: 0, offset: 0 }), isCounted: true }
}

export function demandOfTileRows({ boxes }: Pick<TileQuery, 'boxes'>): ReadDemand {
  const box = boxes === undefined ? undefined : { boxes, srs: '' }
  return { offset: 0, limit: Number.POSITIVE_INFINITY, box, isCounted: false }
}

/**
 * Returns true if the read may process more rows than a light one. Calls `estimate` only if the request alone
 * does not tell.
 */
export async function isHeavyRead(demand: ReadDemand, estimate: EstimateRows): Promise<boolean> {
  const { featureId, featureIds, sort = [], time, box, filter, offset, limit, isCounted } = demand
  if (featureId !== undefined) return false
  if (featureIds !== undefined) return featureIds.length > lightRows
  const isPlain = sort.length === 0 && time === undefined && box === undefined && filter === undefined
  if (isPlain && !isCounted && offset + limit <= lightRows) return false
  const weight = filter === undefined ? 1 : filterWeight(filter)
  const rows = await estimate()
  if (isPlain) {
    const counted = isCounted ? rows / countedPerRow : 0
    return counted + Math.min(rows, offset + limit) > lightRows
  }
  if (rows * weight <= lightRows) return false
  return box === undefined || (await estimate(box)) * weight > lightRows
}

/** Returns true for a tile that selects its rows among all those around it, without an overview. */
export function isHeavyTile({ thinning }: Pick<TileSource, 'thinning'>): boolean {
  return thinning?.cell !== undefined && thinning.overview === undefined
}

/** Returns the cost of a filter per row, relative to reading a row; 1 or more. */
function filterWeight(filter: Filter): number {
  return 1 + conditionWeight(filter)
}

function conditionWeight(filter: Filter): number {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.of.reduce((sum, one) => sum + conditionWeight(one), 0)
    case 'not':
      return conditionWeight(filter.of)
    case 'relation':
    case 'near':
      return relationWeight + filter.wkb.length / bytesPerRow
    default:
      return comparisonWeight
  }
}
