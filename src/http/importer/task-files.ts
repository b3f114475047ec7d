import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { GranuleBody } from './bodies.ts'
import type { FileOwner } from './files.ts'
import { changeFile, listFiles, removeFile, sendFileEntity } from './files.ts'
import type { ImporterApiDeps } from './importer-api-deps.ts'
import { TaskFileParams, TaskParams } from './parameters.ts'
import { taskPath } from './paths.ts'
import { FileList, FileReply } from './schemas.ts'
import { getTask } from './shown-imports.ts'

const tags = ['importer']

async function ownerOf(
  deps: ImporterApiDeps,
  params: { importId: string; taskId: string },
): Promise<FileOwner> {
  const task = await getTask(deps, params)
  return { path: taskPath(task.importId, task.id), tasks: [task] }
}

export const listTaskFiles = operation({
  summary: 'Main files of the data',
  description: 'The files that the dataset of a task consists of.',
  tags,
  params: TaskParams,
  answers: { 200: FileList },
  handle: async (deps: ImporterApiDeps, request) =>
    listFiles(deps, request, await ownerOf(deps, request.params)),
})

export const showTaskFile = operation({
  summary: 'One file of the data',
  description: 'Format, companion files and, of a granule, the time of one file.',
  tags,
  params: TaskFileParams,
  answers: { 200: FileReply },
  handle: async (deps: ImporterApiDeps, request, reply) =>
    sendFileEntity(deps, request, reply, await ownerOf(deps, request.params)),
})

export const changeTaskFile = operation({
  summary: 'Give a granule its time',
  description: 'The time of a granule in place of the one that its name tells.',
  tags,
  params: TaskFileParams,
  body: GranuleBody,
  answers: { 200: FileReply },
  handle: async (deps: ImporterApiDeps, request, reply) =>
    changeFile(deps, request, reply, await ownerOf(deps, request.params)),
})

export const deleteTaskFile = operation({
  summary: 'Take a file out of the data',
  description: 'The file and those that belong to it are no longer imported.',
  tags,
  params: TaskFileParams,
  answers: { 200: empty() },
  olderAnswers: { 204: empty() },
  handle: async (deps: ImporterApiDeps, request, reply) =>
    removeFile(deps, request, reply, await ownerOf(deps, request.params)),
})
