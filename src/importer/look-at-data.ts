import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { DataFile, LayerDescription, Message } from '../formats/format.ts'
import { Failure, invalid } from '../lib/errors.ts'
import { extractArchive, findArchive } from '../sources/archive.ts'
import { isInside } from '../sources/path-guard.ts'
import { scanFile, scanFolder } from '../sources/scan.ts'
import { chainSchema } from '../transforms/chain.ts'
import { rasterSteps } from '../transforms/raster/raster-chain.ts'
import type { TransformSpec } from '../transforms/transform.ts'
import type { DescribedFile } from './described-file.ts'
import { reexamine } from './examine.ts'
import type { MosaicPlan } from './mosaic/look-at-mosaic.ts'
import { planMosaic } from './mosaic/look-at-mosaic.ts'
import type { GranuleRecord } from './mosaic/records.ts'
import { withOwnStyle } from './own-style.ts'
import type { ImporterParts } from './parts.ts'
import { now } from './parts.ts'
import type { PlanContext } from './plan-tasks.ts'
import { planTasks } from './plan-tasks.ts'
import type { ImportRecord, TaskRecord } from './records.ts'

/** Main files to look at and the folder they lie in. */
export interface FoundData {
  folder: string
  files: DataFile[]
  messages: Message[]
}

export interface LookOptions {
  isUploaded: boolean
  charset?: string
  signal: AbortSignal
}

function nestedMessages(files: DataFile[]): Message[] {
  return files
    .filter((file) => findArchive(file.path) !== undefined)
    .map((file) => ({
      level: 'warning',
      code: 'archive-in-archive',
      message: `"${basename(file.path)}" is an archive inside an archive and was not opened`,
    }))
}

/** Unpacks an archive into a folder of ours and scans it. */
export async function findInArchive(
  parts: ImporterParts,
  archive: string,
  folder: string,
  signal: AbortSignal,
): Promise<FoundData> {
  await extractArchive(archive, folder, { limits: parts.limits, signal })
  const files = await scanFolder(folder, { signal, maxEntries: parts.limits.maxEntries })
  return {
    folder,
    files: files.filter((file) => findArchive(file.path) === undefined),
    messages: nestedMessages(files),
  }
}

/** Scans a file, an archive or a folder of the operator's. */
export async function findInPath(
  parts: ImporterParts,
  path: string,
  unpackFolder: () => Promise<string>,
  signal: AbortSignal,
): Promise<FoundData> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined) throw invalid('no-such-file', `There is no file or folder "${path}"`)
  if (status.isDirectory() && !/\.gdb$/i.test(path)) {
    const isAllowed = (real: string) => isInside(parts.roots, real)
    const files = await scanFolder(path, { signal, maxEntries: parts.limits.maxEntries, isAllowed })
    return { folder: path, files, messages: [] }
  }
  if (findArchive(path) !== undefined) return findInArchive(parts, path, await unpackFolder(), signal)
  return { folder: dirname(path), files: [await scanFile(path, signal)], messages: [] }
}

/** Scans what one upload brought, archives unpacked in their place. */
export async function findInUpload(
  parts: ImporterParts,
  folder: string,
  root: string,
  signal: AbortSignal,
): Promise<FoundData> {
  const first = await scanFolder(folder, { signal, maxEntries: parts.limits.maxEntries })
  const archives = first.filter((file) => findArchive(file.path) !== undefined)
  const messages: Message[] = []
  for (const [index, { path }] of archives.entries()) {
    const unpacked =
      archives.length === first.length && archives.length === 1 ? folder : join(folder, `zip${index}`)
    const aside = `${folder}.${index}.archive`
    await rename(path, aside + path.slice(path.lastIndexOf('.')))
    const moved = aside + path.slice(path.lastIndexOf('.'))
    try {
      messages.push(...(await findInArchive(parts, moved, unpacked, signal)).messages)
    } catch (error) {
      throw error instanceof Error ? renamed(error, basename(moved), basename(path)) : error
    } finally {
      await rm(moved, { force: true })
    }
  }
  const files = await scanFolder(folder, { signal, maxEntries: parts.limits.maxEntries })
  const plain = files.filter((file) => findArchive(file.path) === undefined)
  return { folder: root, files: plain, messages }
}

/** The error in terms of the name that the client knows. */
function renamed(error: Error, from: string, to: string): Error {
  const text = error.message.replaceAll(from, to)
  const { cause } = error
  return error instanceof Failure
    ? new Failure(error.kind, error.code, text, { cause })
    : new Error(text, { cause })
}

async function describeAll(
  parts: ImporterParts,
  files: DataFile[],
  options: LookOptions,
): Promise<DescribedFile[]> {
  const { charset, signal } = options
  const described: DescribedFile[] = new Array(files.length)
  const waiting = files.entries()
  const work = async (): Promise<void> => {
    for (const [index, file] of waiting) {
      described[index] = await parts.pool.describe(file, {
        signal,
        ...(charset === undefined ? {} : { charset }),
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(parts.limits.concurrentLoads, files.length) }, work))
  return described
}

/** Whether a chain of transformations fits a layer. */
export function suits({ raster, schema }: LayerDescription, specs: TransformSpec[]): boolean {
  try {
    if (raster === undefined) chainSchema(schema, specs)
    else rasterSteps(specs)
    return true
  } catch {
    return false
  }
}

export interface LookedAt {
  tasks: TaskRecord[]
  messages: Message[]
  /** Of mosaics among the tasks; to be saved with them. */
  granules?: GranuleRecord[]
  /** A task that was there and took the data. */
  grown?: TaskRecord
}

/** Turns found files into examined tasks, not yet saved; ids go on from the import's next. */
export async function lookAtData(
  parts: ImporterParts,
  record: ImportRecord,
  found: FoundData,
  options: LookOptions,
): Promise<LookedAt> {
  const described = await describeAll(parts, found.files, options)
  const { charset } = options
  const context: PlanContext = {
    importId: record.id,
    nextTaskId: record.nextTaskId,
    folder: found.folder,
    isUploaded: options.isUploaded,
    transforms: record.transforms,
    suits,
    maxTasks: parts.limits.maxTasks,
    at: now(parts),
    ...(charset === undefined ? {} : { charset }),
  }
  const plan: MosaicPlan =
    record.source?.type === 'mosaic'
      ? await planMosaic(parts, record, described, context, options.signal)
      : { ...planTasks(described, context), granules: [] }
  const tasks: TaskRecord[] = []
  for (const task of plan.tasks) tasks.push(await reexamine(parts, record, await withOwnStyle(task)))
  return {
    tasks,
    messages: [...found.messages, ...plan.messages],
    granules: plan.granules,
    ...(plan.grown === undefined ? {} : { grown: await reexamine(parts, record, plan.grown) }),
  }
}
