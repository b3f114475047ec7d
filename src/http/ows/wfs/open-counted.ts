import { defined } from '../../../lib/defined.ts'
import type { FeaturePageRequest } from '../../../stores/reading/feature-page-request.ts'
import { openPage, readingLess } from '../../ogc/page-stream.ts'
import type { OwsDeps } from '../ows-deps.ts'
import type { FeatureReading } from './feature-readings.ts'
import type { WfsRequest } from './wfs-deps.ts'

/** Maximum number of features in a response. */
export const mostFeatures = 1_000_000

/** Opens a page whose features are not counted again where their number is known. */
export async function openCounted(
  { catalog, features: { counts } }: OwsDeps,
  { signal }: WfsRequest,
  { layer }: FeatureReading,
  wish: FeaturePageRequest,
) {
  const store = await catalog.layers.openStoreOf(layer)
  const key = await counts.keyOf(store, layer, wish)
  const less = readingLess({ ...wish, ...defined({ numberMatched: counts.find(key) }) })
  const isSettled = (): Promise<boolean> => catalog.layers.isSettled(layer)
  const page = await openPage(store, less, isSettled, signal)
  if (page.isSure) counts.keep(key, page.first.numberMatched)
  return page
}
