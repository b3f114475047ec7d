import { escapeXml } from '../../../../core/text/escape.ts'
import { gmlNamespaces } from '../../../../formats/writing/index.ts'
import { keepPrivately } from '../../../caching.ts'
import type { KeyValues } from '../../key-values.ts'
import type { OwsCatalog } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import { findTypeOfId } from '../feature-types.ts'
import { toLayerQueries, toPageRequest } from '../layer-query.ts'
import { readOutputFormat } from '../output-formats.ts'
import { namespacesOf } from '../service-links.ts'
import type { FeatureRequest, WfsRequest } from '../wfs-request.ts'
import { wordsOfVersion } from '../wfs-version.ts'

const byId = 'urn:ogc:def:query:OGC-WFS::GetFeatureById'
/** Names that clients use for it. */
const names = [
  byId,
  'http://www.opengis.net/def/query/OGC-WFS/0/GetFeatureById',
  'GetFeatureById',
  // Name in GeoServer before 2.2.
  'urn:ogc:def:storedQuery:OGC-WFS::GetFeatureById',
]

function isById(name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase())
}

function requireKnown(name: string, locator: string): void {
  if (isById(name)) return
  throw new OwsFailure(
    'InvalidParameterValue',
    `There is no stored query "${name.slice(0, 200)}": ${byId} is the only one`,
    locator,
  )
}

const { wfs, wfsLocation } = wordsOfVersion['2.0.0']
const namespaces = `xmlns:wfs="${wfs}" xmlns:gml="${gmlNamespaces['3.2']}" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${wfs} ${wfsLocation}"`
const title = '<wfs:Title>Feature by its id</wfs:Title>'

async function sendXml({ reply }: WfsRequest, text: string): Promise<unknown> {
  reply.header('content-type', 'application/xml; charset=utf-8')
  return reply.send(`<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`)
}

/** The stored queries (OGC 09-025r2, section 14.3). */
export function listStoredQueries(_: unknown, wfsRequest: WfsRequest): Promise<unknown> {
  const query = `<wfs:StoredQuery id="${byId}">${title}<wfs:ReturnFeatureType>gml:AbstractFeature</wfs:ReturnFeatureType></wfs:StoredQuery>`
  return sendXml(
    wfsRequest,
    `<wfs:ListStoredQueriesResponse ${namespaces}>${query}</wfs:ListStoredQueriesResponse>`,
  )
}

/** Describes parameters and results of the stored queries (OGC 09-025r2, section 14.4). */
export async function describeStoredQueries(_: unknown, wfsRequest: WfsRequest): Promise<unknown> {
  for (const name of wfsRequest.values.list('storedquery_id')) requireKnown(name, 'storedquery_id')
  const query = [
    `<wfs:StoredQueryDescription id="${byId}">${title}`,
    '<wfs:Abstract>One feature, as the only element of the answer.</wfs:Abstract>',
    '<wfs:Parameter name="ID" type="xs:string"><wfs:Title>The gml:id of the feature</wfs:Title></wfs:Parameter>',
    '<wfs:QueryExpressionText isPrivate="true" language="urn:ogc:def:queryLanguage:OGC-WFS::WFS_QueryExpression" returnFeatureTypes="gml:AbstractFeature"/>',
    '</wfs:StoredQueryDescription>',
  ].join('')
  return sendXml(
    wfsRequest,
    `<wfs:DescribeStoredQueriesResponse ${namespaces}>${query}</wfs:DescribeStoredQueriesResponse>`,
  )
}

/** Returns the id that a stored query requests; undefined if there is none. */
export function storedId(wfsRequest: WfsRequest): string | undefined {
  const name = wfsRequest.values.find('storedquery_id')
  if (name === undefined) return undefined
  requireKnown(name, 'storedquery_id')
  return wfsRequest.values.require('id')
}

/** Returns the GetFeature request of GetFeatureById. */
export function byIdRequest(values: KeyValues, id: string): FeatureRequest {
  const srsName = values.find('srsname')
  const query = { typeName: '', properties: undefined, sort: [], filter: undefined, bbox: undefined }
  return {
    resultType: 'results',
    count: undefined,
    startIndex: 0,
    position: undefined,
    outputFormat: values.find('outputformat'),
    queries: [{ ...query, ids: [id], srsName }],
  }
}

/** Sends one feature by its id: in GML without a collection (OGC 09-025r2, section 7.9.3.6). */
export async function sendById(
  catalog: OwsCatalog,
  wfsRequest: WfsRequest,
  id: string,
  sendFeatures: (featureRequest: FeatureRequest) => Promise<unknown>,
): Promise<unknown> {
  const { values, reply, version, signal } = wfsRequest
  const { name: output, mediaType } = readOutputFormat(values.find('outputformat'), version)
  if ((await findTypeOfId(catalog, wfsRequest, id)) === undefined) throw unknownFeature(id)
  const featureRequest = byIdRequest(values, id)
  if (output !== 'gml32' && output !== 'gml31') return sendFeatures(featureRequest)
  const [query] = await toLayerQueries(catalog, wfsRequest, featureRequest)
  if (query === undefined) throw unknownFeature(id)
  const store = await catalog.layers.openStoreOf(query.layer)
  const request = toPageRequest(wfsRequest, query, { output, limit: 1, offset: 0 })
  const parts = await Array.fromAsync(store.writePage({ ...request, numberMatched: 1 }, signal))
  if (parts.at(-1)?.numberReturned !== 1) throw unknownFeature(id)
  keepPrivately(reply)
  reply.header('content-type', mediaType)
  const member = Buffer.concat(parts.map(({ bytes }) => bytes)).toString('utf8')
  const { prefixes, locations } = namespacesOf(wfsRequest, [query.layer], output)
  const own = [...prefixes].map(([prefix, namespace]) => ` xmlns:${prefix}="${escapeXml(namespace)}"`)
  const gml = gmlNamespaces[output === 'gml32' ? '3.2' : '3.1']
  const attributes = `${own.join('')} xmlns:gml="${gml}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${escapeXml(locations.join(' '))}"`
  return reply.send(`<?xml version="1.0" encoding="UTF-8"?>\n${asRoot(member, attributes)}\n`)
}

/** Returns the feature of a member as the root of a document. */
function asRoot(member: string, attributes: string): string {
  const start = member.indexOf('<', 1)
  const end = member.lastIndexOf('</')
  const nameEnd = member.indexOf(' ', start)
  return `${member.slice(start, nameEnd)}${attributes}${member.slice(nameEnd, end)}`
}

function unknownFeature(id: string): OwsFailure {
  return new OwsFailure(
    'NotFound',
    `Feature "${id.slice(0, 200)}" does not exist, or needs a login`,
    'id',
    404,
  )
}
