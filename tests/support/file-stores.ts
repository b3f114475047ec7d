import { join } from 'node:path'
import type { S3Settings } from '../../src/core/config/file-settings.ts'
import type { FileStore } from '../../src/core/file-store/file-store.ts'
import { FolderStore } from '../../src/core/file-store/folder-store.ts'
import { S3Store } from '../../src/core/file-store/s3-store.ts'
import { Scratch } from '../../src/core/file-store/scratch.ts'
import { Secret } from '../../src/core/secrets/secret.ts'
import { startS3 } from './remote-servers.ts'
import { temporaryFolder } from './temporary-files.ts'
import type { Cleanup } from './terrane-process.ts'

export const testBucket = 'terrane-files'

/** Settings of the S3 server that `startS3` starts. */
export function s3Settings(endpoint: string, more: Partial<S3Settings> = {}): S3Settings {
  return {
    bucket: testBucket,
    prefix: 'some/prefix/',
    endpoint,
    region: 'us-east-1',
    accessKey: 'S3RVER',
    secretKey: new Secret('S3RVER'),
    addressing: 'path',
    ...more,
  }
}

/** Environment of a server that stores its files in the S3 server. */
export function s3Environment(endpoint: string, prefix: string): Record<string, string> {
  return {
    TERRANE_FILES: `s3://${testBucket}/${prefix}`,
    TERRANE_FILES_ENDPOINT: endpoint,
    TERRANE_FILES_ACCESS_KEY: 'S3RVER',
    TERRANE_FILES_SECRET_KEY: 'S3RVER',
  }
}

/** Opens an S3 store with its scratch folder. */
export async function openS3(
  t: Cleanup,
  settings: S3Settings,
  maxScratchBytes = 2 ** 30,
): Promise<{ store: S3Store; scratch: Scratch; folder: string }> {
  const scratch = new Scratch(maxScratchBytes)
  const folder = join(temporaryFolder(t), 'objects')
  const store = await S3Store.open({ settings, scratch, folder })
  t.after(() => store.close())
  return { store, scratch, folder }
}

/** Drivers of the file store, each opened empty. */
export const fileStoreDrivers: Record<string, (t: Cleanup) => Promise<FileStore>> = {
  folder: async (t) => new FolderStore(temporaryFolder(t)),
  s3: async (t) => (await openS3(t, s3Settings(await startS3(t, testBucket)))).store,
}
