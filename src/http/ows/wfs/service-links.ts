import type { FastifyRequest } from '../../app-types.ts'
import { tokenForLinks } from '../../url-token.ts'
import { typeNameOf } from './type-names.ts'
import type { WfsRequest } from './wfs-parts.ts'

/** The address of the service, without a question. */
export function serviceUrl({ request, workspace }: Pick<WfsRequest, 'request' | 'workspace'>): string {
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
  return `${serviceUrl({ request, workspace })}?${withToken(request, query)}`
}

/** The request again, with other values for some of its parameters; undefined: without it. */
export function sameUrl(asked: WfsRequest, changed: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  const names = Object.keys(changed).map((name) => name.toLowerCase())
  for (const [name, value] of asked.values.entries()) if (!names.includes(name)) query.append(name, value)
  for (const [name, value] of Object.entries(changed)) if (value !== undefined) query.set(name, value)
  return `${serviceUrl(asked)}?${query.toString()}`
}
