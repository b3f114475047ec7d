import { invalid } from '../../../core/errors/errors.ts'
import type { Importer, SourceRequest, TaskRecord } from '../../../importer/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import type { DataInput } from './bodies.ts'
import { requireCharset } from './parameters.ts'
import { receive } from './receive-upload.ts'

const maxUploads = 10_000

/** True if a body has the key `uploads`. */
export function namesUploads(body: unknown): body is { uploads: unknown } {
  return typeof body === 'object' && body !== null && 'uploads' in body
}

/** The ids in `{"uploads":["…"]}`. Throws `Failure` (`invalid-body`). */
export function uploadsIn({ uploads }: { uploads: unknown }): string[] {
  if (!Array.isArray(uploads) || uploads.length === 0 || uploads.length > maxUploads)
    throw invalid('invalid-body', `"uploads" must be a list of 1 to ${maxUploads} ids of uploads`)
  return uploads.map((id) => {
    if (typeof id === 'string') return id
    throw invalid('invalid-body', '"uploads" must contain ids of uploads, which are strings')
  })
}

/** Creates tasks from the files of several resumable uploads together, and ends the uploads. `checkSize` may refuse them. */
export async function takeUploads(
  importer: Importer,
  { caller }: FastifyRequest,
  importId: number,
  ids: readonly string[],
  { signal, checkSize }: { signal: AbortSignal; checkSize(bytes: number): Promise<void> },
): Promise<TaskRecord[]> {
  const { uploads } = importer
  const claimed = await uploads.claim(ids, caller.name ?? '')
  await checkSize(claimed.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0))
  const tasks = await receive(importer, importId, signal, async (folder) => {
    await uploads.place(claimed, folder)
    return {}
  })
  await uploads.release(claimed).catch(() => undefined)
  return tasks
}

/** Resumable uploads that are the data of a new import. */
interface ClaimedData {
  source: SourceRequest
  /** To be called when the import has them. */
  release(): Promise<void>
}

/** Undefined where data are none of uploads. Throws as `claim` does, and `Failure` (`invalid-body`). */
export async function claimUploads(
  { uploads }: Importer,
  { caller }: FastifyRequest,
  { upload, type = 'file', ...data }: DataInput = {},
  checkSize: (bytes: number) => Promise<void>,
): Promise<ClaimedData | undefined> {
  if (upload === undefined) return undefined
  if (type !== 'file' || data.file !== undefined || data.location !== undefined)
    throw invalid('invalid-body', 'Data of uploads are of type "file", without file and location')
  const claimed = await uploads.claim(upload, caller.name ?? '')
  await checkSize(claimed.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0))
  const charset = requireCharset(data.charset ?? data.charsetEncoding)
  return {
    source: { type, place: (folder) => uploads.place(claimed, folder), charset },
    release: () => uploads.release(claimed).catch(() => undefined),
  }
}
