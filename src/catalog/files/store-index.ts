import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { indexName } from '../../stores/index.ts'
import { findStoreDescription } from '../../stores/registry.ts'
import type { StoreRecord } from '../records.ts'

type StoreLocation = Pick<StoreRecord, 'type' | 'parameters'>

function indexOf({ type, parameters }: StoreLocation): string | undefined {
  const isIndexed = findStoreDescription(type)?.file?.isIndexed === true
  return isIndexed ? indexName({ type, parameters }) : undefined
}

/** Removes the index of a store's file, unless a store in `remaining` reads the same file. */
export async function removeStoreIndex(
  folder: string,
  store: StoreLocation,
  remaining: StoreLocation[],
): Promise<void> {
  const name = indexOf(store)
  if (name === undefined || remaining.some((other) => indexOf(other) === name)) return
  await rm(join(folder, name), { force: true })
}

/** Maximum age of an index that another server may still be writing. */
const abandonedMs = 3 * 3_600_000

/** Removes indexes without a store, and incomplete ones. */
export async function sweepIndexes(folder: string, stores: StoreLocation[], nowMs: number): Promise<void> {
  const requested = new Set(stores.map(indexOf))
  for (const entry of await readdir(folder)) {
    if (requested.has(entry)) continue
    const path = join(folder, entry)
    const status = await stat(path).catch(() => undefined)
    const isOld = status !== undefined && nowMs - status.mtimeMs > abandonedMs
    if (isOld) await rm(path, { force: true })
  }
}
