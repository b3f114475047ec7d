import type { TestApp } from './app.ts'
import type { Answer, Json } from './importer-client.ts'

/** A request about features, as a client of OGC API sends it. */
export interface FeatureRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** `<workspace>:<layer>`. */
  layer: string
  id?: string | number
  body?: unknown
  headers?: Record<string, string>
  query?: string
}

/** Returns the path of the features of a layer, or of one feature. */
function featurePath({ layer, id, query = '' }: Pick<FeatureRequest, 'layer' | 'id' | 'query'>): string {
  const one = id === undefined ? '' : `/${encodeURIComponent(id)}`
  return `/ogc/collections/${encodeURIComponent(layer)}/items${one}${query}`
}

/** Sends a request as an administrator, unless headers say otherwise. Texts are sent unchanged. */
export async function askFeature(server: TestApp, request: FeatureRequest): Promise<Answer> {
  const { method, body, headers = {} } = request
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/geo+json'
  const reply = await server.app.inject({
    method,
    url: featurePath(request),
    headers: { ...server.admin, ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const isJson = /json/.test(String(reply.headers['content-type']))
  return {
    status: reply.statusCode,
    headers: reply.headers,
    json: (isJson && reply.body !== '' ? JSON.parse(reply.body) : {}) as Json,
    text: reply.body,
  }
}

/** A point as GeoJSON. */
export function pointFeature(properties: object, coordinates: number[] | null = [1, 2]): object {
  const geometry = coordinates === null ? null : { type: 'Point', coordinates }
  return { type: 'Feature', geometry, properties }
}
