import { Type } from 'typebox'
import type { ImportRecord } from '../../importer/model/model.ts'
import { notFound } from '../../lib/errors.ts'
import type { FastifyRequest } from '../app-types.ts'
import { clientSignal } from '../client-signal.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import type { ImporterAreaParts } from './importer-area-parts.ts'
import { ImportParams } from './parameters.ts'
import { RehearsalReply } from './rehearsal-shapes.ts'
import { toWireRehearsal } from './rehearsal-wire.ts'
import { getImport } from './shown-imports.ts'

const tags = ['importer']

async function show(
  parts: ImporterAreaParts,
  request: FastifyRequest,
  { id }: ImportRecord,
): Promise<object> {
  const { rehearsal } = await parts.importer.kept.get(id)
  if (rehearsal === undefined) throw notFound('no-rehearsal', `Import ${id} has no rehearsal`)
  return toWireRehearsal(request, { rehearsal }, await parts.importer.kept.listTasks(id))
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
  handle: async (parts: ImporterAreaParts, request, reply) => {
    const record = await getImport(parts, request.params.importId)
    const isAsync = request.query.async ?? false
    await parts.importer.rehearse(record.id, { isAsync, signal: clientSignal(reply) })
    return reply.code(isAsync ? 202 : 200).send(await show(parts, request, record))
  },
})

export const showRehearsal = operation({
  summary: 'What a rehearsal has found',
  description: 'State and findings of the rehearsal, and how long its staged rows are kept.',
  tags,
  params: ImportParams,
  answers: { 200: RehearsalReply },
  handle: async (parts: ImporterAreaParts, request) =>
    show(parts, request, await getImport(parts, request.params.importId)),
})

export const dropRehearsal = operation({
  summary: 'End a rehearsal, and take away what it has staged and found',
  description: 'Deletes the staged rows; a run reads the data anew then.',
  tags,
  params: ImportParams,
  answers: { 204: empty() },
  handle: async (parts: ImporterAreaParts, request, reply) => {
    const record = await getImport(parts, request.params.importId)
    await parts.importer.dropRehearsal(record.id)
    return reply.code(204).send()
  },
})
