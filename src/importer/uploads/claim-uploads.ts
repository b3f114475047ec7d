import { invalid } from '../../core/errors/errors.ts'
import { incompleteUpload } from './upload-failures.ts'
import type { UploadRecord, UploadState } from './upload-record.ts'

/**
 * Returns complete uploads by their ids, each once. Throws `Failure`: those of `get`, `upload-incomplete`,
 * `duplicate-file`.
 */
export async function claimUploads(
  ids: readonly string[],
  get: (id: string) => Promise<UploadState>,
): Promise<UploadRecord[]> {
  const records: UploadRecord[] = []
  const names = new Set<string>()
  for (const id of new Set(ids)) {
    const { record, offset } = await get(id)
    if (offset !== record.lengthBytes) throw incompleteUpload(id, offset, record.lengthBytes)
    const path = pathOfUpload(record)
    if (names.has(path)) throw invalid('duplicate-file', `Two uploads are named "${path}"`)
    names.add(path)
    records.push(record)
  }
  for (const { folder } of records) refuseFileAsFolder(names, folder)
  return records
}

/** Relative path of the file of an upload. */
export function pathOfUpload({ folder, name }: UploadRecord): string {
  return folder === undefined ? name : `${folder}/${name}`
}

/** A name cannot be both a file and a folder. */
function refuseFileAsFolder(files: ReadonlySet<string>, folder: string | undefined): void {
  const steps = folder?.split('/') ?? []
  for (const at of steps.keys()) {
    const path = steps.slice(0, at + 1).join('/')
    if (files.has(path)) throw invalid('duplicate-file', `"${path}" is the name of an upload and of a folder`)
  }
}
