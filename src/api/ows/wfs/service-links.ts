import type { LayerRecord } from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { tokenForLinks } from '../../url-token.ts'
import { namespaceOf } from '../../workspace-namespace.ts'
import { namespacePrefix, typeNameOf } from '../type-names.ts'
import type { MemberNamespaces } from './collection-frame.ts'
import type { GmlOutput } from './layer-query.ts'
import type { WfsRequest } from './wfs-request.ts'

/** The address of the service, without a question. */
export function wfsUrl({ request, workspace }: Pick<WfsRequest, 'request' | 'workspace'>): string {
  return request.link(workspace === undefined ? '/wfs' : `/${encodeURIComponent(workspace)}/wfs`)
}

function withToken(request: FastifyRequest, query: URLSearchParams): string {
  const token = tokenForLinks(request)
  return token === '' ? query.toString() : `${query.toString()}&${token}`
}

/** The address of the description of feature types. */
export function describeUrl(
  { request, version, workspace }: Pick<WfsRequest, 'request' | 'version' | 'workspace'>,
  layers: readonly { workspace: string; name: string }[],
): string {
  const query = new URLSearchParams({ service: 'WFS', version, request: 'DescribeFeatureType' })
  query.set(version === '2.0.0' ? 'typeNames' : 'typeName', layers.map(typeNameOf).join(','))
  return `${wfsUrl({ request, workspace })}?${withToken(request, query)}`
}

/** Versions of WFS whose collections have the features of each GML. */
const versionOfGml = { gml32: '2.0.0', gml31: '1.1.0', gml21: '1.0.0' } as const

/**
 * Returns the namespaces of layers in a document of GML 3.2, used in collections of WFS 2.0, or 3.1, used in
 * those of 1.1.
 */
export function namespacesOf(
  wfsRequest: WfsRequest,
  layers: readonly LayerRecord[],
  output: GmlOutput,
): MemberNamespaces {
  const { request } = wfsRequest
  const version = versionOfGml[output]
  const prefixes = new Map(
    layers.map(({ workspace }) => [namespacePrefix(workspace), namespaceOf(request, workspace)] as const),
  )
  const locations = [...Map.groupBy(layers, ({ workspace }) => workspace)].flatMap(([workspace, types]) => [
    namespaceOf(request, workspace),
    describeUrl({ ...wfsRequest, version }, types),
  ])
  return { version, prefixes, locations }
}

interface PagePlace {
  startIndex: number
  count: number
  position: string | undefined
}

/** The address of another page of the same. */
export function pageUrl(request: WfsRequest, { startIndex, count, position }: PagePlace): string {
  const [counted, other] = request.version === '2.0.0' ? ['count', 'maxfeatures'] : ['maxfeatures', 'count']
  const place = { startindex: String(startIndex), [counted]: String(count), [other]: undefined, position }
  return sameUrl(request, place)
}

/** Returns the URL of the results of a request for their number. */
export function resultsUrl(request: WfsRequest): string {
  return sameUrl(request, { resulttype: undefined })
}

/** The request again, with other values for some of its parameters; undefined: without it. */
function sameUrl(request: WfsRequest, changed: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  const names = Object.keys(changed).map((name) => name.toLowerCase())
  for (const [name, value] of request.values.entries()) if (!names.includes(name)) query.append(name, value)
  for (const [name, value] of Object.entries(changed)) if (value !== undefined) query.set(name, value)
  return `${wfsUrl(request)}?${query.toString()}`
}
