import type { FeaturesOfLayer, GrantedLock, LayerRecord } from '../../../../catalog/index.ts'
import { Failure } from '../../../../core/errors/errors.ts'
import { escapeXml } from '../../../../core/text/escape.ts'
import { gmlId } from '../../../../formats/writing/index.ts'
import type { FastifyRequest } from '../../../app-types.ts'
import { forbidden, loginNeeded } from '../../../app-types.ts'
import { keepPrivately } from '../../../caching.ts'
import type { OwsCatalog, OwsDeps } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import type { RequestDocuments } from '../../request-documents.ts'
import { getFeature } from '../get-feature.ts'
import { readFeatureRequest } from '../kvp-feature-request.ts'
import type { LayerQuery } from '../layer-query.ts'
import { toLayerQueries } from '../layer-query.ts'
import type { FeatureRequest, WfsRequest } from '../wfs-request.ts'
import { wordsOfVersion } from '../wfs-version.ts'
import { readIds } from './matching-ids.ts'

type LockDeps = Pick<OwsDeps, 'catalog' | 'documents' | 'edits' | 'features'>

const longestSeconds = 86_400

/** Throws `OwsFailure` unless a lock of the caller is valid (OGC 09-025r2, table 3). */
export async function requireLock(
  { featureLocks }: Pick<OwsCatalog, 'featureLocks'>,
  { caller }: FastifyRequest,
  lockId: string,
): Promise<void> {
  const state = await featureLocks.stateOf(lockId, caller.name ?? '')
  if (state === 'valid') return
  const shown = lockId.slice(0, 100)
  if (state === 'expired')
    throw new OwsFailure(
      'LockHasExpired',
      `The lock "${shown}" has expired: lock the features again`,
      'lockId',
      403,
    )
  throw new OwsFailure('InvalidLockId', `"${shown}" is the id of no lock of yours`, 'lockId')
}

/** Locks features (OGC 09-025r2, section 12; 04-094, section 11). */
export async function lockFeature(deps: LockDeps, wfsRequest: WfsRequest): Promise<unknown> {
  const { reply } = wfsRequest
  const featureRequest = await readRequest(deps.documents, wfsRequest, 'LockFeature')
  const { queries, granted } = await grant(deps, wfsRequest, featureRequest)
  keepPrivately(reply)
  const type = wfsRequest.version === '2.0.0' ? 'application/xml' : 'text/xml'
  reply.header('content-type', `${type}; charset=utf-8`)
  return reply.send(lockResponse(wfsRequest, queries, granted))
}

/** Sends features, and locks those that it sends (OGC 09-025r2, section 13; 04-094, section 10). */
export async function getFeatureWithLock(deps: LockDeps, wfsRequest: WfsRequest): Promise<unknown> {
  const featureRequest = await readRequest(deps.documents, wfsRequest, 'GetFeatureWithLock')
  if (featureRequest.resultType === 'hits')
    throw new OwsFailure(
      'InvalidParameterValue',
      'GetFeatureWithLock returns the locked features: leave out resultType, or set it to results',
      'resultType',
    )
  const format = featureRequest.outputFormat
  if (format !== undefined && !/gml|^(?:text|application)\/xml$/i.test(format))
    throw new OwsFailure(
      'InvalidParameterValue',
      'Only GML has a place for the id of a lock: request another outputFormat by GetFeature',
      'outputFormat',
    )
  const { queries, granted } = await grant(deps, wfsRequest, featureRequest)
  const locked = featureRequest.queries.map((query, at) => {
    const layer = queries[at]?.layer
    const { featureIds = [] } = granted.locked[at] ?? {}
    return {
      ...query,
      filter: undefined,
      bbox: undefined,
      ids: idsInDocuments(queries[at], layer, featureIds),
    }
  })
  const features: FeatureRequest = { ...featureRequest, count: undefined, startIndex: 0, queries: locked }
  return getFeature(deps, { ...wfsRequest, features, lockId: granted.lockId })
}

function idsInDocuments(
  query: LayerQuery | undefined,
  layer: LayerRecord | undefined,
  ids: readonly string[],
): string[] {
  return ids.map((id) => gmlId(query?.idPrefix ?? layer?.name ?? '', id))
}

async function readRequest(
  documents: RequestDocuments,
  { request, values, features }: WfsRequest,
  operation: string,
): Promise<FeatureRequest> {
  if (request.caller.role === 'anonymous') throw loginNeeded()
  if (request.method !== 'POST')
    throw new OwsFailure(
      'OperationNotSupported',
      `${operation} is sent by POST, as XML or as a form`,
      'request',
    )
  const found = features ?? (await readFeatureRequest(values, documents))
  if (found.queries.length > 0) return found
  throw new OwsFailure('MissingParameterValue', `${operation} names no type`, 'typenames')
}

async function grant(
  deps: LockDeps,
  wfsRequest: WfsRequest,
  featureRequest: FeatureRequest,
): Promise<{ queries: LayerQuery[]; granted: GrantedLock }> {
  const { request, signal } = wfsRequest
  const seconds = readExpiry(wfsRequest)
  const isAllOrNone = readLockAction(wfsRequest) === 'ALL'
  const queries = await toLayerQueries(deps.catalog, wfsRequest, featureRequest)
  for (const { layer } of queries) await requireLockable(deps.edits, request, layer)
  const layers = [...new Map(queries.map(({ layer }) => [layer.id, layer])).values()]
  const granted = await deps.edits.hold(layers, signal, async () => {
    const features = await featuresOf(deps, wfsRequest, queries, featureRequest)
    return deps.catalog.featureLocks.lock({ user: request.caller.name ?? '', seconds, features, isAllOrNone })
  })
  if (granted.lockId === undefined) throw cannotLockAll(queries, granted)
  return { queries, granted }
}

/** Returns the features of the queries, each once. */
async function featuresOf(
  deps: LockDeps,
  wfsRequest: WfsRequest,
  queries: readonly LayerQuery[],
  { count, startIndex }: FeatureRequest,
): Promise<FeaturesOfLayer[]> {
  const taken = new Set<string>()
  const features: FeaturesOfLayer[] = []
  for (const query of queries) {
    const found = await readIds(deps, wfsRequest, query, { count, startIndex })
    const { id: layerId } = query.layer
    const featureIds = found.filter((id) => !taken.has(`${layerId} ${id}`))
    for (const id of featureIds) taken.add(`${layerId} ${id}`)
    features.push({ layerId, featureIds })
  }
  return features
}

function cannotLockAll(queries: readonly LayerQuery[], { notLocked }: GrantedLock): OwsFailure {
  const names = notLocked.flatMap(({ featureIds }, at) =>
    idsInDocuments(queries[at], queries[at]?.layer, featureIds),
  )
  const shown = names.slice(0, 5).join(', ')
  const more = names.length > 5 ? ` and ${names.length - 5} more` : ''
  return new OwsFailure(
    'CannotLockAllFeatures',
    `No feature was locked, since others hold locks of ${shown}${more}: try again later, or set lockAction to SOME`,
    'lockAction',
  )
}

async function requireLockable(
  edits: OwsDeps['edits'],
  request: FastifyRequest,
  layer: LayerRecord,
): Promise<void> {
  const name = `${layer.workspace}:${layer.name}`
  if (!(await request.rights()).can('edit', layer)) throw forbidden(request.caller, 'edit', `layer "${name}"`)
  const why = await edits.whyNot(layer)
  if (why === undefined) return
  throw new Failure('notAllowed', 'layer-not-editable', `The features of "${name}" cannot be changed: ${why}`)
}

/** In seconds; WFS 1.1 has minutes. */
function readExpiry({ values, version }: WfsRequest): number {
  const text = values.find('expiry')
  if (text === undefined) return 300
  const unit = version === '2.0.0' ? 1 : 60
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) * unit : 0
  if (seconds >= 1 && seconds <= longestSeconds) return seconds
  throw new OwsFailure(
    'InvalidParameterValue',
    `expiry "${text.slice(0, 60)}" is not a whole number from 1 to ${longestSeconds / unit} ${unit === 1 ? 'seconds' : 'minutes'}`,
    'expiry',
  )
}

function readLockAction({ values }: WfsRequest): 'ALL' | 'SOME' {
  const text = values.find('lockaction') ?? 'ALL'
  if (text === 'ALL' || text === 'SOME') return text
  throw new OwsFailure(
    'InvalidParameterValue',
    `lockAction "${text.slice(0, 60)}" is neither ALL nor SOME`,
    'lockAction',
  )
}

/** Schema of the responses of WFS 1.0 to locks and transactions. */
const olderLocation = 'http://schemas.opengis.net/wfs/1.0.0/WFS-transaction.xsd'
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

function lockResponse(
  { version }: WfsRequest,
  queries: readonly LayerQuery[],
  { lockId = '', locked, notLocked }: GrantedLock,
): string {
  const { wfs, wfsLocation } = wordsOfVersion[version]
  const isNewer = version === '2.0.0'
  const filter = isNewer
    ? 'xmlns:fes="http://www.opengis.net/fes/2.0"'
    : 'xmlns:ogc="http://www.opengis.net/ogc"'
  const list = (name: string, parts: readonly FeaturesOfLayer[]): string => {
    const ids = parts.flatMap(({ featureIds }, at) =>
      idsInDocuments(queries[at], queries[at]?.layer, featureIds),
    )
    const texts = ids.map((id) =>
      isNewer ? `<fes:ResourceId rid="${escapeXml(id)}"/>` : `<ogc:FeatureId fid="${escapeXml(id)}"/>`,
    )
    return texts.length === 0 ? '' : `<wfs:${name}>${texts.join('')}</wfs:${name}>`
  }
  const name = version === '1.0.0' ? 'WFS_LockFeatureResponse' : 'LockFeatureResponse'
  const location = version === '1.0.0' ? olderLocation : wfsLocation
  return [
    `<?xml version="1.0" encoding="UTF-8"?>\n<wfs:${name} xmlns:wfs="${wfs}" ${filter} ${xsi} xsi:schemaLocation="${wfs} ${location}"`,
    isNewer ? ` lockId="${escapeXml(lockId)}">` : `><wfs:LockId>${escapeXml(lockId)}</wfs:LockId>`,
    list('FeaturesLocked', locked),
    list('FeaturesNotLocked', notLocked),
    `</wfs:${name}>\n`,
  ].join('')
}
