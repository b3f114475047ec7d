import { Type } from 'typebox'
import { notFound } from '../../../core/errors/errors.ts'
import type { Importer, ImportRecord } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { clientSignal } from '../../request-properties.ts'
import { toDryRunResponse } from './dry-run-response.ts'
import { DryRunReply } from './dry-run-schemas.ts'
import { ImportParams } from './parameters.ts'
import { requireImport } from './shown-imports.ts'

const tags = ['importer']

async function show(importer: Importer, request: FastifyRequest, { id }: ImportRecord): Promise<object> {
  const { dryRun } = await importer.kept.get(id)
  if (dryRun === undefined) throw notFound('no-rehearsal', `Import ${id} has no dry run`)
  return toDryRunResponse(request, { dryRun }, await importer.kept.listTasks(id))
}

export const dryRunImport = operation({
  summary: 'Do what a run would do before its commit, and tell what that would do',
  description:
    'Everything but the commit is done: rows are read, transformed, checked and staged. The answer tells how many rows would be added, changed, removed and rejected.',
  tags,
  params: ImportParams,
  query: Type.Object({
    async: Type.Optional(Type.Boolean({ description: 'Answer at once, and work after that' })),
  }),
  answers: { 200: DryRunReply, 202: DryRunReply },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const record = await requireImport(importer, request.params.importId)
    const isAsync = request.query.async ?? false
    await importer.performDryRun(record.id, { isAsync, signal: clientSignal(reply) })
    return reply.code(isAsync ? 202 : 200).send(await show(importer, request, record))
  },
})

export const showDryRun = operation({
  summary: 'What a dry run has found',
  description: 'State and findings of the dry run, and how long its staged rows are kept.',
  tags,
  params: ImportParams,
  answers: { 200: DryRunReply },
  handle: async ({ importer }: { importer: Importer }, request) =>
    show(importer, request, await requireImport(importer, request.params.importId)),
})

export const dropDryRun = operation({
  summary: 'End a dry run, and take away what it has staged and found',
  description: 'Deletes the staged rows; a run reads the data anew then.',
  tags,
  params: ImportParams,
  answers: { 204: empty() },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const record = await requireImport(importer, request.params.importId)
    await importer.dropDryRun(record.id)
    return reply.code(204).send()
  },
})
