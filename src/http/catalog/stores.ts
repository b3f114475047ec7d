import { hasRole } from '../../accounts/caller.ts'
import type { StoreKind, StoreMaker, StoreRecord } from '../../catalog/records.ts'
import type { StoreInput } from '../../catalog/services/stores.ts'
import { defined } from '../../lib/defined.ts'
import { invalid, notFound } from '../../lib/errors.ts'
import type { StoreParameters } from '../../stores/store.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { layerPath, storePath } from './paths.ts'
import { toStoreResponse } from './store-response.ts'

interface InWorkspace {
  workspace: string
}
interface OneStore extends InWorkspace {
  store: string
}

/** Fields of a store in a body. */
interface StoreFields {
  name?: string | undefined
  type?: string | undefined
  enabled?: boolean | undefined
  description?: string | undefined
  versions?: boolean | undefined
}

export async function getStore(
  { catalog }: CatalogDeps,
  kind: StoreKind,
  { workspace, store: name }: OneStore,
) {
  const store = await catalog.stores.find(workspace, name)
  if (store?.kind === kind) return store
  throw notFound('unknown-store', `Store "${name}" does not exist in workspace "${workspace}"`)
}

/** Lists the stores of one kind. The functions below serve both kinds. */
export async function listStoresOf(
  { catalog }: CatalogDeps,
  request: FastifyRequest<{ Params: InWorkspace }>,
  kind: StoreKind,
) {
  const { name: workspace } = await catalog.workspaces.get(request.params.workspace)
  const stores = await catalog.stores.list(workspace, kind)
  return stores.map((store) => ({ name: store.name, href: request.link(storePath(store)) }))
}

export async function listLayersOfStore(
  deps: CatalogDeps,
  request: FastifyRequest<{ Params: OneStore }>,
  kind: StoreKind,
) {
  const store = await getStore(deps, kind, request.params)
  const layers = await deps.catalog.layers.list({ storeId: store.id })
  return layers.map((layer) => ({ name: layer.name, href: request.link(layerPath(layer)) }))
}

export async function sendStore(
  deps: CatalogDeps,
  request: FastifyRequest<{ Params: OneStore }>,
  reply: FastifyReply,
  kind: StoreKind,
): Promise<FastifyReply> {
  return sendEntity(request, reply, toStoreResponse(request, await getStore(deps, kind, request.params)))
}

/** Creates a store and responds with it. */
export async function createStore(
  { catalog }: CatalogDeps,
  request: FastifyRequest<{ Params: InWorkspace }>,
  reply: FastifyReply,
  kind: StoreKind,
  { fields, parameters }: { fields: StoreFields; parameters: StoreParameters },
): Promise<FastifyReply> {
  const { name: workspace } = await catalog.workspaces.get(request.params.workspace)
  const { name, type } = fields
  if (name === undefined) throw invalid('invalid-body', `A new store needs "${kind}.name"`)
  const wanted: StoreInput = { workspace, name, kind, type, parameters, ...plainFields(fields) }
  const store = await catalog.stores.createFor(makerOf(request), wanted)
  return reply
    .code(201)
    .header('location', request.link(storePath(store)))
    .send(toStoreResponse(request, store))
}

/** Changes a store; its name and type stay as it was made with. */
export async function changeStore(
  deps: CatalogDeps,
  request: FastifyRequest<{ Params: OneStore }>,
  kind: StoreKind,
  given: { fields: StoreFields; parameters: () => StoreParameters },
) {
  const store = await getStore(deps, kind, request.params)
  requireMatch(request, toStoreResponse(request, store))
  refuseRenaming(store, given.fields)
  const { type } = given.fields
  const change = { ...plainFields(given.fields), type, parameters: given.parameters() }
  return toStoreResponse(request, await deps.catalog.stores.changeFor(makerOf(request), store, change))
}

export async function deleteStore(
  deps: CatalogDeps,
  request: FastifyRequest<{ Params: OneStore; Querystring: { recurse?: boolean } }>,
  reply: FastifyReply,
  kind: StoreKind,
): Promise<FastifyReply> {
  const store = await getStore(deps, kind, request.params)
  requireMatch(request, toStoreResponse(request, store))
  await deps.catalog.stores.delete(store, { recurse: request.query.recurse ?? false })
  return reply.code(200).send()
}

function refuseRenaming(store: StoreRecord, { name, type }: StoreFields): void {
  if (name !== undefined && name !== store.name)
    throw invalid('invalid-body', `The name of store "${store.name}" cannot be changed`)
  if (type !== undefined && type.toLowerCase() !== store.type.toLowerCase())
    throw invalid('invalid-body', `The type of store "${store.name}" cannot be changed`)
}

/** Role of the user who makes a change of a store. */
export function makerOf({ caller }: FastifyRequest): StoreMaker {
  return hasRole(caller, 'admin') ? 'admin' : 'staff'
}

/** Fields of a store in a body, without its connection. */
function plainFields({ enabled: isEnabled, description, versions: keepsVersions }: StoreFields) {
  return defined({ isEnabled, description, keepsVersions })
}
