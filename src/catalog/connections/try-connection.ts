import { mkdir, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../../core/errors/errors.ts'
import {
  isCoverageStoreType,
  mosaicType,
  rasterFolderType,
  readRaster,
  type ServedStore,
  type StoreConnection,
} from '../../stores/index.ts'
import type { AnyConnection } from '../records.ts'

/** Elapsed time, including the start of a reader. */
const checkTimeoutMs = 60_000

/** Opens, checks and closes a connection without caching it. */
export async function tryConnection(
  { type, parameters, reach }: AnyConnection,
  openVectorStore: (connection: StoreConnection) => ServedStore,
): Promise<void> {
  const { path } = parameters
  if (type === rasterFolderType || (type === mosaicType && path !== undefined)) {
    await readdir(path ?? '').catch((cause: unknown) => {
      throw new Failure('unavailable', 'store-folder', `The folder "${path}" cannot be read`, { cause })
    })
    return
  }
  if (isCoverageStoreType(type)) {
    await readRaster(path ?? '', AbortSignal.timeout(checkTimeoutMs))
    return
  }
  if (path !== undefined) await mkdir(dirname(path), { recursive: true })
  const store = openVectorStore({ type, parameters, reach })
  try {
    await store.check(AbortSignal.timeout(checkTimeoutMs))
  } finally {
    await store.close()
  }
}
