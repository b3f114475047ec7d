import type { Dialect } from '../../../core/config/settings.ts'
import { invalid, notFound } from '../../../core/errors/errors.ts'
import type { Importer, ImportRecord } from '../../../importer/index.ts'
import { type ImportState, importStates } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { createsMissingImport, isEmptyRun, statusOf, storedStates } from '../../compat/geoserver-importer.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { requireMatch, sendEntity } from '../../etag.ts'
import { clientSignal } from '../../request-properties.ts'
import { ImportBody } from './bodies.ts'
import { create } from './create-import.ts'
import { toImportDataResponse } from './data-response.ts'
import { isVisibleImport } from './import-rights.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { ExpandQuery, ImportListQuery, ImportParams, parseExpand, parseId, RunQuery } from './parameters.ts'
import { ImportDataReply, ImportList, ImportReply } from './schemas.ts'
import { requireImport, toShownImport as show, showPassword, withGranules } from './shown-imports.ts'

const tags = ['importer']

/** Parses the states of a query; returns the stored states that match. */
export function parseStates(text: string | undefined, dialect: Dialect): ImportState[] | undefined {
  if (text === undefined || text === '') return undefined
  const states = text.split(',').map((word) => {
    const state = importStates.find((one) => one === word.trim().toUpperCase())
    if (state === undefined) {
      throw invalid('invalid-parameter', `state must be one of ${importStates.join(', ')}, found "${word}"`)
    }
    return state
  })
  return storedStates(states, dialect)
}

export const listImports = operation({
  summary: 'List imports, newest first',
  description: 'Ids and states of imports. `?expand` selects how much detail each has.',
  tags,
  query: ImportListQuery,
  answers: { 200: ImportList },
  handle: async (deps: ImporterApiDeps, request) => {
    const { state, limit, offset, expand } = request.query
    const states = parseStates(state, deps.dialect)
    const records = await listVisible(deps.importer, request, { states, limit, offset })
    const level = parseExpand(expand, 0)
    const imports: object[] = []
    for (const record of records) imports.push(await show(deps, request, record, level))
    return { imports }
  },
})

/** The imports that the caller may see, newest first. */
async function listVisible(
  { kept }: Pick<Importer, 'kept'>,
  request: FastifyRequest,
  { limit, offset = 0, ...filter }: NonNullable<Parameters<Importer['kept']['list']>[0]> = {},
): Promise<ImportRecord[]> {
  const rights = await request.rights()
  if (rights.can('import', '*')) return kept.list({ ...filter, limit, offset })
  const all = (await kept.list(filter)).filter((record) => isVisibleImport(rights, request.caller, record))
  return all.slice(offset, limit === undefined ? undefined : offset + limit)
}

/** Deletes all imports, like a DELETE of each. */
export const deleteAllImports = operation({
  summary: 'Delete every import',
  description:
    'Deletes every import with its uploads and staged rows. Layers that imports have created remain.',
  tags,
  answers: { 204: empty() },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    for (const { id } of await listVisible(importer, request)) await importer.removeImport(id)
    return reply.code(204).send()
  },
})

export const showImport = operation({
  summary: 'Show one import',
  description: 'State, target, data and tasks of an import. `?expand` sets the level of detail.',
  tags,
  params: ImportParams,
  query: ExpandQuery,
  answers: { 200: ImportReply },
  handle: async (deps: ImporterApiDeps, request, reply) => {
    const record = await requireImport(deps.importer, request.params.importId)
    const level = parseExpand(request.query.expand, 1)
    return sendEntity(request, reply, { import: await show(deps, request, record, level) })
  },
})

export const runImport = operation({
  summary: 'Run an import',
  description:
    'Loads all tasks that are `READY`. Responds at the end, or at once with `?async=true` (202). `/events` and each task report progress.',
  tags,
  idempotent: true,
  params: ImportParams,
  query: RunQuery,
  body: ImportBody,
  answers: { 204: empty() },
  olderAnswers: { 201: ImportReply, 204: empty() },
  handle: async (deps: ImporterApiDeps, request, reply) => {
    const { importer, dialect } = deps
    const id = parseId(request.params.importId, 'import')
    const { query } = request
    if (createsMissingImport(dialect) && (await importer.kept.find(id)) === undefined) {
      return create(deps, request, reply, { requested: request.body.import, query, proposedId: id })
    }
    try {
      await importer.run(id, { isAsync: query.async ?? false, signal: clientSignal(reply) })
    } catch (error) {
      if (!isEmptyRun(error, dialect)) throw error
    }
    return reply.code(204).send()
  },
})

export const deleteImport = operation({
  summary: 'Delete an import',
  description:
    'Deletes the import with its uploads and staged rows. Layers that it created remain. Cancels a running import first.',
  tags,
  params: ImportParams,
  answers: { 200: empty() },
  olderAnswers: { 204: empty() },
  handle: async (deps: ImporterApiDeps, request, reply) => {
    const record = await requireImport(deps.importer, request.params.importId)
    requireMatch(request, { import: await show(deps, request, record, 1) })
    await deps.importer.removeImport(record.id)
    return reply.code(statusOf(deps, 200, 204)).send()
  },
})

export const cancelImport = operation({
  summary: 'Cancel the run of an import',
  description: 'Ends the running tasks and removes their uncommitted rows. The tasks become `CANCELED`.',
  tags,
  params: ImportParams,
  answers: { 204: empty() },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const record = await requireImport(importer, request.params.importId)
    await importer.cancelImport(record.id)
    return reply.code(204).send()
  },
})

export const showImportData = operation({
  summary: 'Show the data of an import',
  description: 'Type, location and files of the data of an import; passwords are shown as `********`.',
  tags,
  params: ImportParams,
  query: ExpandQuery,
  answers: { 200: ImportDataReply },
  handle: async ({ importer }: { importer: Importer }, request) => {
    const record = await requireImport(importer, request.params.importId)
    const level = parseExpand(request.query.expand, 1)
    if (record.source === undefined)
      throw notFound('no-data', `Import ${record.id} has no data: its tasks have`)
    const tasks = await importer.kept.listTasks(record.id)
    const shown = level < 1 ? tasks : await withGranules(importer, tasks)
    const data = toImportDataResponse(request, record, shown, level)
    return data === undefined ? data : showPassword(importer, request, record, data)
  },
})
