import type { Catalog } from '../../../catalog/index.ts'
import type { SourceRequest } from '../../../importer/index.ts'
import { describeTransform } from '../../../transforms/chain.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import { clientSignal } from '../../request-properties.ts'
import type { ImportInput } from './bodies.ts'
import { DatabaseImportBody, ImportBody } from './bodies.ts'
import { readDatabaseBody } from './database-response.ts'
import { requireTargetWorkspace } from './import-rights.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { readImportBody, storeName } from './new-import.ts'
import { ImportParams, importPath, parseExpand, parseId, RunQuery } from './parameters.ts'
import { ImportReply } from './schemas.ts'
import { requireImport, toShownImport } from './shown-imports.ts'
import { claimUploads } from './take-uploads.ts'
import { readTransformBody, reportUnknownParameters } from './transform-response.ts'

const tags = ['importer']

interface Creation {
  requested: ImportInput | undefined
  query: { async?: boolean; exec?: boolean; expand?: string }
  proposedId?: number
  /** Replaces the `data` of the body. */
  source?: SourceRequest
}

/** An import without a workspace, or into a store by name, is for the default workspace or that of the store. */
async function requireWorkspaceRight(
  { workspaces, stores }: Pick<Catalog, 'workspaces' | 'stores'>,
  request: FastifyRequest,
  requested: ImportInput | undefined,
): Promise<void> {
  if ((await request.rights()).can('import', '*')) return
  const workspace = requested?.targetWorkspace?.workspace?.name ?? (await workspaces.getDefaultName())
  await requireTargetWorkspace(request, workspace)
  const store = storeName(requested?.targetStore)
  if (store !== undefined) await stores.require(workspace, store)
}

/** Creates an import and responds with it. */
export async function create(
  deps: ImporterApiDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { requested, query, proposedId, source }: Creation,
): Promise<FastifyReply> {
  await requireWorkspaceRight(deps.catalog, request, requested)
  const isAsync = query.async ?? false
  const { name: user } = request.caller
  const signal = clientSignal(reply)
  const { quotas, workspaces } = deps.catalog
  const workspace = requested?.targetWorkspace?.workspace?.name ?? (await workspaces.findDefaultName()) ?? ''
  const placed = await claimUploads(deps.importer, request, requested?.data, (bytes) =>
    quotas.require(workspace, { bytes }),
  )
  const created = await deps.importer.create(
    readImportBody(requested, { isAsync, proposedId, user, source: source ?? placed?.source }),
    { signal, isRunAfter: query.exec === true },
  )
  const record = await requireImport(deps.importer, String(created.id))
  await placed?.release()
  for (const spec of requested?.transforms ?? []) {
    reportUnknownParameters(request, spec, describeTransform(readTransformBody(spec)), 'import.transforms.')
  }
  const shown = await toShownImport(deps, request, isAsync ? created : record, parseExpand(query.expand, 1))
  return reply
    .code(201)
    .header('location', request.link(importPath(record.id)))
    .send({ import: shown })
}

export const createImport = operation({
  summary: 'Create an import',
  description:
    'An import has one task for each dataset. With `data`, the tasks are created at once; without, files are uploaded to `/tasks`. Nothing is loaded until the import is run.',
  tags,
  idempotent: true,
  query: RunQuery,
  body: ImportBody,
  answers: { 201: ImportReply },
  handle: (deps: ImporterApiDeps, request, reply) =>
    create(deps, request, reply, { requested: request.body.import, query: request.query }),
})

export const createImportWithId = operation({
  summary: 'Create an import under a proposed id',
  description:
    'As `POST /rest/imports`, with an id proposed by the client. If the id is taken, the import gets a higher one.',
  tags,
  params: ImportParams,
  query: RunQuery,
  body: ImportBody,
  answers: { 201: ImportReply },
  handle: (deps: ImporterApiDeps, request, reply) =>
    create(deps, request, reply, {
      requested: request.body.import,
      query: request.query,
      proposedId: parseId(request.params.importId, 'import'),
    }),
})

/**
 * Extension of the importer's contract, which describes database data but has no request that creates them. A
 * server that connects to requested addresses is for administrators only.
 */
export const createDatabaseImport = operation({
  summary: 'Create an import of the tables of a database',
  description:
    'An import with one task for each table of a PostgreSQL, MySQL, GeoPackage or SQLite database. The password is stored encrypted until the import is complete.',
  tags,
  idempotent: true,
  query: RunQuery,
  body: DatabaseImportBody,
  answers: { 201: ImportReply },
  handle: (deps: ImporterApiDeps, request, reply) => {
    const { data, ...requested } = request.body.import
    const source = { type: 'database', database: readDatabaseBody(data) } as const
    return create(deps, request, reply, { requested, source, query: request.query })
  },
})
