import type { LayerRecord } from '../../../../catalog/index.ts'
import type { XmlElement } from '../../../../core/text/xml-tree.ts'
import { readFes } from '../../fes/read-fes.ts'
import type { OwsDeps } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import { findFeatureId } from '../../type-names.ts'
import type { LayerQuery } from '../layer-query.ts'
import { toLayerQuery, toPageRequest } from '../layer-query.ts'
import type { WfsRequest } from '../wfs-request.ts'

type MatchDeps = Pick<OwsDeps, 'catalog' | 'documents'>

/** Returns the filter of an action. */
export function filterOf({ children }: XmlElement): XmlElement | undefined {
  return children.find(({ name }) => name === 'Filter')
}

/** Returns the ids of the features of a layer that match the filter of an action; without a filter of all. */
export async function idsMatchingFilter(
  { catalog, documents }: MatchDeps,
  wfsRequest: WfsRequest,
  layer: LayerRecord,
  { filter, locator }: { filter: XmlElement | undefined; locator: string },
): Promise<string[]> {
  const written =
    filter === undefined ? {} : readFes(filter, documents, { isPlain: wfsRequest.version === '1.0.0' })
  const strange = written.ids?.find((id) => findFeatureId(layer, id) === undefined)
  if (strange !== undefined)
    throw new OwsFailure(
      'InvalidParameterValue',
      `"${strange.slice(0, 200)}" is the id of no feature of "${layer.workspace}:${layer.name}"`,
      locator,
    )
  const query = await toLayerQuery(catalog, wfsRequest, layer, {
    typeName: layer.name,
    properties: undefined,
    srsName: undefined,
    sort: [],
    filter: written.filter,
    bbox: undefined,
    ids: written.ids,
  })
  return readIds({ catalog }, wfsRequest, query)
}

/** Returns the ids of the features of a query. Throws `OwsFailure` if they are more than a request may change. */
export async function readIds(
  { catalog }: Pick<OwsDeps, 'catalog'>,
  wfsRequest: WfsRequest,
  query: LayerQuery,
  { count = maxEditedFeatures + 1, startIndex = 0 }: { count?: number; startIndex?: number } = {},
): Promise<string[]> {
  const store = await catalog.layers.openStoreOf(query.layer)
  const selection = { attributes: [], hasGeometry: false }
  const limit = Math.min(count, maxEditedFeatures + 1)
  const request = toPageRequest(
    wfsRequest,
    { ...query, idPrefix: undefined, rows: { ...query.rows, selection } },
    { output: 'values', limit, offset: startIndex },
  )
  const texts: Uint8Array[] = []
  for await (const { bytes } of store.writePage({ ...request, numberMatched: limit }, wfsRequest.signal))
    texts.push(bytes)
  const ids: string[] = []
  for (const [, key = ''] of Buffer.concat(texts)
    .toString('utf8')
    .matchAll(/<wfs:member>([^<]*)<\/wfs:member>/g)) {
    const id = findFeatureId(query.layer, key)
    if (id !== undefined) ids.push(id)
  }
  requireFew(ids.length)
  return ids
}

/** Maximum number of features that one request changes or locks. */
const maxEditedFeatures = 2000

/** Throws `OwsFailure` if a request changes or locks too many features. */
export function requireFew(count: number): void {
  if (count <= maxEditedFeatures) return
  throw new OwsFailure(
    'OperationNotSupported',
    `One request changes or locks at most ${maxEditedFeatures} features: send several requests`,
    'Transaction',
  )
}
