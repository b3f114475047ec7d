import { join } from 'node:path'
import { invalid } from '../../core/errors/errors.ts'
import { geometryOfEsri } from './esri-geometry.ts'
import {
  checkCount,
  FeatureFile,
  isJson,
  type Json,
  parseJson,
  SeenIds,
  textOfValue,
} from './read-features.ts'
import type { ServiceData, ServiceReader, ServiceReadOptions } from './service.ts'
import { ServiceClient, serviceFailure } from './service-client.ts'

const usualPageSize = 1000

interface Field {
  name: string
  type: string
  /** Labels of coded values, by the value as text. */
  labels?: Map<string, unknown>
}

interface EsriLayer {
  url: URL
  fields: Field[]
  objectId: string
  pageSize: number
  wkid?: number
  /** Field with the edit time. */
  edited?: string
  messages: string[]
}

/**
 * Reads a layer of an ArcGIS feature service as documented in the ArcGIS REST API: pages by object id, dates as
 * ISO 8601, coded values with their labels in a column beside them.
 */
export const arcgisFeatureServer: ServiceReader = {
  kind: 'arcgis-featureserver',
  read: async (data, options) => {
    const client = new ServiceClient(data.location, options)
    await client.prepare()
    const file = await FeatureFile.create(join(options.folder, 'features.geojson'))
    try {
      const layer = await describe(client, data)
      const where = whereOf(layer, data, options.since)
      const stated = await countRows(client, layer, where)
      await file.frame(`{"type":"FeatureCollection",${crsMember(layer.wkid)}"features":[\n`)
      const newest = await readPages(client, file, layer, where, options)
      await file.frame(']}\n')
      checkCount(file.rows, stated)
      const after = await describe(client, data)
      if (JSON.stringify(after.fields.map(plain)) !== JSON.stringify(layer.fields.map(plain)))
        throw invalid('schema-changed', 'The attributes of the service changed while it was read')
      return { ...(await file.finish()), newest, messages: layer.messages }
    } finally {
      await file.close()
      client.close()
    }
  },
}

function plain({ name, type }: Field): string[] {
  return [name, type]
}

function crsMember(wkid: number | undefined): string {
  if (wkid === undefined || wkid === 4326) return ''
  const name =
    wkid === 102_100 ? 'urn:ogc:def:crs:EPSG::3857' : `urn:ogc:def:crs:${authorityOf(wkid)}::${wkid}`
  return `"crs":{"type":"name","properties":{"name":"${name}"}},`
}

/** Returns the authority of a code: codes of Esri are greater than those of EPSG. */
function authorityOf(wkid: number): string {
  return wkid >= 37_000 && (wkid < 38_000 || wkid > 53_000) ? 'ESRI' : 'EPSG'
}

/** Parses a response; errors have the status 200. */
function parseResponse(text: string, url: string): Json {
  const response = parseJson(text, url)
  const { error } = response
  if (!isJson(error)) return response
  const details = Array.isArray(error.details) ? error.details.join(' ') : ''
  throw serviceFailure(
    `The service answers error ${String(error.code)}: ${String(error.message)} ${details}`.trim(),
  )
}

async function describe(client: ServiceClient, { location, layer }: ServiceData): Promise<EsriLayer> {
  const base = location.replace(/[?#].*$/, '').replace(/\/+$/, '')
  const id = /^\d+$/.test(layer) ? layer : await findLayer(client, base, layer)
  const url = new URL(`${base}/${id}`)
  const about = new URL(`${url.href}?f=json`)
  const found = parseResponse(await client.describe(about), about.href)
  const fields = (Array.isArray(found.fields) ? found.fields : []).filter(isJson).map(toField)
  const objectId =
    typeof found.objectIdField === 'string'
      ? found.objectIdField
      : fields.find(({ type }) => type === 'esriFieldTypeOID')?.name
  if (objectId === undefined)
    throw serviceFailure(`Layer ${id} of the service has no object id, by which it is paged`)
  const size = Number(found.maxRecordCount)
  const edits = isJson(found.editFieldsInfo) ? found.editFieldsInfo.editDateField : undefined
  return {
    url,
    fields,
    objectId,
    pageSize: size >= 1 ? Math.min(size, usualPageSize) : usualPageSize,
    wkid: wkidOf(found),
    edited: typeof edits === 'string' && edits !== '' ? edits : undefined,
    messages: found.hasAttachments === true ? ['The attachments of the features are not read'] : [],
  }
}

async function findLayer(client: ServiceClient, base: string, name: string): Promise<number> {
  const url = new URL(`${base}?f=json`)
  const { layers } = parseResponse(await client.describe(url), url.href)
  const all = (Array.isArray(layers) ? layers : []).filter(isJson)
  const found = all.find((one) => one.name === name)
  if (typeof found?.id === 'number') return found.id
  const names = all.map((one) => `"${String(one.name)}"`).join(', ')
  throw invalid('unknown-layer', `The service has no layer "${name}": it has ${names || 'none'}`)
}

function toField({ name, type, domain }: Json): Field {
  const coded = isJson(domain) && Array.isArray(domain.codedValues) ? domain.codedValues.filter(isJson) : []
  const labels = new Map(coded.map((one) => [textOfValue(one.code), one.name]))
  return { name: String(name), type: String(type), labels: labels.size === 0 ? undefined : labels }
}

function wkidOf({ extent, sourceSpatialReference }: Json): number | undefined {
  const inExtent = isJson(extent) ? extent.spatialReference : undefined
  const reference = isJson(sourceSpatialReference) ? sourceSpatialReference : inExtent
  if (!isJson(reference)) return undefined
  const wkid = reference.latestWkid ?? reference.wkid
  return typeof wkid === 'number' ? wkid : undefined
}

function whereOf(layer: EsriLayer, { where, incremental }: ServiceData, since: string | undefined): string {
  const conditions = where === undefined ? [] : [`(${where})`]
  const field = incremental?.field ?? layer.edited
  if (incremental !== undefined && field === undefined)
    throw serviceFailure(
      'The service does not track edits: name the attribute with the edit time, or read all',
    )
  if (since !== undefined && field !== undefined)
    conditions.push(`${field} >= TIMESTAMP '${since.replace('T', ' ').slice(0, 19)}'`)
  return conditions.length === 0 ? '1=1' : conditions.join(' AND ')
}

function query({ url }: EsriLayer, parameters: Record<string, string>): URL {
  const found = new URL(`${url.href}/query`)
  for (const [name, value] of Object.entries({ ...parameters, f: 'json' }))
    if (value !== '') found.searchParams.set(name, value)
  return found
}

async function countRows(
  client: ServiceClient,
  layer: EsriLayer,
  where: string,
): Promise<number | undefined> {
  const url = query(layer, { where, returnCountOnly: 'true' })
  const { count } = parseResponse(await client.describe(url), url.href)
  return typeof count === 'number' ? count : undefined
}

/** Returns the greatest edit time. */
async function readPages(
  client: ServiceClient,
  file: FeatureFile,
  layer: EsriLayer,
  where: string,
  { onRows, since }: ServiceReadOptions,
): Promise<string | undefined> {
  const ids = new SeenIds()
  const { objectId, pageSize, wkid, edited } = layer
  let newest = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
  for (let last: number | undefined; ; ) {
    const after = last === undefined ? where : `(${where}) AND ${objectId} > ${last}`
    const page = await client.page(
      query(layer, {
        where: after,
        outFields: '*',
        orderByFields: `${objectId} ASC`,
        resultRecordCount: String(pageSize),
        returnGeometry: 'true',
        returnZ: 'true',
        returnTrueCurves: 'false',
        outSR: wkid === undefined ? '' : String(wkid),
      }),
    )
    const response = parseResponse(page.text, page.url)
    const features = (Array.isArray(response.features) ? response.features : []).filter(isJson)
    const lines: string[] = []
    for (const feature of features) {
      const attributes = isJson(feature.attributes) ? feature.attributes : {}
      const id = attributes[objectId]
      if (typeof id !== 'number')
        throw serviceFailure(`A feature of the service has no ${objectId}: ${page.url}`)
      if (last !== undefined && id <= last)
        throw invalid(
          'duplicate-features',
          `The service ignores paging by ${objectId}: it sends ${id} after ${last}`,
        )
      ids.add(String(id))
      last = id
      const time = edited === undefined ? undefined : attributes[edited]
      if (typeof time === 'number') newest = Math.max(newest, time)
      lines.push(JSON.stringify(toFeature(layer, feature, attributes)))
    }
    if (lines.length > 0) await file.add(`${file.rows === 0 ? '' : ',\n'}${lines.join(',\n')}`, lines.length)
    onRows?.(file.rows)
    const isMore = response.exceededTransferLimit === true || lines.length >= pageSize
    if (!isMore || lines.length === 0) break
  }
  return Number.isFinite(newest) ? new Date(newest).toISOString() : undefined
}

function toFeature(layer: EsriLayer, { geometry }: Json, attributes: Json): Json {
  const known = new Set(layer.fields.map(({ name }) => name))
  const other = Object.keys(attributes).find((name) => !known.has(name))
  if (other !== undefined)
    throw invalid('schema-changed', `The service sends an attribute "${other}" that it does not describe`)
  const properties: Json = {}
  for (const { name, type, labels } of layer.fields) {
    const value = attributes[name] ?? null
    properties[name] = type === 'esriFieldTypeDate' && typeof value === 'number' ? isoTime(value) : value
    if (labels !== undefined) properties[`${name}_label`] = labels.get(textOfValue(value)) ?? null
  }
  return { type: 'Feature', properties, geometry: isJson(geometry) ? geometryOfEsri(geometry) : null }
}

function isoTime(milliseconds: number): string | null {
  const time = new Date(milliseconds)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
