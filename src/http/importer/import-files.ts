import { notFound } from '../../lib/errors.ts'
import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { GranuleBody } from './bodies.ts'
import type { FileOwner } from './files.ts'
import { changeFile, listFiles, removeFile, sendFileEntity } from './files.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { FileParams, ImportParams } from './parameters.ts'
import { importPath } from './paths.ts'
import { FileList, FileReply } from './schemas.ts'
import { getImport } from './shown-imports.ts'

const tags = ['importer']

async function ownerOf(deps: ImporterApiDeps, params: { importId: string }): Promise<FileOwner> {
  const record = await getImport(deps, params.importId)
  if (record.source === undefined) throw notFound('no-data', `Import ${record.id} has no data of its own`)
  return { path: importPath(record.id), tasks: await deps.importer.kept.listTasks(record.id) }
}

export const listImportFiles = operation({
  summary: 'Main files of the data',
  description: 'The files that datasets consist of, without those that belong to another one.',
  tags,
  params: ImportParams,
  answers: { 200: FileList },
  handle: async (deps: ImporterApiDeps, request) =>
    listFiles(deps, request, await ownerOf(deps, request.params)),
})

export const showImportFile = operation({
  summary: 'One file of the data',
  description: 'Format, companion files and, of a granule, the time of one file.',
  tags,
  params: FileParams,
  answers: { 200: FileReply },
  handle: async (deps: ImporterApiDeps, request, reply) =>
    sendFileEntity(deps, request, reply, await ownerOf(deps, request.params)),
})

export const changeImportFile = operation({
  summary: 'Give a granule its time',
  description: 'The time of a granule in place of the one that its name tells.',
  tags,
  params: FileParams,
  body: GranuleBody,
  answers: { 200: FileReply },
  handle: async (deps: ImporterApiDeps, request, reply) =>
    changeFile(deps, request, reply, await ownerOf(deps, request.params)),
})

export const deleteImportFile = operation({
  summary: 'Take a file out of the data',
  description: 'The file and those that belong to it are no longer imported.',
  tags,
  params: FileParams,
  answers: { 200: empty() },
  olderAnswers: { 204: empty() },
  handle: async (deps: ImporterApiDeps, request, reply) =>
    removeFile(deps, request, reply, await ownerOf(deps, request.params)),
})
