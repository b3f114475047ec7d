import { empty } from '../description.ts'
import { operation } from '../endpoint.ts'
import { GranuleBody } from './bodies.ts'
import type { FileOwner } from './files.ts'
import { changeFile, listFiles, removeFile, sendFileEntity } from './files.ts'
import type { ImporterAreaParts } from './importer-area-parts.ts'
import { TaskFileParams, TaskParams } from './parameters.ts'
import { taskPath } from './paths.ts'
import { FileList, FileReply } from './shapes.ts'
import { getTask } from './shown-imports.ts'

const tags = ['importer']

async function ownerOf(
  parts: ImporterAreaParts,
  params: { importId: string; taskId: string },
): Promise<FileOwner> {
  const task = await getTask(parts, params)
  return { path: taskPath(task.importId, task.id), tasks: [task] }
}

export const listTaskFiles = operation({
  summary: 'Main files of the data',
  description: 'The files that the dataset of a task consists of.',
  tags,
  params: TaskParams,
  answers: { 200: FileList },
  handle: async (parts: ImporterAreaParts, request) =>
    listFiles(parts, request, await ownerOf(parts, request.params)),
})

export const showTaskFile = operation({
  summary: 'One file of the data',
  description: 'Format, companion files and, of a granule, the time of one file.',
  tags,
  params: TaskFileParams,
  answers: { 200: FileReply },
  handle: async (parts: ImporterAreaParts, request, reply) =>
    sendFileEntity(parts, request, reply, await ownerOf(parts, request.params)),
})

export const changeTaskFile = operation({
  summary: 'Give a granule its time',
  description: 'The time of a granule in place of the one that its name tells.',
  tags,
  params: TaskFileParams,
  body: GranuleBody,
  answers: { 200: FileReply },
  handle: async (parts: ImporterAreaParts, request, reply) =>
    changeFile(parts, request, reply, await ownerOf(parts, request.params)),
})

export const deleteTaskFile = operation({
  summary: 'Take a file out of the data',
  description: 'The file and those that belong to it are no longer imported.',
  tags,
  params: TaskFileParams,
  answers: { 200: empty() },
  olderAnswers: { 204: empty() },
  handle: async (parts: ImporterAreaParts, request, reply) =>
    removeFile(parts, request, reply, await ownerOf(parts, request.params)),
})
