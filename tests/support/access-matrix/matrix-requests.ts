import type { Json } from '../importer-client.ts'
import type { MatrixLayer, MatrixRequest } from './expected-outcome.ts'
import type { MatrixIds } from './matrix-world.ts'
import { matrixLayers } from './matrix-world.ts'
import type { Need } from './operation-needs.ts'
import { needOf } from './operation-needs.ts'

/** A request of the matrix for one target. */
export interface SentRequest extends MatrixRequest {
  url: string
  /** The same request for a layer, workspace or id that does not exist. */
  absentUrl: string
  body?: string
  contentType?: string
  /** True if it removes its target: callers who may do that do not send it. */
  isDestructive?: boolean
  /** Ids or names that differ between both. */
  words: readonly [present: string, absent: string]
}

/** Names of the same length that nothing has. */
const absentName = (name: string): string => 'q'.repeat(name.length)

/** Values of parameters that name no layer, workspace or import. */
const values: Record<string, string> = {
  z: '0',
  x: '0',
  y: '0',
  j: '0',
  i: '0',
  style: 'point',
  styleId: 'point',
  version: '1',
  tileMatrixSetId: 'WebMercatorQuad',
  tileMatrixSet: 'EPSG:3857',
  tileMatrix: '0',
  tileRow: '0',
  tileCol: '0',
  featureId: '1',
  fileName: 'relief.tif',
  metric: 'request.count',
  taskId: '0',
  map: 'plan',
}

/** Bodies that pass the checks of rights, and change nothing. */
const bodies: [RegExp, string][] = [
  [/^POST \/rest\/imports$/, '{"import":5}'],
  [/^POST \/rest\/layers\/[^/]+\/exports$/, '{"export":{"format":"none"}}'],
]

type Targets = readonly MatrixLayer[]

const { trees, hidden, open, wells, relief, hiddenRelief } = matrixLayers
const vectors: Targets = [trees, hidden, open, wells]
const rasters: Targets = [relief, hiddenRelief]

/** Returns a path with its parameters; the given ones before the usual ones. */
function fill(path: string, given: Record<string, string>): string {
  return path.replaceAll(/\{([^}]*)\}/g, (_, name: string) =>
    encodeURIComponent(given[name] ?? values[name] ?? '999999'),
  )
}

function layerRequest(base: Pick<SentRequest, 'method' | 'path' | 'need'>, target: MatrixLayer): SentRequest {
  const absent = absentName(target.layer)
  const hasWorkspace = base.path.startsWith('/{workspace}')
  const named = (layer: string) => {
    const name = hasWorkspace ? layer : `${target.workspace}:${layer}`
    return { layer: name, collectionId: name, recordId: name, itemId: name, workspace: target.workspace }
  }
  return {
    ...base,
    target,
    namesPlace: !base.path.includes('{recordId}'),
    url: fill(base.path, named(target.layer)),
    absentUrl: fill(base.path, named(absent)),
    words: [target.layer, absent],
  }
}

function workspaceRequest(
  base: Pick<SentRequest, 'method' | 'path' | 'need'>,
  target: MatrixLayer,
): SentRequest {
  const { workspace } = target
  const absent = absentName(workspace)
  return {
    ...base,
    target,
    namesPlace: true,
    url: fill(base.path, { workspace }),
    absentUrl: fill(base.path, { workspace: absent }),
    words: [workspace, absent],
  }
}

function idRequest(
  base: Pick<SentRequest, 'method' | 'path' | 'need'>,
  target: MatrixLayer,
  parameter: string,
  id: string,
): SentRequest {
  const absent = (/^\d+$/.test(id) ? '9' : 'f').repeat(id.length)
  return {
    ...base,
    target,
    namesPlace: false,
    url: fill(base.path, { [parameter]: id }),
    absentUrl: fill(base.path, { [parameter]: absent }),
    words: [id, absent],
  }
}

function requestsOf(method: string, path: string, need: Need, ids: MatrixIds): SentRequest[] {
  const base = { method, path, need }
  if (/\{(layer|collectionId|recordId)\}/.test(path)) {
    const targets = /\/(granules|file|coverage|stac)\b/.test(path) ? rasters : vectors
    return targets.map((target) => layerRequest(base, target))
  }
  if (need.kind === 'layer-group') {
    const { workspace } = trees
    const placed = { ...base, path: path.replace('{workspace}', workspace) }
    const namesPlace = path.includes('{workspace}')
    return [{ ...idRequest(placed, trees, 'layergroup', 'grove'), namesPlace }]
  }
  if (path.includes('{workspace}')) return [trees, wells].map((target) => workspaceRequest(base, target))
  if (need.kind === 'this-import') {
    // Ids of tasks and files that do not exist, so that nothing is removed.
    const safe = method === 'GET' ? path : path.replaceAll('{taskId}', '99')
    if (path === '/rest/imports/{importId}' && method !== 'GET') return []
    return [
      idRequest({ ...base, path: safe }, trees, 'importId', String(ids.townImport)),
      idRequest({ ...base, path: safe }, wells, 'importId', String(ids.countyImport)),
    ]
  }
  if (need.kind === 'file') {
    const isDestructive = method === 'DELETE'
    return [
      { ...idRequest(base, trees, 'id', ids.treesFile), isDestructive },
      { ...idRequest(base, hidden, 'id', ids.hiddenFile), isDestructive },
    ]
  }
  if (path === '/rest/workspaces/default') {
    const target = { workspace: 'default', layer: '', isPublic: false }
    return [{ ...base, target, namesPlace: false, url: path, absentUrl: path, words: ['', ''] }]
  }
  const url = fill(path, {})
  return [{ ...base, target: trees, namesPlace: false, url, absentUrl: url, words: ['', ''] }]
}

/** Returns a request for each operation of an OpenAPI document, and operations that no line knows. */
export function operationRequests(
  document: Json,
  ids: MatrixIds,
): { requests: SentRequest[]; unknown: string[] } {
  const requests: SentRequest[] = []
  const unknown: string[] = []
  for (const [path, item] of Object.entries(document['paths'] ?? {}))
    for (const key of Object.keys(item)) {
      const method = key.toUpperCase()
      if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method)) continue
      const need = needOf(method, path)
      if (need === undefined) unknown.push(`${method} ${path}`)
      else requests.push(...requestsOf(method, path, need, ids).map(withBody))
    }
  return { requests, unknown }
}

function withBody(request: SentRequest): SentRequest {
  if (!['POST', 'PUT', 'PATCH'].includes(request.method)) return request
  const text = `${request.method} ${request.url}`
  const body = bodies.find(([pattern]) => pattern.test(text))?.[1] ?? '{}'
  return { ...request, body, contentType: 'application/json' }
}

const box = 'bbox=0,0,10,10&width=16&height=16&format=image/png'
/** Requests about a vector layer, without service and path. */
const vectorRequests: [service: string, query: string][] = [
  ['WMS', `version=1.3.0&request=GetMap&layers=NAME&styles=&crs=EPSG:4326&${box}`],
  ['WMS', `version=1.1.1&request=GetMap&layers=NAME&styles=&srs=EPSG:4326&${box}`],
  [
    'WMS',
    `version=1.3.0&request=GetFeatureInfo&layers=NAME&query_layers=NAME&styles=&crs=EPSG:4326&i=1&j=1&info_format=application/json&${box}`,
  ],
  ['WMS', 'version=1.3.0&request=GetLegendGraphic&layer=NAME&format=image/png'],
  ['WMS', 'version=1.1.1&request=DescribeLayer&layers=NAME'],
  ['WMS', 'version=1.1.1&request=GetStyles&layers=NAME'],
  ['WFS', 'version=2.0.0&request=GetFeature&typeNames=NAME'],
  ['WFS', 'version=1.1.0&request=GetFeature&typeName=NAME&outputFormat=application/json'],
  ['WFS', 'version=2.0.0&request=GetPropertyValue&typeNames=NAME&valueReference=name'],
  ['WFS', 'version=2.0.0&request=DescribeFeatureType&typeNames=NAME'],
  ['WFS', 'version=2.0.0&request=GetFeature&typeNames=NAME&resultType=hits'],
  [
    'WMTS',
    'version=1.0.0&request=GetTile&layer=NAME&style=&tilematrixset=EPSG:3857&tilematrix=0&tilerow=0&tilecol=0&format=image/png',
  ],
  [
    'WMTS',
    'version=1.0.0&request=GetFeatureInfo&layer=NAME&style=&tilematrixset=EPSG:3857&tilematrix=0&tilerow=0&tilecol=0&i=1&j=1&format=image/png&infoformat=application/json',
  ],
]
const rasterRequests: [service: string, query: string][] = [
  ['WMS', `version=1.3.0&request=GetMap&layers=NAME&styles=&crs=EPSG:4326&${box}`],
  ['WCS', 'version=2.0.1&request=DescribeCoverage&coverageId=COVERAGE'],
  ['WCS', 'version=2.0.1&request=GetCoverage&coverageId=COVERAGE&format=image/tiff'],
  ['WCS', 'version=1.0.0&request=DescribeCoverage&coverage=NAME'],
  ['WCS', 'version=1.1.1&request=DescribeCoverage&identifiers=NAME'],
]
const capabilities = ['WMS', 'WFS', 'WCS', 'WMTS']

function serviceRequest(service: string, query: string, target: MatrixLayer, root: string): SentRequest {
  const path = root === 'workspace' ? `/{workspace}/${service.toLowerCase()}` : `/${root}`
  const at = path.replace('{workspace}', target.workspace)
  const url = (layer: string): string => {
    const name = `${target.workspace}:${layer}`
    const filled = query.replaceAll('NAME', name).replaceAll('COVERAGE', name.replace(':', '__'))
    return `${at}?service=${service}&${filled}`
  }
  const absent = absentName(target.layer)
  return {
    method: 'GET',
    path,
    need: { kind: 'resource', on: 'layer', action: 'read', needsLogin: false },
    target,
    namesPlace: root === 'workspace',
    url: url(target.layer),
    absentUrl: url(absent),
    words: [target.layer, absent],
  }
}

function postedFeatures(target: MatrixLayer): SentRequest {
  const text = (name: string): string =>
    `<wfs:GetFeature service="WFS" version="2.0.0" xmlns:wfs="http://www.opengis.net/wfs/2.0"><wfs:Query typeNames="${target.workspace}:${name}"/></wfs:GetFeature>`
  const absent = absentName(target.layer)
  return {
    method: 'POST',
    path: '/wfs',
    need: { kind: 'resource', on: 'layer', action: 'read', needsLogin: false },
    target,
    namesPlace: false,
    url: '/wfs',
    absentUrl: '/wfs',
    body: text(target.layer),
    contentType: 'application/xml',
    words: [target.layer, absent],
  }
}

/** Returns the requests of the OGC services that name a layer, at each path of the services, and capabilities. */
export function serviceRequests(): SentRequest[] {
  const made: SentRequest[] = []
  for (const target of vectors)
    for (const [service, query] of vectorRequests)
      for (const root of [service.toLowerCase(), 'ows', 'workspace'])
        made.push(serviceRequest(service, query, target, root))
  for (const target of rasters)
    for (const [service, query] of rasterRequests)
      for (const root of [service.toLowerCase(), 'workspace'])
        made.push(serviceRequest(service, query, target, root))
  made.push(...vectors.map(postedFeatures))
  for (const service of capabilities)
    made.push({
      ...serviceRequest(service, 'request=GetCapabilities', trees, 'ows'),
      need: { kind: 'nothing', ignoresCredentials: false },
    })
  return made
}
