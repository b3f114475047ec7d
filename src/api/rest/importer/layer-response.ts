import { isDeepStrictEqual } from 'node:util'
import type { Dialect } from '../../../core/config/settings.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import { findCrs } from '../../../geo/crs-database.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { isEmptyEnvelope } from '../../../geo/envelope.ts'
import type { AttributeType, GeometryType, Schema } from '../../../geo/schema.ts'
import {
  type AttributeChoice,
  allAttributes,
  type TaskLayer,
  type TaskLayerChange,
  type TaskRecord,
} from '../../../importer/index.ts'
import { fromJavaClass, toJavaClass } from '../../../transforms/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { findHiddenAttribute, hasNewerFields } from '../../compat/geoserver-importer.ts'
import type { LayerInput } from './bodies.ts'
import { taskPath } from './parameters.ts'

const unknownBounds = { minx: 0, miny: 0, maxx: -1, maxy: -1 }

/** Returns the layer of a task, or throws `Failure` (`notFound`) if it has none. */
export function requireLayer(task: TaskRecord): TaskLayer {
  if (task.layer !== undefined) return task.layer
  throw notFound('no-layer', `Task ${task.id} is ${task.state} and has no layer`)
}

function toBoundsResponse(task: TaskRecord, layer: TaskLayer): object {
  const envelope = layer.bounds ?? task.source?.envelope
  if (envelope === undefined || isEmptyEnvelope(envelope)) return unknownBounds
  const crs = layer.srs === undefined ? undefined : findCrs(layer.srs)?.wkt
  return {
    minx: envelope.minX,
    miny: envelope.minY,
    maxx: envelope.maxX,
    maxy: envelope.maxY,
    crs: crs === undefined || crs === '' ? undefined : crs,
  }
}

/** The columns of a published layer. */
function toLoadedResponse({ attributes, geometry }: NonNullable<TaskLayer['loaded']>): object[] {
  return [
    ...(geometry === undefined ? [] : [{ name: geometry.name, binding: toJavaClass(geometry.type) }]),
    ...attributes.map(({ type, ...shown }) => ({ ...shown, binding: toJavaClass(type) })),
  ]
}

function toAttributesResponse(task: TaskRecord, layer: TaskLayer, dialect: Dialect): object[] {
  const hidden = findHiddenAttribute(task, dialect)
  const isShown = ({ source }: { source?: string }): boolean => hidden === undefined || source !== hidden
  if (task.state === 'COMPLETE' && layer.loaded !== undefined) {
    const { attributes, ...others } = layer.loaded
    return toLoadedResponse({ ...others, attributes: attributes.filter(isShown) })
  }
  const schema = task.source?.schema
  if (schema === undefined) return []
  const { geometry } = schema
  const sources = new Map(schema.attributes.map((attribute) => [attribute.name, attribute]))
  const chosen = (layer.attributes ?? allAttributes(schema)).filter(isShown)
  const attributes = chosen.map(({ name, source, type }) => {
    const { example, title } = sources.get(source) ?? {}
    const shown = hasNewerFields(dialect) ? { example, title } : { example }
    return { name, binding: toJavaClass(type), source, ...shown }
  })
  if (geometry === undefined) return attributes
  return [{ name: geometry.name, binding: toJavaClass(layer.geometryType ?? geometry.type) }, ...attributes]
}

/** Columns of the data that the task does not bring. */
export function toLeftOutResponse({
  source,
  layer,
}: TaskRecord): { name: string; type: AttributeType; binding: string }[] {
  const brought = layer?.attributes
  if (source === undefined || brought === undefined) return []
  const sources = new Set(brought.map((one) => one.source))
  return source.schema.attributes
    .filter(({ name }) => !sources.has(name))
    .map(({ name, type }) => ({ name, type, binding: toJavaClass(type) }))
}

export function toLayerItemResponse(request: FastifyRequest, task: TaskRecord, layer: TaskLayer) {
  return { name: layer.name, href: request.link(`${taskPath(task.importId, task.id)}/layer`) }
}

export function toTaskLayerResponse(request: FastifyRequest, task: TaskRecord, dialect: Dialect) {
  const layer = requireLayer(task)
  const { title, abstract, description, originalName, nativeName, srs, srsCandidates } = layer
  const item = toLayerItemResponse(request, task, layer)
  return {
    ...item,
    title,
    abstract,
    description,
    originalName,
    nativeName,
    srs,
    bbox: toBoundsResponse(task, layer),
    attributes: toAttributesResponse(task, layer, dialect),
    style: { name: layer.style, href: `${item.href}/style` },
    srsCandidates: srs === undefined && srsCandidates !== undefined ? srsCandidates : undefined,
  }
}

function readAttributesBody(
  task: TaskRecord,
  requested: NonNullable<LayerInput['attributes']>,
  dialect: Dialect,
): AttributeChoice[] {
  const schema = task.source?.schema
  const chosen = new Map(
    (task.layer?.attributes ?? allAttributes(schema ?? { attributes: [], geometry: undefined })).map(
      (one) => [one.name, one],
    ),
  )
  const twice = requested.find(({ name }, place) => requested.findIndex((one) => one.name === name) !== place)
  if (twice !== undefined) {
    throw invalid(
      'duplicate-attribute',
      `Two attributes are named "${twice.name}": give one of them another name`,
    )
  }
  const hidden = findHiddenAttribute(task, dialect)
  const kept = [...chosen.values()].filter(({ source }) => source === hidden)
  const named = requested.flatMap(({ name, binding, source }): AttributeChoice[] => {
    if (name === schema?.geometry?.name && source === undefined) return []
    const from = source ?? chosen.get(name)?.source ?? name
    const known = schema?.attributes.find((attribute) => attribute.name === from)
    if (known === undefined) {
      throw invalid('unknown-attribute', `Attribute "${from}" does not exist in the data`)
    }
    const type = binding === undefined ? undefined : fromJavaClass(binding)
    if (type !== undefined && !('attribute' in type)) {
      throw invalid('invalid-binding', `Attribute "${name}" is not a geometry: "${binding}" does not suit it`)
    }
    if (binding !== undefined && type === undefined) {
      throw invalid('invalid-binding', `Attribute "${name}" has the unknown type "${binding}"`)
    }
    return [{ name, source: from, type: type?.attribute ?? known.type }]
  })
  return named.some(({ source }) => source === hidden) ? named : [...kept, ...named]
}

/** Returns the geometry type in a list of attributes; undefined if the list has none. */
function readGeometryBody(
  schema: Schema | undefined,
  requested: NonNullable<LayerInput['attributes']>,
): GeometryType | undefined {
  const entry = requested.find(({ name, source }) => name === schema?.geometry?.name && source === undefined)
  if (entry?.binding === undefined) return undefined
  const type = fromJavaClass(entry.binding)
  if (type !== undefined && 'geometry' in type) return type.geometry
  throw invalid('invalid-binding', `"${entry.binding}" is not a type for the geometry "${entry.name}"`)
}

function isSameChoice(a: AttributeChoice[], b: AttributeChoice[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Returns the change in a layer body; unchanged repetitions are not changes. */
export function readLayerBody(task: TaskRecord, requested: LayerInput, dialect: Dialect): TaskLayerChange {
  const layer = requireLayer(task)
  const { bbox, attributes, style, srs, ...texts } = requested
  const change: TaskLayerChange = {}
  for (const key of ['name', 'title', 'abstract', 'description', 'originalName', 'nativeName'] as const) {
    const value = texts[key]
    if (value !== undefined && value !== layer[key]) change[key] = value
  }
  if (srs !== undefined && srs !== layer.srs) change.srs = srs
  if (style !== undefined && style.name !== layer.style) change.style = style.name
  const bounds = bbox === undefined ? undefined : readBoundsBody(bbox)
  if (bounds !== undefined && !isSameBounds(bounds, layer.bounds ?? task.source?.envelope))
    change.bounds = bounds
  if (attributes !== undefined && !isAsShown(attributes, toAttributesResponse(task, layer, dialect))) {
    const choice = readAttributesBody(task, attributes, dialect)
    const present =
      layer.attributes ?? allAttributes(task.source?.schema ?? { attributes: [], geometry: undefined })
    if (!isSameChoice(choice, present)) change.attributes = choice
    const type = readGeometryBody(task.source?.schema, attributes)
    if (type !== undefined && type !== (layer.geometryType ?? task.source?.schema.geometry?.type)) {
      change.geometryType = type
    }
  }
  return change
}

/** True if a list of attributes equals the current one by names and types. */
function isAsShown(requested: NonNullable<LayerInput['attributes']>, shown: object[]): boolean {
  const facts = (one: { name?: string; binding?: string }) => [one.name, one.binding]
  return isDeepStrictEqual(requested.map(facts), shown.map(facts))
}

function isSameBounds(a: Envelope, b: Envelope | undefined): boolean {
  return b !== undefined && a.minX === b.minX && a.minY === b.minY && a.maxX === b.maxX && a.maxY === b.maxY
}

/** Declared bounds; those of the unknown box are none. */
function readBoundsBody(bbox: NonNullable<LayerInput['bbox']>): Envelope | undefined {
  const { minx, miny, maxx, maxy } = bbox
  if (minx === 0 && miny === 0 && maxx === -1 && maxy === -1) return undefined
  if (!(minx <= maxx && miny <= maxy)) {
    throw invalid(
      'invalid-bbox',
      `bbox must have minx <= maxx and miny <= maxy, found ${JSON.stringify(bbox)}`,
    )
  }
  return { minX: minx, minY: miny, maxX: maxx, maxY: maxy }
}
