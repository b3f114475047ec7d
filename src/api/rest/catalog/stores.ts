import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { hasRole } from '../../../access/index.ts'
import type { Catalog, StoreInput, StoreKind, StoreMaker, StoreRecord } from '../../../catalog/index.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import { defined } from '../../../core/values/defined.ts'
import type { StoreParameters } from '../../../stores/index.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { forbidden } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import type { CatalogDeps } from './catalog-deps.ts'
import { RecurseQuery, storePath, WorkspaceParams } from './paths.ts'
import {
  CoverageStoreBody,
  CoverageStoreList,
  CoverageStoreReply,
  DataStoreList,
  DataStoreReply,
  readDiscovery,
  readParametersBody,
  StoreBody,
  toStoreResponse,
} from './store-response.ts'

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
  discovery?: Parameters<typeof readDiscovery>[0]
}

export async function getStore(catalog: Catalog, kind: StoreKind, { workspace, store: name }: OneStore) {
  const store = await catalog.stores.find(workspace, name)
  if (store?.kind === kind) return store
  throw notFound('unknown-store', `Store "${name}" does not exist in workspace "${workspace}"`)
}

/** A caller who may read only some layers of a workspace sees their stores: a raster store has the name of its layer. */
async function readableStores(
  { layers }: Pick<Catalog, 'layers'>,
  request: FastifyRequest,
  stores: StoreRecord[],
): Promise<StoreRecord[]> {
  const rights = await request.rights()
  const [{ workspace } = { workspace: '' }] = stores
  if (rights.can('read', { workspace })) return stores
  const readable = rights.readable(await layers.list({ workspace }))
  const ids = new Set(readable.map(({ storeId }) => storeId))
  return stores.filter(({ id }) => ids.has(id))
}

/** Throws `Failure` if the caller may read only some layers of the workspace of a store. */
export async function requireWholeWorkspace(
  request: FastifyRequest,
  { workspace }: Pick<StoreRecord, 'workspace'>,
): Promise<void> {
  if (!(await request.rights()).can('read', { workspace }))
    throw forbidden(request.caller, 'read', `workspace "${workspace}"`)
}

/** Creates a store and responds with it. */
async function createStore(
  catalog: Catalog,
  request: FastifyRequest<{ Params: InWorkspace }>,
  reply: FastifyReply,
  kind: StoreKind,
  { fields, parameters }: { fields: StoreFields; parameters: StoreParameters },
): Promise<FastifyReply> {
  const { name: workspace } = await catalog.workspaces.get(request.params.workspace)
  const { name, type } = fields
  if (name === undefined) throw invalid('invalid-body', `A new store needs "${kind}.name"`)
  const storeInput: StoreInput = { workspace, name, kind, type, parameters, ...plainFields(fields) }
  const store = await catalog.stores.createFor(makerOf(request), storeInput)
  return reply
    .code(201)
    .header('location', request.link(storePath(store)))
    .send(toStoreResponse(request, store))
}

/** Changes a store; its name and type stay as it was made with. */
async function changeStore(
  catalog: Catalog,
  request: FastifyRequest<{ Params: OneStore }>,
  kind: StoreKind,
  given: { fields: StoreFields; parameters: () => StoreParameters },
) {
  const store = await getStore(catalog, kind, request.params)
  requireMatch(request, toStoreResponse(request, store))
  refuseRenaming(store, given.fields)
  const { type } = given.fields
  const change = { ...plainFields(given.fields), type, parameters: given.parameters() }
  return toStoreResponse(request, await catalog.stores.changeFor(makerOf(request), store, change))
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
function plainFields({ enabled: isEnabled, description, versions: keepsVersions, discovery }: StoreFields) {
  return { isEnabled, description, keepsVersions, discovery: readDiscovery(discovery) }
}

const StoreParams = Type.Object({ ...WorkspaceParams.properties, store: Type.String() })

/** Texts and schemas in which the operations of a kind of stores differ. */
interface StoreTexts {
  tags: string[]
  contents: string
  shown: string
  deletion: string
  schemas: { store: TSchema; stores: TSchema }
}

/** Creates the operations that do not read a store from a body. */
function storeOperations(kind: StoreKind, texts: StoreTexts) {
  const { tags, schemas } = texts
  return {
    listStores: operation({
      summary: 'List stores',
      description: `Names of the stores for ${texts.contents} of a workspace, with links.`,
      tags,
      params: WorkspaceParams,
      answers: { 200: schemas.stores },
      handle: async ({ catalog }: CatalogDeps, request) => {
        const { name: workspace } = await catalog.workspaces.get(request.params.workspace)
        const stores = await readableStores(catalog, request, await catalog.stores.list(workspace, kind))
        const items = stores.map((store) => ({ name: store.name, href: request.link(storePath(store)) }))
        return { [`${kind}s`]: { [kind]: items } }
      },
    }),
    showStore: operation({
      summary: 'Show one store',
      description: texts.shown,
      tags,
      params: StoreParams,
      answers: { 200: schemas.store },
      handle: async ({ catalog }: CatalogDeps, request, reply) =>
        sendEntity(request, reply, toStoreResponse(request, await getStore(catalog, kind, request.params))),
    }),
    deleteStore: operation({
      summary: 'Delete a store',
      description: texts.deletion,
      tags,
      params: StoreParams,
      query: RecurseQuery,
      answers: { 200: empty() },
      handle: async ({ catalog }: CatalogDeps, request, reply) => {
        const store = await getStore(catalog, kind, request.params)
        requireMatch(request, toStoreResponse(request, store))
        await catalog.stores.delete(store, { recurse: request.query.recurse ?? false })
        return reply.code(200).send()
      },
    }),
  }
}

const dataStoreTags = ['data stores']

export const {
  listStores: listDataStores,
  showStore: showDataStore,
  deleteStore: deleteDataStore,
} = storeOperations('dataStore', {
  tags: dataStoreTags,
  contents: 'features',
  shown: 'Type, state and connection parameters of a store; passwords are shown as `********`.',
  deletion:
    'A store without layers is deleted; `?recurse=true` deletes its layers too. A file of the server goes with it, tables of a database stay.',
  schemas: { store: DataStoreReply, stores: DataStoreList },
})

export const createDataStore = operation({
  summary: 'Create a store; its connection is tested first',
  description:
    'A GeoPackage or a PostGIS database that layers are loaded into. Without connection parameters, a new GeoPackage is created.',
  tags: dataStoreTags,
  idempotent: true,
  params: WorkspaceParams,
  body: StoreBody,
  answers: { 201: DataStoreReply },
  handle: ({ catalog }: CatalogDeps, request, reply) => {
    const { dataStore: fields } = request.body
    const parameters = readParametersBody(fields.connectionParameters)
    return createStore(catalog, request, reply, 'dataStore', { fields, parameters })
  },
})

export const changeDataStore = operation({
  summary: 'Change a store; a changed connection is tested first',
  description:
    'Changes the members in the body. A password is stored encrypted; `********` keeps the stored one.',
  tags: dataStoreTags,
  params: StoreParams,
  body: StoreBody,
  answers: { 200: DataStoreReply },
  handle: ({ catalog }: CatalogDeps, request) => {
    const { dataStore: fields } = request.body
    const parameters = () => readParametersBody(fields.connectionParameters)
    return changeStore(catalog, request, 'dataStore', { fields, parameters })
  },
})

const coverageStoreTags = ['coverage stores']

function readCoverageStoreBody({
  url,
  connectionParameters,
}: Static<typeof CoverageStoreBody>['coverageStore']): StoreParameters {
  return { ...readParametersBody(connectionParameters), ...defined({ url }) }
}

export const {
  listStores: listCoverageStores,
  showStore: showCoverageStore,
  deleteStore: deleteCoverageStore,
} = storeOperations('coverageStore', {
  tags: coverageStoreTags,
  contents: 'rasters',
  shown: 'Type, state and file of a store.',
  deletion: 'A store without layers is deleted; `?recurse=true` deletes its layers too.',
  schemas: { store: CoverageStoreReply, stores: CoverageStoreList },
})

export const createCoverageStore = operation({
  summary: 'Create a store for a raster file or a folder of rasters; the file is checked first',
  description:
    'A GeoTIFF or another raster file below an import root or the data directory, or a folder below an import root. `POST …/coverages` publishes its rasters, which are served as they are.',
  tags: coverageStoreTags,
  idempotent: true,
  params: WorkspaceParams,
  body: CoverageStoreBody,
  answers: { 201: CoverageStoreReply },
  handle: ({ catalog }: CatalogDeps, request, reply) => {
    const { coverageStore: fields } = request.body
    const parameters = readCoverageStoreBody(fields)
    return createStore(catalog, request, reply, 'coverageStore', { fields, parameters })
  },
})

export const changeCoverageStore = operation({
  summary: 'Change a store; its file can be changed only while no layer uses the store',
  description: 'Changes the members in the body; the file must be a readable raster.',
  tags: coverageStoreTags,
  params: StoreParams,
  body: CoverageStoreBody,
  answers: { 200: CoverageStoreReply },
  handle: ({ catalog }: CatalogDeps, request) => {
    const { coverageStore: fields } = request.body
    const parameters = () => readCoverageStoreBody(fields)
    return changeStore(catalog, request, 'coverageStore', { fields, parameters })
  },
})
