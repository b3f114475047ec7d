import type { LayerRecord } from '../../../catalog/records.ts'
import { defined } from '../../../lib/defined.ts'
import type { PageWish, WrittenForm } from '../../../stores/reading/page-wish.ts'
import { shownSchema } from '../../../stores/reading/shown-schema.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { OwsParts } from '../ows-parts.ts'
import { findFeatureId, namespaceOf, prefixOf } from '../type-names.ts'
import type { FeatureRequest, TypeQuery } from './feature-request.ts'
import { findIdPrefix, findType, requireType } from './feature-types.ts'
import type { FeatureWish } from './feature-wish.ts'
import { toFeatureWish } from './feature-wish.ts'
import type { WfsRequest } from './wfs-parts.ts'

/** Query of one layer. */
export interface Reading {
  layer: LayerRecord
  wish: FeatureWish
  /** Ids of features; absent: all. */
  ids: readonly string[] | undefined
  /** Prefix of ids in GML; absent: the name of the layer. */
  idPrefix: string | undefined
}

/** Most names of a layer that an id without its type is taken apart into. */
const mostDots = 8

/** Maximum number of types that are looked up for ids of unrequested types. */
const mostStrangeTypes = 20

/** Returns the queries of a request, layer by layer. */
export async function toReadings(
  parts: Pick<OwsParts, 'catalog'>,
  asked: WfsRequest,
  { queries }: FeatureRequest,
): Promise<Reading[]> {
  const { request, workspace } = asked
  const readings: Reading[] = []
  for (const query of queries) {
    if (query.typeName === '') readings.push(...(await readingsOfIds(parts, asked, query)))
    else {
      const layer = await requireType(parts, request, query.typeName, { workspace, locator: 'typenames' })
      // In KVP requests a repeated type is queried once.
      const isKnown = asked.features === undefined && readings.some((one) => one.layer.id === layer.id)
      if (!isKnown) readings.push(await readingOf(parts, asked, layer, query))
    }
  }
  if (asked.version === '2.0.0') await refuseStrangeIds(parts, asked, queries, readings)
  const layers = new Map(readings.map(({ layer }) => [layer.id, layer]))
  request.usedLayers = [...layers.values()]
  return readings
}

/** Ids must be of the requested types, if these are named (OGC 09-025r2, section 7.9.2.4.1). */
async function refuseStrangeIds(
  parts: Pick<OwsParts, 'catalog'>,
  asked: WfsRequest,
  queries: readonly TypeQuery[],
  readings: readonly Reading[],
): Promise<void> {
  const ids = queries.flatMap(({ typeName, ids: own }) => (typeName === '' ? [] : (own ?? [])))
  const strange = ids.filter((id) => readings.every(({ layer }) => findFeatureId(layer, id) === undefined))
  const firsts = new Map(strange.map((id) => [id.slice(0, id.lastIndexOf('.')), id]))
  for (const id of [...firsts.values()].slice(0, mostStrangeTypes)) {
    if ((await findTypeOfId(parts, asked, id)) === undefined) continue
    throw new OwsFailure(
      'InvalidParameterValue',
      `"${id.slice(0, 200)}" is the id of a feature of another type than those that are asked for`,
      'resourceid',
    )
  }
}

async function readingOf(
  parts: Pick<OwsParts, 'catalog'>,
  asked: Pick<WfsRequest, 'request' | 'workspace'>,
  layer: LayerRecord,
  query: TypeQuery,
): Promise<Reading> {
  const ids = query.ids?.map((id) => findFeatureId(layer, id)).filter((id) => id !== undefined)
  const idPrefix = await findIdPrefix(parts, asked, layer)
  return { layer, wish: await toFeatureWish(layer, query), ids: ids && [...new Set(ids)], idPrefix }
}

/** The types follow from the ids. */
async function readingsOfIds(
  parts: Pick<OwsParts, 'catalog'>,
  asked: WfsRequest,
  query: TypeQuery,
): Promise<Reading[]> {
  const byLayer = new Map<number, { layer: LayerRecord; ids: string[] }>()
  for (const id of query.ids ?? []) {
    const layer = await requireTypeOfId(parts, asked, id)
    const found = byLayer.get(layer.id) ?? { layer, ids: [] }
    byLayer.set(layer.id, { ...found, ids: [...found.ids, id] })
  }
  return Promise.all(
    [...byLayer.values()].map(({ layer, ids }) => readingOf(parts, asked, layer, { ...query, ids })),
  )
}

/** The layer whose name an id begins with; undefined where there is none. */
export async function findTypeOfId(
  parts: Pick<OwsParts, 'catalog'>,
  { request, workspace }: Pick<WfsRequest, 'request' | 'workspace'>,
  id: string,
): Promise<LayerRecord | undefined> {
  let at = id.indexOf('.')
  for (let tries = 0; at > 0 && tries < mostDots; tries += 1, at = id.indexOf('.', at + 1)) {
    const layer = await findType(parts, request, id.slice(0, at), workspace)
    if (layer !== undefined) return layer
  }
  return undefined
}

async function requireTypeOfId(...of: Parameters<typeof findTypeOfId>): Promise<LayerRecord> {
  const [, , id] = of
  const found = await findTypeOfId(...of)
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `"${id.slice(0, 200)}" is the id of no feature: they begin with the name of their type and a dot`,
    'resourceid',
  )
}

/** Feature formats that the stores' readers write. */
export type FeatureOutput = 'gml32' | 'gml31' | 'json' | 'csv'

/** Formats that the stores' readers write. */
export type PageOutput = FeatureOutput | 'values'

const formNames: Record<Exclude<PageOutput, 'json'>, WrittenForm['name']> = {
  gml32: 'wfs-members-3.2',
  gml31: 'wfs-members-3.1',
  csv: 'csv',
  values: 'wfs-values',
}

/** As what the features of a reading are written; undefined for GeoJSON. */
function formOf(
  { request }: WfsRequest,
  { layer, wish, idPrefix }: Reading,
  output: PageOutput,
): WrittenForm | undefined {
  if (output === 'json') return undefined
  const { named, selection } = wish
  const { title, schema: whole } = layer.details
  // The header of a table lists the selected columns, also without rows.
  const schema = output === 'csv' ? shownSchema(whole, selection) : whole
  return {
    name: formNames[output],
    about: {
      name: layer.name,
      title,
      schema,
      collection: namespaceOf(request, layer.workspace),
      prefix: prefixOf(layer.workspace),
      ...defined({ idPrefix }),
      ...(named === undefined ? {} : { crs: { uri: named.name, srs: named.srs, isYx: named.isYx } }),
    },
  }
}

/** The question of a reading to its store. */
export function pageWish(
  asked: WfsRequest,
  reading: Reading,
  { output, limit, offset }: { output: PageOutput; limit: number; offset: number },
): PageWish {
  const { table, sort, named: _named, ...rest } = reading.wish
  const form = formOf(asked, reading, output)
  return {
    query: {
      table,
      limit,
      offset,
      ...defined({ sort: sort.length === 0 ? undefined : sort, featureIds: reading.ids }),
    },
    ...rest,
    // GeoJSON has x first always (RFC 7946, section 3.1.1).
    ...(output === 'json' ? { isYx: false } : {}),
    ...defined({ form }),
  }
}
