import type { Dialect } from '../../config/settings.ts'
import type { ImportState, WantedSource } from '../../importer/model/model.ts'
import { importStates } from '../../importer/model/model.ts'
import { Failure, invalid, notFound } from '../../lib/errors.ts'
import { showTransform } from '../../transforms/chain.ts'
import type { App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { clientSignal } from '../client-signal.ts'
import { requireMatch, sendEntity } from '../etag.ts'
import type { WantedImport } from './bodies.ts'
import { ExpandQuery, ImportBody, ImportParams, ListQuery, RunQuery } from './bodies.ts'
import { parseExpand } from './expand.ts'
import { fromWireImport } from './from-wire.ts'
import type { ImporterScope } from './scope.ts'
import { findImportOf, importExists, showImport, showPassword, staff, statusOf, tags } from './scope.ts'
import { withGranules } from './shown-tasks.ts'
import { reportUnknownParameters } from './transforms-area.ts'
import { parseId } from './wire.ts'
import { importPath, toWireImportData } from './wire-data.ts'
import { fromWireTransform } from './wire-transforms.ts'

const creating = { access: 'staff', idempotent: true } as const

interface Creation {
  wanted: WantedImport | undefined
  query: { async?: boolean; exec?: boolean; expand?: string }
  proposedId?: number
  /** Takes the place of the body's data. */
  source?: WantedSource
}

/** Creates an import and answers with it. */
export async function create(
  scope: ImporterScope,
  request: FastifyRequest,
  reply: FastifyReply,
  { wanted, query, proposedId, source }: Creation,
): Promise<FastifyReply> {
  const { importer } = scope
  const isAsync = query.async ?? false
  const { name: user } = request.caller
  const signal = clientSignal(reply)
  const created = await importer.create(
    fromWireImport(wanted, {
      isAsync,
      ...(proposedId === undefined ? {} : { proposedId }),
      ...(user === undefined ? {} : { user }),
      ...(source === undefined ? {} : { source }),
    }),
    { signal, isRunAfter: query.exec === true },
  )
  const record = await findImportOf(scope, String(created.id))
  for (const spec of wanted?.transforms ?? []) {
    reportUnknownParameters(request, spec, showTransform(fromWireTransform(spec)), 'import.transforms.')
  }
  return reply
    .code(201)
    .header('location', request.link(importPath(record.id)))
    .send({
      import: await showImport(scope, request, isAsync ? created : record, parseExpand(query.expand, 1)),
    })
}

/** The states that a query names; what shows as PENDING in the dialect of older systems may be READY. */
function parseStates(text: string | undefined, dialect: Dialect): ImportState[] | undefined {
  if (text === undefined || text === '') return undefined
  const states = text.split(',').map((word) => {
    const state = importStates.find((one) => one === word.trim().toUpperCase())
    if (state === undefined) {
      throw invalid('invalid-parameter', `state must be one of ${importStates.join(', ')}, found "${word}"`)
    }
    return state
  })
  return dialect === 'geoserver' && states.includes('PENDING') ? [...states, 'READY'] : states
}

/** `/rest/imports` and `/rest/imports/<importId>`. */
export function addImportRoutes(app: App, scope: ImporterScope): void {
  app.get(
    '/rest/imports',
    { config: staff, schema: { tags, summary: 'List imports, newest first', querystring: ListQuery } },
    async (request) => {
      const { state, limit, offset, expand } = request.query
      const states = parseStates(state, scope.context.settings.server.dialect)
      const records = await scope.importer.kept.list({
        ...(states === undefined ? {} : { states }),
        ...(limit === undefined ? {} : { limit }),
        ...(offset === undefined ? {} : { offset }),
      })
      const level = parseExpand(expand, 0)
      const imports: object[] = []
      for (const record of records) imports.push(await showImport(scope, request, record, level))
      return { imports }
    },
  )

  app.post(
    '/rest/imports',
    {
      config: creating,
      schema: { tags, summary: 'Create an import', querystring: RunQuery, body: ImportBody },
    },
    (request, reply) => create(scope, request, reply, { wanted: request.body.import, query: request.query }),
  )

  if (scope.context.settings.server.dialect === 'geoserver') addDeletingAll(app, scope)
  addOneImportRoutes(app, scope)
}

/** In the dialect of older systems alone: takes every import away, as a DELETE of each would. */
function addDeletingAll(app: App, scope: ImporterScope): void {
  app.delete(
    '/rest/imports',
    { config: staff, schema: { tags, summary: 'Delete every import' } },
    async (_request, reply) => {
      for (const { id } of await scope.importer.kept.list()) {
        await scope.importer.removeImport(id)
      }
      return reply.code(204).send()
    },
  )
}

function addOneImportRoutes(app: App, scope: ImporterScope): void {
  const { importer } = scope

  app.get(
    '/rest/imports/:importId',
    {
      config: staff,
      schema: { tags, summary: 'One import', params: ImportParams, querystring: ExpandQuery },
    },
    async (request, reply) => {
      const record = await findImportOf(scope, request.params.importId)
      const level = parseExpand(request.query.expand, 1)
      return sendEntity(request, reply, { import: await showImport(scope, request, record, level) })
    },
  )

  app.post(
    '/rest/imports/:importId',
    {
      config: creating,
      schema: {
        tags,
        summary: 'Run an import',
        params: ImportParams,
        querystring: RunQuery,
        body: ImportBody,
      },
    },
    async (request, reply) => {
      const id = parseId(request.params.importId, 'import')
      const { query } = request
      const isOlder = scope.context.settings.server.dialect === 'geoserver'
      if (isOlder && !(await importExists(scope, id))) {
        return create(scope, request, reply, { wanted: request.body.import, query, proposedId: id })
      }
      try {
        await importer.run(id, { isAsync: query.async ?? false, signal: clientSignal(reply) })
      } catch (error) {
        const isNothing = error instanceof Failure && ['nothing-to-run', 'no-tasks'].includes(error.code)
        if (!isOlder || !isNothing) throw error
      }
      return reply.code(204).send()
    },
  )

  app.put(
    '/rest/imports/:importId',
    {
      config: staff,
      schema: {
        tags,
        summary: 'Create an import under a proposed id',
        params: ImportParams,
        querystring: RunQuery,
        body: ImportBody,
      },
    },
    (request, reply) =>
      create(scope, request, reply, {
        wanted: request.body.import,
        query: request.query,
        proposedId: parseId(request.params.importId, 'import'),
      }),
  )

  app.delete(
    '/rest/imports/:importId',
    { config: staff, schema: { tags, summary: 'Delete an import', params: ImportParams } },
    async (request, reply) => {
      const record = await findImportOf(scope, request.params.importId)
      requireMatch(request, { import: await showImport(scope, request, record, 1) })
      await importer.removeImport(record.id)
      return reply.code(statusOf(scope, 200, 204)).send()
    },
  )

  app.delete(
    '/rest/imports/:importId/run',
    { config: staff, schema: { tags, summary: 'Cancel the run of an import', params: ImportParams } },
    async (request, reply) => {
      const record = await findImportOf(scope, request.params.importId)
      await importer.cancelImport(record.id)
      return reply.code(204).send()
    },
  )
}

/** `/rest/imports/<importId>/data` and its files. */
export function addImportDataRoutes(app: App, scope: ImporterScope): void {
  app.get(
    '/rest/imports/:importId/data',
    {
      config: staff,
      schema: { tags, summary: "An import's data", params: ImportParams, querystring: ExpandQuery },
    },
    async (request) => {
      const record = await findImportOf(scope, request.params.importId)
      if (record.source === undefined) throw notFound('no-data', `Import ${record.id} has no data of its own`)
      const level = parseExpand(request.query.expand, 1)
      const tasks = await scope.importer.kept.listTasks(record.id)
      const shown = level < 1 ? tasks : await withGranules(scope.importer.kept, tasks)
      const data = toWireImportData(request, record, shown, level)
      return data === undefined ? data : showPassword(scope, request, record, data)
    },
  )
}
