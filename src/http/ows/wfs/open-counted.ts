import { defined } from '../../../lib/defined.ts'
import type { PageWish } from '../../../stores/reading/page-wish.ts'
import { openPage, readingLess } from '../../ogc/page-stream.ts'
import type { OwsParts } from '../ows-parts.ts'
import type { Reading } from './readings.ts'
import type { WfsRequest } from './wfs-parts.ts'

/** Maximum number of features in a response. */
export const mostFeatures = 1_000_000

/** Opens a page whose features are not counted again where their number is known. */
export async function openCounted(
  { catalog, features: { counts } }: OwsParts,
  { signal }: WfsRequest,
  { layer }: Reading,
  wish: PageWish,
) {
  const store = await catalog.layers.openStoreOf(layer)
  const key = await counts.keyOf(store, layer, wish)
  const less = readingLess({ ...wish, ...defined({ numberMatched: counts.find(key) }) })
  const isSettled = (): Promise<boolean> => catalog.layers.isSettled(layer)
  const page = await openPage(store, less, isSettled, signal)
  if (page.isSure) counts.keep(key, page.first.numberMatched)
  return page
}
