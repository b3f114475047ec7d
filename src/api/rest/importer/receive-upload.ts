import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Transform } from 'node:stream'
import { Failure, invalid } from '../../../core/errors/errors.ts'
import { findFullDisk } from '../../../core/files/full-disk.ts'
import type { Importer, TaskRecord } from '../../../importer/index.ts'
import { cleanEntryName, findNameFault, shownName } from '../../../inputs/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { createByteLimit, receiveFile } from '../../receive-file.ts'
import { requireCharset } from './parameters.ts'

const maxParts = 10_000
const maxFields = 100

/** The last part of a client's file name; a name that could leave the folder is refused. */
export function safeUploadName(name: string): string {
  const clean = cleanEntryName(name)
  const base = clean.slice(clean.lastIndexOf('/') + 1)
  const fault = base === '.' || base === '..' ? 'it leads out of its folder' : findNameFault(base)
  if (fault === undefined) return base
  throw invalid('invalid-file-name', `The file name "${shownName(name)}" cannot be used: ${fault}`)
}

/** The folders of a client's path such as `a/b/c.shp`; undefined where it has none. Throws as `safeUploadName` does. */
export function safeFolder(path: string): string | undefined {
  const clean = cleanEntryName(path)
  const folder = clean.slice(0, Math.max(0, clean.lastIndexOf('/')))
  if (folder === '') return undefined
  const fault = folder.split('/').includes('.') ? 'it leads nowhere' : findNameFault(folder)
  if (fault === undefined) return folder
  throw invalid('invalid-file-name', `The folder "${shownName(folder)}" cannot be used: ${fault}`)
}

/**
 * Returns the target of a form's file: its name, in the folders that a client sends with a whole folder. For
 * absolute paths and paths with `..` only the last segment counts, since they describe the client's disk.
 * Throws like `safeUploadName`.
 */
function placeInUpload(path: string): { name: string; folder: string | undefined } {
  const clean = cleanEntryName(path)
  const isRelative = !/^(?:\/|[A-Za-z]:)/.test(clean) && !clean.split('/').includes('..')
  return { name: safeUploadName(path), folder: isRelative ? safeFolder(path) : undefined }
}

/** Writes one file of an upload. */
export async function writeFile(
  source: Readable,
  folder: string,
  name: string,
  limit: Transform,
  signal: AbortSignal,
): Promise<void> {
  try {
    await receiveFile(source, join(folder, name), { limit, signal })
  } catch (error) {
    if (error instanceof Failure) throw error
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw invalid('duplicate-file', `The upload has two files named "${name}"`)
    }
    throw (
      findFullDisk(error) ??
      invalid('upload-broken', `The upload broke off while "${shownName(name)}" was received`, {
        cause: error,
      })
    )
  }
}

/** Receives files into a folder of their own and creates tasks; a failure leaves nothing. */
export async function receive(
  importer: Importer,
  importId: number,
  signal: AbortSignal,
  write: (folder: string) => Promise<{ charset?: string }>,
): Promise<TaskRecord[]> {
  return importer.files.writing(importId, async () => {
    const { folder } = await importer.openUpload(importId)
    try {
      const options = await write(folder)
      return await importer.addUpload(importId, folder, { ...options, signal })
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  })
}

/** Writes the files of a form; gives the encoding that it names. */
export async function writeParts(
  maxUploadBytes: number,
  request: FastifyRequest,
  folder: string,
  signal: AbortSignal,
): Promise<{ charset?: string }> {
  const limit = createByteLimit(maxUploadBytes)
  let fileCount = 0
  let charset: string | undefined
  const limits = {
    fileSize: maxUploadBytes,
    parts: maxParts + maxFields,
    files: maxParts,
    fields: maxFields,
    fieldSize: 10_000,
  }
  const parts = request.parts({ limits, preservePath: true })
  try {
    // Iterated by hand: returning early from an iterator would wait for a form that is no longer read.
    for (let step = await parts.next(); step.done !== true; step = await parts.next()) {
      const part = step.value
      if (part.type === 'file' && part.filename) {
        const place = placeInUpload(part.filename)
        const within = await makeFolder(folder, place.folder)
        await writeFile(part.file, within, place.name, limit(), signal)
        fileCount += 1
      } else if (part.type === 'file') part.file.resume()
      else if (part.fieldname === 'charset') charset = requireCharset(String(part.value))
    }
  } catch (error) {
    request.raw.unpipe()
    request.raw.resume()
    throw error instanceof Failure ? error : brokenForm(error)
  }
  if (fileCount === 0) throw invalid('no-file', 'The upload has no file part')
  return charset === undefined ? {} : { charset }
}

/** Creates the folder for a file of an upload. Throws `Failure` (`duplicate-file`) where a file has its name. */
async function makeFolder(root: string, folder: string | undefined): Promise<string> {
  const path = folder === undefined ? root : join(root, folder)
  try {
    await mkdir(path, { recursive: true, mode: 0o750 })
    return path
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EEXIST', 'ENOTDIR'].includes(code)) throw findFullDisk(error) ?? error
    throw invalid(
      'duplicate-file',
      `"${shownName(folder ?? '')}" is the name of a file and of a folder of the upload`,
    )
  }
}

function brokenForm(error: unknown): Failure {
  const { statusCode, message } = error as { statusCode?: number; message?: string }
  if (statusCode === 413) {
    const most = `A form has at most ${maxParts} files and ${maxFields} other fields: send an archive`
    return new Failure('tooLarge', 'upload-too-large', most, { cause: error })
  }
  return invalid('upload-broken', `The form cannot be read: ${message ?? 'it breaks off'}`, { cause: error })
}
