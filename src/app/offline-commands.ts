import type { DataDirectory } from '../core/config/data-directory.ts'
import { lockDataDirectory, prepareDataDirectory } from '../core/config/data-directory.ts'
import type { FileSettings } from '../core/config/file-settings.ts'
import type { DataSettings } from '../core/config/settings.ts'
import type { Database } from '../core/db/connection.ts'
import { openFileStore } from '../core/file-store/open-file-store.ts'
import type { Secret } from '../core/secrets/secret.ts'
import { openOwnDatabase } from './open-base.ts'
import { requireNoServer, rotateSecretKey } from './rotate-secret-key.ts'
import { adoptSecretKey } from './secret-key.ts'
import { adoptFiles, fileArea } from './shared-files.ts'

/**
 * Makes the key of the settings that of the catalogue, without starting a server. Throws an `Error` if a server
 * uses the data directory.
 */
export async function adoptKey(data: DataSettings, url: Secret | undefined): Promise<{ keyFile?: string }> {
  return withoutServer(data, url, async (database, directory) => {
    await adoptSecretKey(database.kysely, directory.key)
    return { keyFile: directory.keyFile }
  })
}

/**
 * Encrypts all stored passwords with `newKey`, or with a new key in the key file. Throws an `Error` if a server
 * uses the catalogue.
 */
export async function rotateKey(
  data: DataSettings,
  url: Secret | undefined,
  newKey: Uint8Array | undefined,
): Promise<{ keyFile?: string; passwords: number }> {
  return withoutServer(data, url, async (database, directory) => ({
    keyFile: directory.keyFile,
    passwords: await rotateSecretKey(database, directory, newKey),
  }))
}

/** Makes the files in the data directory, or in the bucket, those of the catalogue. Throws an `Error` if a server uses it. */
export async function adoptFilesOf(
  data: DataSettings,
  files: FileSettings,
  url: Secret | undefined,
): Promise<void> {
  await withoutServer(data, url, async (database, { root }) => {
    await requireNoServer(database)
    const { store } = await openFileStore(files, root)
    try {
      await adoptFiles(database, fileArea(files, store, root))
    } finally {
      store.close()
    }
  })
}

async function withoutServer<T>(
  data: DataSettings,
  url: Secret | undefined,
  work: (database: Database, directory: DataDirectory) => Promise<T>,
): Promise<T> {
  const directory = prepareDataDirectory(data)
  const unlock = url === undefined ? lockDataDirectory(directory.root) : () => undefined
  try {
    const database = await openOwnDatabase(url, directory)
    try {
      return await work(database, directory)
    } finally {
      await database.close()
    }
  } finally {
    unlock()
  }
}
