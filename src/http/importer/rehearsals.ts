import { Type } from 'typebox'
import type { ImportRecord } from '../../importer/model/model.ts'
import { notFound } from '../../lib/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { clientSignal } from '../client-signal.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { ImportParams } from './parameters.ts'
import { RehearsalReply } from './rehearsal-shapes.ts'
import { toRehearsalResponse } from './rehearsal-wire.ts'
import { getImport } from './shown-imports.ts'

const tags = ['importer']

async function show(deps: ImporterApiDeps, request: FastifyRequest, { id }: ImportRecord): Promise<object> {
  const { rehearsal } = await deps.importer.kept.get(id)
  if (rehearsal === undefined) throw notFound('no-rehearsal', `Import ${id} has no rehearsal`)
  return toRehearsalResponse(request, { rehearsal }, await deps.importer.kept.listTasks(id))
}

export const rehearseImport = operation({
  summary: 'Do what a run would do before its commit, and tell what that would do',
  description:
    'Everything but the commit is done: rows are read, transformed, checked and staged. The answer tells how many rows would be added, changed, removed and rejected.',
  tags,
  params: ImportParams,
  query: Type.Object({
    async: Type.Optional(Type.Boolean({ description: 'Answer at once, and work after that' })),
  }),
  answers: { 200: RehearsalReply, 202: RehearsalReply },
  handle: async (deps: ImporterApiDeps, request, reply) => {
    const record = await getImport(deps, request.params.importId)
    const isAsync = request.query.async ?? false
    await deps.importer.rehearse(record.id, { isAsync, signal: clientSignal(reply) })
    return reply.code(isAsync ? 202 : 200).send(await show(deps, request, record))
  },
})

export const showRehearsal = operation({
  summary: 'What a rehearsal has found',
  description: 'State and findings of the rehearsal, and how long its staged rows are kept.',
  tags,
  params: ImportParams,
  answers: { 200: RehearsalReply },
  handle: async (deps: ImporterApiDeps, request) =>
    show(deps, request, await getImport(deps, request.params.importId)),
})

export const dropRehearsal = operation({
  summary: 'End a rehearsal, and take away what it has staged and found',
  description: 'Deletes the staged rows; a run reads the data anew then.',
  tags,
  params: ImportParams,
  answers: { 204: empty() },
  handle: async (deps: ImporterApiDeps, request, reply) => {
    const record = await getImport(deps, request.params.importId)
    await deps.importer.dropRehearsal(record.id)
    return reply.code(204).send()
  },
})
