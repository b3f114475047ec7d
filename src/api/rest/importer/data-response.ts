import { basename, dirname, relative, sep } from 'node:path'
import { hiddenSecret, type StoreRecord } from '../../../catalog/index.ts'
import type { DataFile } from '../../../formats/worker.ts'
import type {
  GranuleRecord,
  ImportRecord,
  ImportSource,
  RemoteSource,
  TaskRecord,
} from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { toDatabaseResponse, toTableResponse } from './database-response.ts'
import { toGranuleResponse, toTimeResponse } from './granule-response.ts'
import { importPath, taskPath } from './parameters.ts'

/** A file's id: its path below the data folder, with forward slashes. */
function fileIdOf(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

/** A task, with its granules and its target store where they are shown. */
export interface ShownTask extends TaskRecord {
  granules?: GranuleRecord[]
  targetStore?: StoreRecord
}

/** A file with the task that reads it. */
export interface ListedFile {
  file: DataFile
  task: TaskRecord
  /** Present if the file is a granule of a mosaic. */
  granule?: GranuleRecord
}

/** Main files of tasks, each once. */
export function listMainFiles(tasks: ShownTask[]): ListedFile[] {
  const files = new Map<string, ListedFile>()
  for (const task of tasks) {
    for (const file of task.files) if (!files.has(file.path)) files.set(file.path, { file, task })
    for (const granule of task.granules ?? [])
      files.set(granule.file.path, { file: granule.file, task, granule })
  }
  return [...files.values()]
}

/**
 * Finds the file of an id. For uploads the path within the upload is sufficient if it is unique, since
 * clients know the names that they sent.
 */
export function findListedFile(files: ListedFile[], fileId: string): ListedFile | undefined {
  const idOf = ({ file, task }: ListedFile) => fileIdOf(task.folder, file.path)
  const exact = files.find((listed) => idOf(listed) === fileId)
  if (exact !== undefined) return exact
  const alike = files.filter(
    (listed) => listed.task.isUploaded && idOf(listed).replace(/^\d+\//, '') === fileId,
  )
  return alike.length === 1 ? alike[0] : undefined
}

export function toFileResponse(request: FastifyRequest, parent: string, { file, task, granule }: ListedFile) {
  const { prj, ...others } = file.sidecars
  return {
    type: 'file',
    format: task.format ?? null,
    location: dirname(file.path),
    file: basename(file.path),
    href: request.link(`${parent}/data/files/${encodeURIComponent(fileIdOf(task.folder, file.path))}`),
    prj: prj === undefined ? null : basename(prj),
    other: Object.values(others).map((path) => basename(path)),
    charset: task.charset,
    ...(granule === undefined ? {} : toGranuleResponse(granule)),
  }
}

export function toFileItemResponse(request: FastifyRequest, parent: string, listed: ListedFile) {
  const { file, href } = toFileResponse(request, parent, listed)
  return { file, href }
}

/** The files of a folder, with their sidecars and times from level 3 on. */
function toFilesResponse(
  request: FastifyRequest,
  parent: string,
  files: ListedFile[],
  level: number,
): object[] {
  const show = level >= 3 ? toFileResponse : toFileItemResponse
  return files.map((listed) => show(request, parent, listed))
}

function commonFormat(files: ListedFile[]): { format?: string } {
  const formats = new Set(files.map(({ task }) => task.format))
  const [format] = formats
  return formats.size === 1 && format !== undefined ? { format } : {}
}

function charsetOf({ charset }: ImportSource): { charset?: string } {
  return charset === undefined ? {} : { charset }
}

function toRemoteResponse({ location, username, domain, sealedPassword }: RemoteSource) {
  return {
    type: 'remote',
    location,
    username,
    password: sealedPassword === undefined ? undefined : hiddenSecret,
    domain,
  }
}

function toMosaicResponse({ time }: ImportSource, tasks: TaskRecord[]): object {
  const format = tasks.find(({ mosaic }) => mosaic !== undefined)?.format
  return { type: 'mosaic', format, time: time === undefined ? undefined : toTimeResponse(time) }
}

/** Returns the response for an import's data; undefined if it has none. */
export function toImportDataResponse(
  request: FastifyRequest,
  record: ImportRecord,
  tasks: ShownTask[],
  level: number,
): object | undefined {
  const { source } = record
  if (source === undefined) return undefined
  const parent = importPath(record.id)
  const href = request.link(`${parent}/data`)
  if (source.database !== undefined) return toDatabaseResponse(source.database, href)
  const files = listMainFiles(tasks)
  const listed = level >= 1 ? { files: toFilesResponse(request, parent, files, level) } : {}
  if (source.remote !== undefined) {
    return {
      ...toRemoteResponse(source.remote),
      ...commonFormat(files),
      href,
      ...charsetOf(source),
      ...listed,
    }
  }
  const [only] = files
  const isSingle = source.type === 'file' && only !== undefined && only.file.path === source.path
  if (isSingle) return { ...toFileResponse(request, parent, only), href }
  const isEmptyFile = files.length === 0 && record.folder === dirname(source.path)
  if (source.type === 'file' && (record.folder === undefined || isEmptyFile)) {
    return { type: 'file', format: null, location: dirname(source.path), file: basename(source.path), href }
  }
  return {
    ...(source.type === 'mosaic'
      ? toMosaicResponse(source, tasks)
      : { type: 'directory', ...commonFormat(files) }),
    location: record.folder === undefined || record.folder === '' ? source.path : record.folder,
    href,
    ...charsetOf(source),
    ...listed,
  }
}

/** A task's data: its file, or the folder of the files that nothing reads. */
export function toTaskDataResponse(request: FastifyRequest, task: ShownTask, level: number): object {
  const parent = taskPath(task.importId, task.id)
  const href = request.link(`${parent}/data`)
  if (task.table !== undefined) return toTableResponse(task, task.table, href)
  const files = listMainFiles([task])
  const [only] = files
  const { mosaic } = task
  const isSingle = mosaic === undefined && files.length === 1
  if (isSingle && only !== undefined) return { ...toFileResponse(request, parent, only), href }
  return {
    type: mosaic === undefined ? 'directory' : 'mosaic',
    time: mosaic === undefined ? undefined : toTimeResponse(mosaic.time),
    format: task.format ?? null,
    location: task.folder,
    href,
    files: level >= 1 ? toFilesResponse(request, parent, files, level) : undefined,
  }
}
