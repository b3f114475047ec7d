import type { LayerRecord } from '../../../../catalog/index.ts'
import type { PlannedEdit } from '../../../../importer/index.ts'
import type { OwsDeps } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import type { WfsRequest } from '../wfs-request.ts'
import type { FeatureBody, WrittenScope } from './feature-body.ts'
import { featureBody, patchBody } from './feature-body.ts'
import { filterOf, idsMatchingFilter, requireFew } from './matching-ids.ts'
import { refusedAction } from './refused-action.ts'
import type { WrittenAction, WrittenTransaction } from './transaction-request.ts'
import { placeOfAction } from './transaction-request.ts'

/** An action, and the layers of its features, as indexes of the layers of the transaction. */
export interface TypedAction {
  action: WrittenAction
  /** For an Insert one for each feature, otherwise one. */
  layers: readonly number[]
}

/** An edit, and the action that it is part of. */
export interface ActionEdit {
  edit: PlannedEdit
  action: WrittenAction
}

/** The CRS that a transaction or an action names for geometries without one, and the version. */
function scopeOf(
  { element: { attributes }, ancestors }: WrittenAction,
  { version }: WfsRequest,
): WrittenScope {
  return { srsName: attributes['srsName'] ?? ancestors.at(-1)?.attributes['srsName'], version }
}

/**
 * Returns the edits of the actions of a transaction, in their order. Filters match the features before the
 * transaction, without those that an earlier action removes. Throws `OwsFailure`.
 */
export async function planEdits(
  deps: Pick<OwsDeps, 'catalog' | 'documents'>,
  wfsRequest: WfsRequest,
  actions: readonly TypedAction[],
  layers: readonly LayerRecord[],
): Promise<ActionEdit[]> {
  const planned: ActionEdit[] = []
  const removed = new Set<string>()
  for (const typed of actions) {
    const edits = await editsOf(deps, wfsRequest, typed, layers)
    for (const edit of edits) {
      const key = `${edit.layer} ${edit.featureId}`
      if (edit.featureId !== undefined && removed.has(key)) continue
      if (edit.kind === 'delete') removed.add(key)
      planned.push({ edit, action: typed.action })
    }
    requireFew(planned.length)
  }
  return planned
}

async function editsOf(
  deps: Pick<OwsDeps, 'catalog' | 'documents'>,
  wfsRequest: WfsRequest,
  typed: TypedAction,
  layers: readonly LayerRecord[],
): Promise<PlannedEdit[]> {
  const { action } = typed
  const layerAt = (index: number): LayerRecord => {
    const layer = layers[index]
    if (layer === undefined) throw new Error('An action without a layer')
    return layer
  }
  if (action.name === 'Insert')
    return action.features.map((feature, at) => {
      const index = typed.layers[at] ?? 0
      const layer = layerAt(index)
      return bodied('create', index, layer, () => {
        try {
          return featureBody(layer, feature, scopeOf(action, wfsRequest))
        } catch (error) {
          throw refusedAction(error, action, wfsRequest.version, `feature ${feature.number}`)
        }
      })
    })
  const [index = 0] = typed.layers
  const layer = layerAt(index)
  const { locator } = placeOfAction(action)
  const filter = filterOf(action.element)
  const ids = await idsMatchingFilter(deps, wfsRequest, layer, { filter, locator }).catch(
    (error: unknown) => {
      throw refusedAction(error, action, wfsRequest.version)
    },
  )
  const edit = await changeOf(action, index, layer, wfsRequest)
  if (action.name === 'Replace' && ids.length !== 1)
    throw new OwsFailure(
      'InvalidParameterValue',
      `A Replace replaces one feature; its Filter matches ${ids.length}`,
      locator,
    )
  return ids.map((featureId) => ({ ...edit, featureId }))
}

async function changeOf(
  action: WrittenAction,
  index: number,
  layer: LayerRecord,
  wfsRequest: WfsRequest,
): Promise<PlannedEdit> {
  const [feature] = action.features
  try {
    if (action.name === 'Delete')
      return { ...base(layer), kind: 'delete', layer: index, written: { srs: 'EPSG:4326', isYx: false } }
    if (feature !== undefined)
      return bodied('replace', index, layer, () => featureBody(layer, feature, scopeOf(action, wfsRequest)))
    return bodied('update', index, layer, () => patchBody(layer, action.element, scopeOf(action, wfsRequest)))
  } catch (error) {
    throw refusedAction(error, action, wfsRequest.version)
  }
}

function bodied(
  kind: 'create' | 'replace' | 'update',
  index: number,
  layer: LayerRecord,
  bodyOf: () => FeatureBody,
): PlannedEdit {
  return { ...base(layer), kind, layer: index, ...bodyOf() }
}

function base({ details: { schema, srs, crs } }: LayerRecord): Pick<PlannedEdit, 'crs'> {
  return { crs: schema.geometry === undefined ? undefined : (srs ?? crs) }
}

/** Throws `OwsFailure` for an action that lacks its filter. */
export function requireFilters({ actions }: WrittenTransaction): void {
  for (const action of actions) {
    const isNeeded = action.name === 'Delete' || action.name === 'Replace'
    if (!isNeeded || filterOf(action.element) !== undefined) continue
    const { text, locator } = placeOfAction(action)
    throw new OwsFailure('MissingParameterValue', `${text} has no Filter`, locator)
  }
}
