import { basename, relative, sep } from 'node:path'
import { invalid } from '../../core/errors/errors.ts'
import type { DataFile, FormatMessage, LayerDescription } from '../../formats/worker.ts'
import { chainSchema } from '../../transforms/chain.ts'
import { rasterSteps, type TransformSpec } from '../../transforms/index.ts'
import type { DescribedFile, TaskRecord } from '../model/model.ts'
import { chainOptions, proposeLayer } from '../model/model.ts'

export interface PlanContext {
  importId: number
  nextTaskId: number
  /** Data folder. */
  folder: string
  isUploaded: boolean
  /** A server folder with files that were unpacked from archives in `folder`. */
  unpacked?: string
  charset?: string
  /** Transformations of the import; a task gets those that fit it. */
  transforms: TransformSpec[]
  allowEmpty?: boolean
  /** True if a transformation can follow the transformations that the layer already has. */
  suits(layer: LayerDescription, specs: TransformSpec[]): boolean
  maxTasks: number
  at: string
}

export interface PlannedTasks {
  tasks: TaskRecord[]
  messages: FormatMessage[]
}

const namedFiles = 20
/** Matches the folder of one upload within its import. */
const uploadNumber = /^(\d+)\//
/** Text that sorts after every path. */
const behindPaths = '\u{10ffff}'

/** Returns the data folder of a file, and whether the server may delete it. */
function placeOf({ folder, isUploaded, unpacked }: PlanContext, path: string) {
  return unpacked !== undefined && path.startsWith(unpacked + sep)
    ? { folder: unpacked, isUploaded: true }
    : { folder, isUploaded }
}

/** Returns a text with the paths of the first files. */
export function shownNames(files: DescribedFile[], context: PlanContext): string {
  const names = files.slice(0, namedFiles).map(({ file, looksLike }) => {
    const { folder, isUploaded } = placeOf(context, file.path)
    const path = relative(folder, file.path) || basename(file.path)
    const name = isUploaded ? path.replace(uploadNumber, '') : path
    return looksLike === undefined ? name : `${name} (${looksLike})`
  })
  const rest = files.length - names.length
  return names.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** Returns the sort key of a path: tasks are ordered by path without case, tasks of a later upload last. */
function sortKeyOf(context: PlanContext, path: string): string {
  const { folder, isUploaded } = placeOf(context, path)
  const key = relative(folder, path).toLowerCase()
  if (!isUploaded) return key
  if (!context.isUploaded) return key.replace(uploadNumber, '')
  return behindPaths + key.replace(uploadNumber, (_, number: string) => `${number.padStart(9, '0')}/`)
}

/** Returns a task without known contents. */
export function blankTask(
  context: PlanContext,
  path: string,
  sortKey = sortKeyOf(context, path),
): TaskRecord {
  return {
    importId: context.importId,
    id: 0,
    state: 'PENDING',
    sortKey,
    revision: 0,
    updatedAt: context.at,
    updateMode: 'CREATE',
    ...placeOf(context, path),
    files: [],
    isDirect: false,
    transforms: [],
    nextTransformId: 0,
    messages: [],
    charset: context.charset,
    allowEmpty: context.allowEmpty || undefined,
  }
}

function suitingTransforms(layer: LayerDescription, context: PlanContext): TransformSpec[] {
  const taken: TransformSpec[] = []
  for (const spec of context.transforms) if (context.suits(layer, [...taken, spec])) taken.push(spec)
  return taken
}

function layerTask(described: DescribedFile, index: number, layer: LayerDescription, context: PlanContext) {
  const place = `${sortKeyOf(context, described.file.path)}\u0001${String(index).padStart(6, '0')}`
  const specs = suitingTransforms(layer, context)
  return {
    ...blankTask(context, described.file.path, place),
    files: [described.file],
    format: described.format?.name ?? '',
    kind: described.format?.kind ?? 'vector',
    source: layer,
    layer: proposeLayer(layer),
    messages: layer.messages,
    transforms: specs.map((spec, id) => ({ id, spec })),
    nextTransformId: specs.length,
    ...(layer.charset === undefined || context.charset !== undefined ? {} : { charset: layer.charset }),
  }
}

/** Creates the task of a file that could be read if a missing program were installed. */
function missingReaderTask(file: DataFile, message: string, context: PlanContext): TaskRecord {
  return {
    ...blankTask(context, file.path),
    files: [file],
    messages: [{ level: 'warning', code: 'gdal-missing', message }],
  }
}

function fileTasks(described: DescribedFile, context: PlanContext): TaskRecord[] {
  const { format, file, layers, error } = described
  if (format === undefined) return error === undefined ? [] : [missingReaderTask(file, error, context)]
  if (error === undefined && layers.length > 0) {
    return layers.map((layer, index) => layerTask(described, index, layer, context))
  }
  const bare = { ...blankTask(context, file.path), files: [file], format: format.name, kind: format.kind }
  return [{ ...bare, errorMessage: error ?? bare.errorMessage }]
}

/** Explains why no format reads these files. */
function explainUnread(files: DescribedFile[], context: PlanContext): string {
  const empty = files.filter(({ isEmpty }) => isEmpty === true)
  const other = files.filter(({ isEmpty }) => isEmpty !== true)
  const sentences = [
    ...(other.length === 0 ? [] : [`No known format can read ${shownNames(other, context)}`]),
    ...(empty.length === 0 ? [] : [`Empty files: ${shownNames(empty, context)}`]),
  ]
  return sentences.join('. ')
}

function unreadTask(files: DescribedFile[], context: PlanContext): TaskRecord {
  const message =
    files.length === 0
      ? 'The upload contains only hidden files and archives inside an archive'
      : explainUnread(files, context)
  return {
    ...blankTask(context, files[0]?.file.path ?? context.folder),
    files: files.map(({ file }) => file),
    messages: [{ level: 'warning', code: 'no-format', message }],
  }
}

/**
 * Plans the tasks of a scanned folder in the order of their paths: one task for each layer of each file that
 * a format reads. Other files are named in a message, or in one task if there is nothing else. An upload
 * always creates a task.
 */
export function planTasks(files: DescribedFile[], context: PlanContext): PlannedTasks {
  const unread = files.filter(({ format, error }) => format === undefined && error === undefined)
  const read = files.flatMap((described) => fileTasks(described, context))
  const isNothingRead = read.length === 0 && (unread.length > 0 || context.isUploaded)
  const tasks = isNothingRead ? [unreadTask(unread, context)] : read
  if (tasks.length > context.maxTasks) {
    throw invalid('too-many-tasks', `The data need ${tasks.length} tasks; the maximum is ${context.maxTasks}`)
  }
  const messages: FormatMessage[] = []
  if (unread.length > 0 && !isNothingRead) {
    messages.push({ level: 'info', code: 'files-skipped', message: explainUnread(unread, context) })
  }
  if (tasks.length === 0) {
    const text = 'No files were found: upload files, or copy them into the folder and create a new import'
    messages.push({ level: 'warning', code: 'no-files', message: text })
  }
  return { tasks: tasks.map((task, index) => ({ ...task, id: context.nextTaskId + index })), messages }
}

/** True if a chain of transformations fits a layer. */
export function suits({ raster, schema }: LayerDescription, specs: TransformSpec[]): boolean {
  try {
    if (raster === undefined) chainSchema(schema, specs, chainOptions(schema, undefined))
    else rasterSteps(specs)
    return true
  } catch {
    return false
  }
}
