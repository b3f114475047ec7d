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
  summary: 'Dry run: load everything except the commit, and report the changes',
  description:
    'Loads everything except the commit: rows are read, transformed, checked and staged. The response counts the rows that would be added, changed, removed and rejected.',
  tags,
  params: ImportParams,
  query: Type.Object({
    async: Type.Optional(Type.Boolean({ description: 'Respond at once and continue in the background' })),
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
  summary: 'Show the report of a dry run',
  description: 'State and report of the dry run, and the time until which its staged rows are kept.',
  tags,
  params: ImportParams,
  answers: { 200: DryRunReply },
  handle: async ({ importer }: { importer: Importer }, request) =>
    show(importer, request, await requireImport(importer, request.params.importId)),
})

export const dropDryRun = operation({
  summary: 'End a dry run and delete its staged rows and its report',
  description: 'Deletes the staged rows. The next run reads the data again.',
  tags,
  params: ImportParams,
  answers: { 204: empty() },
  handle: async ({ importer }: { importer: Importer }, request, reply) => {
    const record = await requireImport(importer, request.params.importId)
    await importer.dropDryRun(record.id)
    return reply.code(204).send()
  },
})
