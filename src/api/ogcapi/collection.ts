import type { LayerRecord } from '../../catalog/index.ts'
import { writtenFormats } from '../../formats/writing/index.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { reprojectEnvelope } from '../../geo/reproject-envelope.ts'
import type { Attribute } from '../../geo/schema.ts'
import { timeAttribute } from '../../geo/schema.ts'
import type { ColumnValues, TimeBounds } from '../../stores/index.ts'
import type { FastifyRequest } from '../app-types.ts'
import { crs84Uri, toCrsUri } from '../crs-uris.ts'
import { doiLinks } from '../doi.ts'
import { layerSegment } from '../tiles/named-layers.ts'
import { isSortable } from './property-names.ts'
import type { ItemLink } from './representations.ts'

/** The calendar of times. */
export const gregorian = 'http://www.opengis.net/def/uom/ISO-8601/0/Gregorian'

export function collectionId(layer: LayerRecord): string {
  return `${layer.workspace}:${layer.name}`
}

/**
 * Link to the properties that a filter of a layer may use (OGC 19-079r2, `/req/queryables/queryables-link`).
 */
export function queryablesLink(request: FastifyRequest, layer: LayerRecord): ItemLink {
  return {
    rel: 'http://www.opengis.net/def/rel/ogc/1.0/queryables',
    type: 'application/schema+json',
    title: 'Queryables',
    href: request.link(`/ogc/collections/${encodeURIComponent(collectionId(layer))}/queryables`),
  }
}

/** CRSs that a collection can be read in, its storage CRS first after CRS84. */
export function supportedCrs(layer: LayerRecord): string[] {
  const { srs, schema } = layer.details
  if (schema.geometry === undefined || srs === undefined) return [crs84Uri]
  const uris = [crs84Uri, toCrsUri(srs), toCrsUri('EPSG:4326'), toCrsUri('EPSG:3857')]
  return [...new Set(uris)]
}

/** Bounds of a layer in longitude and latitude, undefined where they are not known. */
async function geographicBounds(layer: LayerRecord): Promise<Envelope | undefined> {
  const { envelope, srs, crs } = layer.details
  if (envelope === undefined || (srs === undefined && crs === undefined)) return undefined
  const reprojector = await createReprojector(srs ?? crs ?? {}, 'EPSG:4326').catch(() => undefined)
  try {
    return reprojector === undefined ? undefined : await reprojectEnvelope(reprojector, envelope)
  } finally {
    await reprojector?.close()
  }
}

/** Returns the spatial extent of a layer. */
export async function toExtent(layer: LayerRecord): Promise<object> {
  const bounds = await geographicBounds(layer)
  if (bounds === undefined) return {}
  const { minX, minY, maxX, maxY } = bounds
  return { spatial: { bbox: [[minX, minY, maxX, maxY]], crs: crs84Uri } }
}

/**
 * Returns the temporal extent of a layer's features (OGC 17-069r4, section 7.14.2); a date is the whole day.
 */
function toTemporal(times: TimeBounds | undefined): object {
  if (times === undefined) return {}
  const { from, to } = times
  const interval = [
    from.includes('T') ? from : `${from}T00:00:00Z`,
    to.includes('T') ? to : `${to}T23:59:59Z`,
  ]
  return { temporal: { interval: [interval], trs: gregorian } }
}

/** A layer as a collection (OGC 17-069r4, section 7.14; CRSs by 18-058r1, section 6). */
export async function toCollection(
  request: FastifyRequest,
  layer: LayerRecord,
  times?: TimeBounds,
): Promise<object> {
  const id = collectionId(layer)
  const path = `/ogc/collections/${encodeURIComponent(id)}`
  const { title, abstract, schema, srs, crs } = layer.details
  const links = [
    { rel: 'self', type: 'application/json', title: 'This collection', href: request.link(path) },
    { rel: 'items', type: 'application/geo+json', title: 'Features', href: request.link(`${path}/items`) },
    ...Object.entries(writtenFormats).map(([name, { mediaType, title: format }]) => ({
      rel: 'items',
      type: mediaType.split(';', 1).join(),
      title: `Features as ${format}`,
      href: request.link(`${path}/items?f=${name}`),
    })),
    {
      rel: 'describedby',
      type: 'application/schema+json',
      title: 'Schema',
      href: request.link(`${path}/schema`),
    },
    queryablesLink(request, layer),
    {
      rel: 'http://www.opengis.net/def/rel/ogc/1.0/sortables',
      type: 'application/schema+json',
      title: 'Sortables',
      href: request.link(`${path}/sortables`),
    },
    {
      rel: 'http://www.opengis.net/def/rel/ogc/1.0/schema',
      type: 'application/schema+json',
      title: 'Schema',
      href: request.link(`${path}/schema`),
    },
    ...doiLinks(layer.details),
  ]
  return {
    id,
    title,
    description: abstract,
    itemType: 'feature',
    extent: { ...(await toExtent(layer)), ...toTemporal(times) },
    crs: supportedCrs(layer),
    storageCrs: schema.geometry === undefined || srs === undefined ? undefined : toCrsUri(srs),
    links:
      schema.geometry === undefined || (srs ?? crs) === undefined
        ? links
        : [...links, tilesLink(request, path), styleLink(request, layer), stylesLink(request, path)],
  }
}

/** Link to the style: a complete MapLibre style with its tiles. */
function styleLink(request: FastifyRequest, layer: LayerRecord): object {
  const href = request.link(`/tiles/${layerSegment(layer)}/style.json`)
  return { rel: 'stylesheet', type: 'application/json', title: 'MapLibre style', href }
}

/** Link to the styles in which the layer is offered (draft OGC 20-009). */
function stylesLink(request: FastifyRequest, path: string): object {
  const rel = 'http://www.opengis.net/def/rel/ogc/1.0/styles'
  return { rel, type: 'application/json', title: 'Styles', href: request.link(`${path}/styles`) }
}

/** Link to its vector tilesets (OGC 20-057, section 11). */
function tilesLink(request: FastifyRequest, path: string): object {
  const rel = 'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector'
  return { rel, type: 'application/json', title: 'Vector tiles', href: request.link(`${path}/tiles`) }
}

const jsonTypes: Record<Attribute['type'], object> = {
  boolean: { type: 'boolean' },
  int16: { type: 'integer' },
  int32: { type: 'integer' },
  int64: { type: 'integer', format: 'int64' },
  float32: { type: 'number' },
  float64: { type: 'number' },
  decimal: { type: 'number' },
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'time' },
  timestamp: { type: 'string', format: 'date-time' },
  binary: { type: 'string', contentEncoding: 'base64' },
}

/** Returns the JSON Schema of a type. */
export function jsonTypeOf(type: Attribute['type']): object {
  return jsonTypes[type]
}

/** The JSON Schema of a collection's features (OGC 23-058r2, sections 7 and 8). */
export function toJsonSchema(request: FastifyRequest, layer: LayerRecord) {
  const { schema, title } = layer.details
  const instant = timeAttribute(layer.details.schema)
  const properties: [string, object][] = schema.attributes.map((attribute, index) => [
    attribute.name,
    {
      title: attribute.title ?? attribute.name,
      ...jsonTypes[attribute.type],
      maxLength: attribute.maxLength,
      'x-ogc-role': attribute === instant ? 'primary-instant' : undefined,
      'x-ogc-propertySeq': index + 1,
    },
  ])
  if (schema.geometry !== undefined) {
    const { name, type } = schema.geometry
    const format = `geometry-${type === 'Geometry' ? 'any' : type.toLowerCase()}`
    const sequence = schema.attributes.length + 1
    properties.push([
      name,
      { title: name, format, 'x-ogc-role': 'primary-geometry', 'x-ogc-propertySeq': sequence },
    ])
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: request.link(`/ogc/collections/${encodeURIComponent(collectionId(layer))}/schema`),
    title,
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, unknown>,
    // Features with other properties are refused (OGC 20-002, /req/features/schema).
    additionalProperties: false,
  }
}

/**
 * Returns the queryables (OGC 19-079r2, section 6.2): every property that is not binary, and the geometry.
 */
export function toQueryables(
  request: FastifyRequest,
  layer: LayerRecord,
  values: readonly ColumnValues[] = [],
): object {
  const queryables = partOfSchema(request, layer, 'queryables', (attribute) => attribute?.type !== 'binary')
  const byName = new Map(values.map((one) => [one.attribute, one]))
  const properties = Object.entries(queryables.properties).map(([name, described]) => [
    name,
    { ...described, ...valuesSchema(byName.get(name)) },
  ])
  return { ...queryables, properties: Object.fromEntries(properties) as Record<string, object> }
}

/** Values in words of JSON Schema; ends of times in those that its validators have for them. */
function valuesSchema({ all, least, largest }: Partial<ColumnValues> = {}): object {
  if (all !== undefined) return { enum: all }
  return typeof least === 'string'
    ? { formatMinimum: least, formatMaximum: largest }
    : { minimum: least, maximum: largest }
}

/** Returns the sortables (OGC 23-058r2, requirements class "Sortables"). */
export function toSortables(request: FastifyRequest, layer: LayerRecord): object {
  return partOfSchema(
    request,
    layer,
    'sortables',
    (attribute) => attribute !== undefined && isSortable(attribute),
  )
}

/** The schema with some of the properties; the geometry comes as undefined. */
function partOfSchema(
  request: FastifyRequest,
  layer: LayerRecord,
  name: string,
  isIn: (attribute: Attribute | undefined) => boolean,
) {
  const { $id, properties, ...about } = toJsonSchema(request, layer)
  const { attributes } = layer.details.schema
  const kept = Object.entries(properties).filter(([property]) =>
    isIn(attributes.find((attribute) => attribute.name === property)),
  )
  const some = Object.fromEntries(kept) as Record<string, object>
  return { ...about, $id: $id.replace(/schema$/, name), properties: some }
}

/** Operation for which a client sends a feature. */
export type SentFor = 'create' | 'replace' | 'update'

/** Returns the schema of features in requests (OGC 20-002, /req/features/representation-geojson-replace). */
export function toSentSchema(
  { details: { schema } }: LayerRecord,
  { properties: _described, ...about }: ReturnType<typeof toJsonSchema>,
  sentFor: SentFor,
): object {
  const attributes = schema.attributes.map(({ name, isNullable, ...attribute }) => {
    const { maxLength, title } = attribute
    const type = { title, ...jsonTypes[attribute.type], maxLength }
    return [name, isNullable === false ? type : { anyOf: [type, { type: 'null' }] }] as const
  })
  const geometry = { anyOf: [{ $ref: 'https://geojson.org/schema/Geometry.json' }, { type: 'null' }] }
  const properties = {
    type: 'object',
    properties: Object.fromEntries(attributes) as Record<string, unknown>,
    additionalProperties: false,
  }
  return {
    ...about,
    $id: `${about.$id}?type=${sentFor}`,
    // Members outside GeoJSON are ignored.
    additionalProperties: true,
    properties: { type: { const: 'Feature' }, geometry, properties },
    required: sentFor === 'update' ? undefined : ['type', 'geometry', 'properties'],
  }
}
