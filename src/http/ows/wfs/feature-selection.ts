import type { LayerRecord } from '../../../catalog/records.ts'
import { allOf } from '../../../filters/filter.ts'
import { defined } from '../../../lib/defined.ts'
import type { SortKey } from '../../../stores/order.ts'
import type {
  FeaturePageRequest,
  PropertySelection,
  RequestBox,
} from '../../../stores/reading/feature-page-request.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'
import { isSortable } from '../../ogc/property-names.ts'
import type { NamedCrs } from '../named-crs.ts'
import { defaultCrs, readCrs } from '../named-crs.ts'
import { OwsFailure } from '../ows-failure.ts'
import { findProperty, requireProperty } from '../property-names.ts'
import type { RequestedBox, TypeQuery } from './feature-request.ts'

const mostSortKeys = 8

/** A query without its page. */
export interface FeatureSelection extends Omit<FeaturePageRequest, 'query' | 'form'> {
  table: string
  sort: readonly SortKey[]
  /** Name of the CRS in documents; absent if there is none. */
  named: NamedCrs | undefined
}

/** The question of a query in the terms of its layer. */
export async function toFeatureSelection(layer: LayerRecord, query: TypeQuery): Promise<FeatureSelection> {
  const { schema, srs, crs } = layer.details
  const named = answerCrs(layer, query.srsName)
  const known = schema.geometry === undefined ? undefined : (srs ?? crs)
  const box = query.bbox && readBox(layer, query.bbox, query.srsName)
  const filter = narrowedToShapes(await query.filter?.(layer), box)
  return {
    table: layer.nativeName,
    sort: sortOf(layer, query),
    named,
    srs: named?.srs ?? 'EPSG:4326',
    isYx: named?.isYx === true,
    ...defined({ box, filter, crs: known, selection: selectionOf(layer, query) }),
  }
}

/** Returns the CRS of the response: the requested one, or the layer's. */
function answerCrs(layer: LayerRecord, text: string | undefined): NamedCrs | undefined {
  const usual = defaultCrs(layer)
  if (text === undefined || layer.details.schema.geometry === undefined) return usual
  const wanted = readCrs(text, 'srsname')
  if (usual !== undefined) return wanted
  throw new OwsFailure(
    'InvalidParameterValue',
    `Nobody knows the CRS of "${layer.name}": ask without SRSNAME for its coordinates as they are`,
    'srsname',
  )
}

/** A box leaves out what has no geometry. */
function narrowedToShapes(
  filter: RequestFilter | undefined,
  box: RequestBox | undefined,
): RequestFilter | undefined {
  if (box === undefined) return filter
  const hasGeometry = { kind: 'not', of: { kind: 'empty' } } as const
  const parts = filter === undefined ? [] : [filter.asked]
  return { asked: allOf([...parts, hasGeometry]), srs: filter?.srs ?? box.srs }
}

function readBox(
  layer: LayerRecord,
  { numbers, crs: text }: RequestedBox,
  srsName: string | undefined,
): RequestBox {
  if (layer.details.schema.geometry === undefined)
    throw new OwsFailure(
      'InvalidParameterValue',
      `"${layer.name}" has no geometry that a box could meet`,
      'bbox',
    )
  const name = text ?? srsName
  const crs = name === undefined ? defaultCrs(layer) : readCrs(name, 'bbox')
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

function sortOf({ details: { schema } }: LayerRecord, { sort }: TypeQuery): SortKey[] {
  if (sort.length > mostSortKeys)
    throw new OwsFailure('InvalidParameterValue', `SORTBY has more than ${mostSortKeys} names`, 'sortby')
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

function selectionOf(
  { details: { schema } }: LayerRecord,
  { properties }: TypeQuery,
): PropertySelection | undefined {
  if (properties === undefined) return undefined
  const isWhole = ({ properties: names }: { properties: readonly string[] }): boolean => names.includes('*')
  if (isWhole({ properties })) return undefined
  // Properties that GML defines for all features are not attributes.
  const own = properties.filter((name) => findProperty(schema, name) !== undefined || !/^@|^gml:/.test(name))
  const names = new Set(own.map((name) => requireProperty(schema, name, 'propertyname')))
  return {
    attributes: schema.attributes.map(({ name }) => name).filter((name) => names.has(name)),
    hasGeometry: schema.geometry !== undefined && names.has(schema.geometry.name),
  }
}
