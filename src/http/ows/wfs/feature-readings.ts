import type { LayerRecord } from '../../../catalog/records.ts'
import { defined } from '../../../lib/defined.ts'
import type { FeaturePageRequest, WrittenForm } from '../../../stores/reading/feature-page-request.ts'
import { shownSchema } from '../../../stores/reading/shown-schema.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { findFeatureId, namespaceOf, namespacePrefix } from '../type-names.ts'
import type { FeatureRequest, TypeQuery } from './feature-request.ts'
import type { FeatureSelection } from './feature-selection.ts'
import { toFeatureSelection } from './feature-selection.ts'
import { findIdPrefix, findType, requireType } from './feature-types.ts'
import type { WfsRequest } from './wfs-deps.ts'

/** Query of one layer. */
export interface FeatureReading {
  layer: LayerRecord
  wish: FeatureSelection
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
export async function toFeatureReadings(
  deps: Pick<OwsDeps, 'catalog'>,
  asked: WfsRequest,
  { queries }: FeatureRequest,
): Promise<FeatureReading[]> {
  const { request, workspace } = asked
  const readings: FeatureReading[] = []
  for (const query of queries) {
    if (query.typeName === '') readings.push(...(await readingsOfIds(deps, asked, query)))
    else {
      const layer = await requireType(deps, request, query.typeName, { workspace, locator: 'typenames' })
      // In KVP requests a repeated type is queried once.
      const isKnown = asked.features === undefined && readings.some((one) => one.layer.id === layer.id)
      if (!isKnown) readings.push(await readingOf(deps, asked, layer, query))
    }
  }
  if (asked.version === '2.0.0') await refuseStrangeIds(deps, asked, queries, readings)
  const layers = new Map(readings.map(({ layer }) => [layer.id, layer]))
  request.usedLayers = [...layers.values()]
  return readings
}

/** Ids must be of the requested types, if these are named (OGC 09-025r2, section 7.9.2.4.1). */
async function refuseStrangeIds(
  deps: Pick<OwsDeps, 'catalog'>,
  asked: WfsRequest,
  queries: readonly TypeQuery[],
  readings: readonly FeatureReading[],
): Promise<void> {
  const ids = queries.flatMap(({ typeName, ids: own }) => (typeName === '' ? [] : (own ?? [])))
  const strange = ids.filter((id) => readings.every(({ layer }) => findFeatureId(layer, id) === undefined))
  const firsts = new Map(strange.map((id) => [id.slice(0, id.lastIndexOf('.')), id]))
  for (const id of [...firsts.values()].slice(0, mostStrangeTypes)) {
    if ((await findTypeOfId(deps, asked, id)) === undefined) continue
    throw new OwsFailure(
      'InvalidParameterValue',
      `"${id.slice(0, 200)}" is the id of a feature of another type than those that are asked for`,
      'resourceid',
    )
  }
}

async function readingOf(
  deps: Pick<OwsDeps, 'catalog'>,
  asked: Pick<WfsRequest, 'request' | 'workspace'>,
  layer: LayerRecord,
  query: TypeQuery,
): Promise<FeatureReading> {
  const ids = query.ids?.map((id) => findFeatureId(layer, id)).filter((id) => id !== undefined)
  const idPrefix = await findIdPrefix(deps, asked, layer)
  return { layer, wish: await toFeatureSelection(layer, query), ids: ids && [...new Set(ids)], idPrefix }
}

/** The types follow from the ids. */
async function readingsOfIds(
  deps: Pick<OwsDeps, 'catalog'>,
  asked: WfsRequest,
  query: TypeQuery,
): Promise<FeatureReading[]> {
  const byLayer = new Map<number, { layer: LayerRecord; ids: string[] }>()
  for (const id of query.ids ?? []) {
    const layer = await requireTypeOfId(deps, asked, id)
    const found = byLayer.get(layer.id) ?? { layer, ids: [] }
    byLayer.set(layer.id, { ...found, ids: [...found.ids, id] })
  }
  return Promise.all(
    [...byLayer.values()].map(({ layer, ids }) => readingOf(deps, asked, layer, { ...query, ids })),
  )
}

/** The layer whose name an id begins with; undefined where there is none. */
export async function findTypeOfId(
  deps: Pick<OwsDeps, 'catalog'>,
  { request, workspace }: Pick<WfsRequest, 'request' | 'workspace'>,
  id: string,
): Promise<LayerRecord | undefined> {
  let at = id.indexOf('.')
  for (let tries = 0; at > 0 && tries < mostDots; tries += 1, at = id.indexOf('.', at + 1)) {
    const layer = await findType(deps, request, id.slice(0, at), workspace)
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
  { layer, wish, idPrefix }: FeatureReading,
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
      prefix: namespacePrefix(layer.workspace),
      ...defined({ idPrefix }),
      ...(named === undefined ? {} : { crs: { uri: named.name, srs: named.srs, isYx: named.isYx } }),
    },
  }
}

/** The question of a reading to its store. */
export function toPageRequest(
  asked: WfsRequest,
  reading: FeatureReading,
  { output, limit, offset }: { output: PageOutput; limit: number; offset: number },
): FeaturePageRequest {
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
