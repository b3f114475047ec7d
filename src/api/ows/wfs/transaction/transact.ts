import type { FeatureLock, LayerRecord } from '../../../../catalog/index.ts'
import type { AppliedEdit } from '../../../../importer/index.ts'
import { failedEdit } from '../../../../importer/index.ts'
import { forbidden, loginNeeded } from '../../../app-types.ts'
import { keepPrivately } from '../../../caching.ts'
import type { OwsCatalog, OwsDeps } from '../../ows-deps.ts'
import { OwsFailure } from '../../ows-failure.ts'
import type { WfsRequest } from '../wfs-request.ts'
import type { ActionEdit, TypedAction } from './edit-plan.ts'
import { planEdits, requireFilters } from './edit-plan.ts'
import { requireLock } from './lock-feature.ts'
import { refusedAction } from './refused-action.ts'
import type { WrittenAction, WrittenTransaction } from './transaction-request.ts'
import { placeOfAction, readTransaction } from './transaction-request.ts'
import { transactionResponse } from './transaction-response.ts'
import { typeOfAttribute, typeOfFeature } from './written-type.ts'

type TransactionDeps = Pick<OwsDeps, 'catalog' | 'documents' | 'edits'>

/**
 * Makes all actions of a Transaction or none (OGC 09-025r2, section 15; 04-094, section 12), in one
 * transaction of the store.
 */
export async function transact(deps: TransactionDeps, wfsRequest: WfsRequest): Promise<unknown> {
  const { request, reply } = wfsRequest
  if (request.caller.role === 'anonymous') throw loginNeeded()
  const transaction = readTransaction(requireXml(wfsRequest, 'Transaction'))
  requireFilters(transaction)
  const { lockId } = transaction
  if (lockId !== undefined) await requireLock(deps.catalog, request, lockId)
  const { layers, actions } = await resolveTypes(deps, wfsRequest, transaction)
  request.usedLayers = layers
  const { applied, edits } = await apply(deps, wfsRequest, { transaction, layers, actions })
  if (lockId !== undefined) await releaseLock(deps.catalog, transaction, lockId, { layers, applied })
  keepPrivately(reply)
  const { mediaType, text } = await transactionResponse(deps.catalog, wfsRequest, { layers, applied, edits })
  return reply.header('content-type', mediaType).send(text)
}

/** Returns the root element of the request. Throws `OwsFailure` if it was sent in another way. */
function requireXml({ body }: WfsRequest, operation: string): NonNullable<WfsRequest['body']> {
  if (body !== undefined) return body
  throw new OwsFailure(
    'OperationNotSupported',
    `${operation} is sent as XML in the body of a POST request`,
    'request',
  )
}

/** Returns the layers of the actions. Throws unless the caller may edit each of them, and it can be edited. */
async function resolveTypes(
  { catalog, edits }: Pick<TransactionDeps, 'catalog' | 'edits'>,
  wfsRequest: WfsRequest,
  { actions }: WrittenTransaction,
): Promise<{ layers: LayerRecord[]; actions: TypedAction[] }> {
  const layers: LayerRecord[] = []
  const typed: TypedAction[] = []
  for (const action of actions) {
    const indexes: number[] = []
    for (const layer of await layersOf(catalog, wfsRequest, action)) {
      const known = layers.findIndex(({ id }) => id === layer.id)
      if (known < 0) await requireEditable(edits, wfsRequest, layer, action)
      indexes.push(known < 0 ? layers.push(layer) - 1 : known)
    }
    typed.push({ action, layers: indexes })
  }
  return { layers, actions: typed }
}

async function layersOf(
  catalog: OwsCatalog,
  wfsRequest: WfsRequest,
  action: WrittenAction,
): Promise<LayerRecord[]> {
  const { text, locator } = placeOfAction(action)
  const found: LayerRecord[] = []
  for (const feature of action.features) {
    const own = action.handle ?? feature.element.name.slice(0, 100)
    found.push(await typeOfFeature(catalog, wfsRequest, feature, own))
  }
  if (found.length > 0) return found
  const { element, ancestors } = action
  const name = element.attributes['typeName'] ?? element.attributes['typeNames']
  if (name === undefined)
    throw new OwsFailure('MissingParameterValue', `${text} has no typeName`, action.handle ?? 'typeName')
  return [await typeOfAttribute(catalog, wfsRequest, name, [element, ...ancestors], locator)]
}

async function requireEditable(
  edits: OwsDeps['edits'],
  { request, version }: WfsRequest,
  layer: LayerRecord,
  action: WrittenAction,
): Promise<void> {
  const name = `${layer.workspace}:${layer.name}`
  if (!(await request.rights()).can('edit', layer)) throw forbidden(request.caller, 'edit', `layer "${name}"`)
  const why = await edits.whyNot(layer)
  if (why === undefined) return
  const failure = new OwsFailure(
    'OperationNotSupported',
    `The features of "${name}" cannot be changed: ${why}`,
  )
  throw refusedAction(failure, action, version)
}

interface ResolvedTransaction {
  transaction: WrittenTransaction
  layers: readonly LayerRecord[]
  actions: readonly TypedAction[]
}

async function apply(
  deps: TransactionDeps,
  wfsRequest: WfsRequest,
  { transaction: { lockId }, layers, actions }: ResolvedTransaction,
): Promise<{ applied: AppliedEdit[]; edits: ActionEdit[] }> {
  const { request, signal, version } = wfsRequest
  let edits: ActionEdit[] = []
  try {
    const applied = await deps.edits.editAll(
      {
        layers,
        plan: async (present) => {
          edits = await planEdits(deps, wfsRequest, actions, present)
          return edits.map(({ edit }) => edit)
        },
        mayEdit: (lock: FeatureLock) => lock.lockId === lockId,
        user: request.caller.name,
      },
      signal,
    )
    return { applied, edits }
  } catch (error) {
    const failed = edits[failedEdit(error) ?? -1]
    if (failed === undefined) throw error
    throw refusedEdit(error, failed, { layers, edits, lockId, version })
  }
}

function refusedEdit(
  error: unknown,
  { edit, action }: ActionEdit,
  {
    layers,
    edits,
    lockId,
    version,
  }: Pick<WrittenTransaction, 'lockId'> & {
    layers: readonly LayerRecord[]
    edits: readonly ActionEdit[]
    version: WfsRequest['version']
  },
): unknown {
  const layer = layers[edit.layer]
  const number = edits.filter((one) => one.action === action).findIndex((one) => one.edit === edit) + 1
  const id = edit.featureId === undefined ? `feature ${number}` : `feature "${layer?.name}.${edit.featureId}"`
  if ((error as { code?: unknown }).code !== 'feature-locked')
    return refusedAction(error, action, version, id)
  // OGC 09-025r2, section 15.2.3: changes of locked features need the id of their lock.
  const code = lockId === undefined ? 'MissingParameterValue' : 'InvalidLockId'
  return new OwsFailure(code, `${placeOfAction(action).text}, ${id}: ${(error as Error).message}`, 'lockId')
}

async function releaseLock(
  { featureLocks }: Pick<OwsCatalog, 'featureLocks'>,
  { releaseAction }: WrittenTransaction,
  lockId: string,
  { layers, applied }: { layers: readonly LayerRecord[]; applied: readonly AppliedEdit[] },
): Promise<void> {
  if (releaseAction === 'ALL') return featureLocks.release(lockId)
  const edited = layers.map(({ id }, index) => ({
    layerId: id,
    featureIds: applied.filter(({ layer }) => layer === index).map(({ featureId }) => featureId),
  }))
  return featureLocks.releaseSome(lockId, edited)
}
