import { join } from 'node:path'
import type { FileSettings } from '../config/file-settings.ts'
import type { FileStore } from './file-store.ts'
import { FolderStore } from './folder-store.ts'
import { S3Store } from './s3-store.ts'
import { Scratch } from './scratch.ts'

/** Opens the store of files that the settings name: a folder of the data directory, or a bucket. */
export async function openFileStore(
  { s3, scratch: folder, maxScratchBytes }: FileSettings,
  dataDirectory: string,
): Promise<{ store: FileStore; scratch: Scratch }> {
  const scratch = new Scratch(maxScratchBytes)
  const store =
    s3 === undefined
      ? new FolderStore(join(dataDirectory, 'files'))
      : await S3Store.open({ settings: s3, scratch, folder: join(folder, 'objects') })
  return { store, scratch }
}
