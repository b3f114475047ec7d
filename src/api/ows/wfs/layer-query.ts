import type { LayerRecord } from '../../../catalog/index.ts'
import { allOf } from '../../../filters/filter.ts'
import {
  type FeaturePageRequest,
  type PropertySelection,
  type RequestBox,
  type SortKey,
  shownSchema,
  type WrittenForm,
} from '../../../stores/index.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'
import { isSortable } from '../../ogcapi/property-names.ts'
import { namespaceOf } from '../../workspace-namespace.ts'
import type { NamedCrs } from '../named-crs.ts'
import { defaultCrs, plainCrs, readCrs } from '../named-crs.ts'
import type { OwsCatalog } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { findProperty, requireProperty } from '../property-names.ts'
import { findFeatureId, namespacePrefix } from '../type-names.ts'
import { findIdPrefix, findTypeOfId, requireType, requireTypeOfId } from './feature-types.ts'
import type { FeatureRequest, TypeQuery, WfsRequest } from './wfs-request.ts'
import type { WfsVersion } from './wfs-version.ts'

/** A query of a request, resolved for its layer. */
export interface LayerQuery {
  layer: LayerRecord
  /** Selected rows and properties; `toPageRequest` adds the page and the format. */
  rows: FeaturePageRequest
  /** CRS of the response; undefined if the layer has no geometry or no known CRS. */
  responseCrs: NamedCrs | undefined
  /** Prefix of ids in GML; undefined: the name of the layer. */
  idPrefix: string | undefined
}

/** Formats that the stores' readers write; `values`: values of one property. */
export type PageOutput = GmlOutput | 'json' | 'csv' | 'values'

/** GML of 3.2, 3.1 and 2.1.2. */
export type GmlOutput = 'gml32' | 'gml31' | 'gml21'

/** Maximum number of types that are looked up for ids of unrequested types. */
const maxStrangeTypes = 20
const maxSortKeys = 8

/** Resolves the queries of a request, and notes their layers as used by the HTTP request. */
export async function toLayerQueries(
  catalog: OwsCatalog,
  wfsRequest: WfsRequest,
  { queries }: FeatureRequest,
): Promise<LayerQuery[]> {
  const { request, workspace } = wfsRequest
  const resolved: LayerQuery[] = []
  for (const query of queries) {
    if (query.typeName === '') resolved.push(...(await queriesOfIds(catalog, wfsRequest, query)))
    else {
      const layer = await requireType(catalog, request, query.typeName, { workspace, locator: 'typenames' })
      // In KVP requests a repeated type is queried once.
      const isRepeated =
        wfsRequest.features === undefined && resolved.some((one) => one.layer.id === layer.id)
      if (!isRepeated) resolved.push(await toLayerQuery(catalog, wfsRequest, layer, query))
    }
  }
  if (wfsRequest.version === '2.0.0') await refuseStrangeIds(catalog, wfsRequest, queries, resolved)
  const layers = new Map(resolved.map(({ layer }) => [layer.id, layer]))
  request.usedLayers = [...layers.values()]
  return resolved
}

/** Ids must be of the requested types, if these are named (OGC 09-025r2, section 7.9.2.4.1). */
async function refuseStrangeIds(
  catalog: OwsCatalog,
  wfsRequest: WfsRequest,
  queries: readonly TypeQuery[],
  resolved: readonly LayerQuery[],
): Promise<void> {
  const ids = queries.flatMap((query) => (query.typeName === '' ? [] : (query.ids ?? [])))
  const strange = ids.filter((id) => resolved.every(({ layer }) => findFeatureId(layer, id) === undefined))
  const firsts = new Map(strange.map((id) => [id.slice(0, id.lastIndexOf('.')), id]))
  for (const id of [...firsts.values()].slice(0, maxStrangeTypes)) {
    if ((await findTypeOfId(catalog, wfsRequest, id)) === undefined) continue
    throw new OwsFailure(
      'InvalidParameterValue',
      `"${id.slice(0, 200)}" is the id of a feature of a type that was not requested`,
      'resourceid',
    )
  }
}

/** Returns one query per layer whose name the ids begin with. */
async function queriesOfIds(
  catalog: OwsCatalog,
  wfsRequest: WfsRequest,
  query: TypeQuery,
): Promise<LayerQuery[]> {
  const byLayer = new Map<number, { layer: LayerRecord; ids: string[] }>()
  for (const id of query.ids ?? []) {
    const layer = await requireTypeOfId(catalog, wfsRequest, id)
    const { ids } = byLayer.get(layer.id) ?? { ids: [] }
    byLayer.set(layer.id, { layer, ids: [...ids, id] })
  }
  return Promise.all(
    [...byLayer.values()].map(({ layer, ids }) =>
      toLayerQuery(catalog, wfsRequest, layer, { ...query, ids }),
    ),
  )
}

/** Resolves a query for its layer. */
export async function toLayerQuery(
  catalog: OwsCatalog,
  wfsRequest: WfsRequest,
  layer: LayerRecord,
  query: TypeQuery,
): Promise<LayerQuery> {
  const { schema, srs, crs } = layer.details
  const ids = query.ids?.map((id) => findFeatureId(layer, id)).filter((id) => id !== undefined)
  const idPrefix = await findIdPrefix(catalog, wfsRequest, layer)
  const usualCrs = usualCrsOf(layer, wfsRequest.version)
  const responseCrs = readResponseCrs(layer, query.srsName, usualCrs)
  const box = readBox(layer, query, usualCrs)
  const filter = withGeometry(await query.filter?.(layer), box)
  const sort = readSort(layer, query)
  return {
    layer,
    idPrefix,
    responseCrs,
    rows: {
      query: {
        table: layer.nativeName,
        limit: 0,
        offset: 0,
        sort: sort.length === 0 ? undefined : sort,
        featureIds: ids && [...new Set(ids)],
      },
      srs: responseCrs?.srs ?? 'EPSG:4326',
      isYx: responseCrs?.isYx === true,
      box,
      filter,
      crs: schema.geometry === undefined ? undefined : (srs ?? crs),
      selection: readSelection(layer, query),
    },
  }
}

/** Returns the default CRS of a layer in a version: in 1.0 with x or easting first. */
export function usualCrsOf(layer: LayerRecord, version: WfsVersion): NamedCrs | undefined {
  const crs = defaultCrs(layer)
  return version === '1.0.0' && crs !== undefined ? plainCrs(crs) : crs
}

/** Returns the CRS of the response: the requested one, or the layer's. */
function readResponseCrs(
  layer: LayerRecord,
  text: string | undefined,
  layerCrs: NamedCrs | undefined,
): NamedCrs | undefined {
  if (text === undefined || layer.details.schema.geometry === undefined) return layerCrs
  const requested = readCrs(text, 'srsname')
  if (layerCrs !== undefined) return requested
  throw new OwsFailure(
    'InvalidParameterValue',
    `The CRS of "${layer.name}" is unknown: leave out SRSNAME to get its coordinates unchanged`,
    'srsname',
  )
}

/** Excludes rows without geometry if there is a box. */
function withGeometry(
  filter: RequestFilter | undefined,
  box: RequestBox | undefined,
): RequestFilter | undefined {
  if (box === undefined) return filter
  const hasGeometry = { kind: 'not', of: { kind: 'empty' } } as const
  const parts = filter === undefined ? [] : [filter.requested]
  return { requested: allOf([...parts, hasGeometry]), srs: filter?.srs ?? box.srs }
}

function readBox(
  layer: LayerRecord,
  { bbox, srsName }: TypeQuery,
  usualCrs: NamedCrs | undefined,
): RequestBox | undefined {
  if (bbox === undefined) return undefined
  const { numbers, crs: text } = bbox
  if (layer.details.schema.geometry === undefined)
    throw new OwsFailure(
      'InvalidParameterValue',
      `"${layer.name}" has no geometry: leave out the box`,
      'bbox',
    )
  const name = text ?? srsName
  const crs = name === undefined ? usualCrs : readCrs(name, 'bbox')
  const corners = numbers.length === 6 ? [0, 1, 3, 4] : [0, 1, 2, 3]
  const [a = 0, b = 0, c = 0, d = 0] = corners.map((at) => numbers[at])
  const box =
    crs?.isYx === true ? { minX: b, minY: a, maxX: d, maxY: c } : { minX: a, minY: b, maxX: c, maxY: d }
  const srs = crs?.srs ?? 'EPSG:4326'
  if (box.minY > box.maxY || (box.minX > box.maxX && srs !== 'EPSG:4326'))
    throw new OwsFailure(
      'InvalidParameterValue',
      `BBOX "${numbers.join(',')}" has its lower corner beyond its upper one`,
      'bbox',
    )
  // A box that crosses the antimeridian is two.
  const boxes =
    box.minX <= box.maxX
      ? [box]
      : [
          { ...box, maxX: 180 },
          { ...box, minX: -180 },
        ]
  return { boxes, srs }
}

function readSort({ details: { schema } }: LayerRecord, { sort }: TypeQuery): SortKey[] {
  if (sort.length > maxSortKeys)
    throw new OwsFailure('InvalidParameterValue', `SORTBY has more than ${maxSortKeys} names`, 'sortby')
  const keys = sort.map(({ property, isDescending }) => ({
    attribute: requireProperty(schema, property, 'sortby'),
    isDescending,
  }))
  for (const { attribute } of keys) {
    const found = schema.attributes.find(({ name }) => name === attribute)
    if (found === undefined || !isSortable(found))
      throw new OwsFailure('InvalidParameterValue', `Features cannot be sorted by "${attribute}"`, 'sortby')
  }
  return keys.filter(({ attribute }, at) => keys.findIndex((one) => one.attribute === attribute) === at)
}

function readSelection(
  { details: { schema } }: LayerRecord,
  { properties }: TypeQuery,
): PropertySelection | undefined {
  if (properties === undefined || properties.includes('*')) return undefined
  // Properties that GML defines for all features are not attributes.
  const own = properties.filter((name) => findProperty(schema, name) !== undefined || !/^@|^gml:/.test(name))
  const names = new Set(own.map((name) => requireProperty(schema, name, 'propertyname')))
  return {
    attributes: schema.attributes.map(({ name }) => name).filter((name) => names.has(name)),
    hasGeometry: schema.geometry !== undefined && names.has(schema.geometry.name),
  }
}

/** Returns the request of a page of a query to its store. */
export function toPageRequest(
  wfsRequest: WfsRequest,
  layerQuery: LayerQuery,
  { output, limit, offset }: { output: PageOutput; limit: number; offset: number },
): FeaturePageRequest {
  const { rows } = layerQuery
  const page = { ...rows, query: { ...rows.query, limit, offset } }
  // GeoJSON has x first always (RFC 7946, section 3.1.1).
  if (output === 'json') return { ...page, isYx: false }
  return { ...page, form: toWrittenForm(wfsRequest, layerQuery, output) }
}

const formNames: Record<Exclude<PageOutput, 'json'>, WrittenForm['name']> = {
  gml32: 'wfs-members-3.2',
  gml31: 'wfs-members-3.1',
  gml21: 'wfs-members-2.1',
  csv: 'csv',
  values: 'wfs-values',
}

function toWrittenForm(
  { request }: WfsRequest,
  { layer, rows, responseCrs: crs, idPrefix }: LayerQuery,
  output: Exclude<PageOutput, 'json'>,
): WrittenForm {
  const { title, schema } = layer.details
  return {
    name: formNames[output],
    about: {
      name: layer.name,
      title,
      // The header of a table lists the selected columns, also without rows.
      schema: output === 'csv' ? shownSchema(schema, rows.selection) : schema,
      collection: namespaceOf(request, layer.workspace),
      prefix: namespacePrefix(layer.workspace),
      idPrefix,
      crs: crs && { uri: crs.name, srs: crs.srs, isYx: crs.isYx },
    },
  }
}
