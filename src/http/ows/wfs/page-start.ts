import type { LayerRecord } from '../../../catalog/records.ts'
import { defined, without } from '../../../lib/defined.ts'
import type { FeaturePageRequest, PagePart } from '../../../stores/reading/feature-page-request.ts'
import type { PagePosition } from '../../ogc/page-token.ts'
import type { OwsDeps } from '../ows-deps.ts'
import type { FeatureRequest } from './feature-request.ts'

/** Start of a page, and data for finding the next one. */
export interface PageStart {
  wish: FeaturePageRequest
  /** The token of the page behind; undefined where none can be had. */
  tokenBehind(last: PagePart, passed: number): string | undefined
  /** Remembers where the page ended. */
  keepEnd(last: PagePart): void
}

/**
 * Returns the start of a page by its position, from its link or the cache; otherwise by the number of
 * features to skip.
 */
export async function pageStart(
  { features }: Pick<OwsDeps, 'features'>,
  layer: LayerRecord,
  wish: FeaturePageRequest,
  wanted: FeatureRequest,
): Promise<PageStart> {
  const { pageTokens, positions } = features
  const { startIndex, position } = wanted
  const key = await positions.keyOf(layer, wish)
  const about = aboutOf(layer, wish)
  const from = isKeyed(wish) ? (given() ?? kept()) : undefined
  const query = { ...wish.query, ...defined({ from }), offset: from === undefined ? startIndex : 0 }

  function given(): PagePosition | undefined {
    if (position === undefined) return undefined
    const read = pageTokens.read(position, about)
    return read.passed === startIndex && !read.isBackward ? read : undefined
  }
  function kept(): PagePosition | undefined {
    const row = startIndex === 0 ? undefined : positions.find(key, startIndex)
    return row && { row, isBackward: false, passed: startIndex }
  }
  return {
    wish: { ...without(wish, 'query'), query },
    tokenBehind: ({ ends }, passed) =>
      ends?.last === undefined || !isKeyed(wish)
        ? undefined
        : pageTokens.write({ row: ends.last, isBackward: false, passed }, about),
    keepEnd: ({ ends, numberReturned }) => positions.keep(key, startIndex + numberReturned, ends?.last),
  }
}

function isKeyed({ query }: FeaturePageRequest): boolean {
  return query.featureIds === undefined
}

/** Returns the context to which a position is bound: rows in this order. */
function aboutOf(layer: LayerRecord, { query: { sort = [] } }: FeaturePageRequest): string {
  const types = sort.map(
    ({ attribute }) => layer.details.schema.attributes.find(({ name }) => name === attribute)?.type,
  )
  return JSON.stringify(['wfs', layer.id, sort, types])
}
