import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Database } from '../../core/db/connection.ts'
import type { Clock } from '../../core/time/clock.ts'
import { isInside } from '../../inputs/index.ts'
import { mosaicType, type StoreParameters } from '../../stores/index.ts'
import type { StoreRecord } from '../records.ts'
import { mosaicLocation } from '../rows/mosaic-index.ts'
import { listAllStores, listStores } from '../rows/store-rows.ts'
import { listRetainedFiles } from '../versions/contents.ts'
import type { GoneContent } from '../versions/gone-stores.ts'
import { listGone } from '../versions/gone-stores.ts'
import {
  asideFolder,
  listMovable,
  moveFileAside,
  removeAside,
  restoreFile,
  sweepAside,
} from './aside-files.ts'
import { removeStoreFile, sizeOfTree } from './store-file.ts'
import { removeStoreIndex, sweepIndexes } from './store-index.ts'

type StoredTable = Pick<StoreRecord, 'type' | 'parameters'> & Partial<Pick<StoreRecord, 'id'>>

/** Files of stores and their indexes that belong to the server. */
export class StoreFiles {
  readonly #parts: { database: Database; clock: Clock; storesFolder: string; indexFolder: string }

  constructor(parts: { database: Database; clock: Clock; storesFolder: string; indexFolder: string }) {
    this.#parts = parts
  }

  /** Lists the files of the stores of a workspace, including those not yet created by a load. */
  async listOf(workspace: string): Promise<Set<string>> {
    const stores = await listStores(this.#parts.database.kysely, workspace)
    return new Set(stores.flatMap(({ parameters: { path } }) => (path === undefined ? [] : [path])))
  }

  /** True if a store reads files of the server, which are deleted with the store. */
  isOurs(store: StoreRecord): Promise<boolean> {
    const { path, read_only } = store.parameters
    const place = store.type === mosaicType ? mosaicLocation(store).folder : path
    if (place === undefined || place === '' || read_only === 'true') return Promise.resolve(false)
    return isInside([this.#parts.storesFolder], place).catch(() => false)
  }

  /** Removes a file of the server, with its sidecars, if no store reads it. */
  async removeUnused(path: string): Promise<void> {
    await removeStoreFile(this.#parts.storesFolder, { parameters: { path } }, await this.listPlaces())
  }

  /** Removes the index of a file if no store serves it. */
  async removeUnusedIndex(store: Pick<StoreRecord, 'type' | 'parameters'>): Promise<void> {
    await removeStoreIndex(this.#parts.indexFolder, store, await this.listPlaces())
  }

  /** Removes the index of a file without layers; it is built again when needed. */
  async dropIndex(store: StoreRecord): Promise<void> {
    const others = (await this.listPlaces()).filter(({ id }) => id !== store.id)
    await removeStoreIndex(this.#parts.indexFolder, store, others)
  }

  /**
   * Removes the server's files of a deleted store: its file, or the granules of a mosaic, and the index of
   * its file.
   */
  async removeOf(store: StoreRecord): Promise<void> {
    const { storesFolder } = this.#parts
    await removeMosaicFolder(storesFolder, store)
    await removeStoreFile(storesFolder, store, await this.listPlaces())
    await this.removeUnusedIndex(store)
  }

  /** Returns the server's files that only this store reads. */
  async ownFilesOf(store: StoreRecord): Promise<{ paths: string[]; sizeBytes: number }> {
    const others = (await this.listPlaces()).filter(({ id }) => id !== store.id)
    const paths = await listMovable(this.#parts.storesFolder, store, others)
    let sizeBytes = 0
    for (const path of paths) sizeBytes += await sizeOfTree(path)
    return { paths, sizeBytes }
  }

  /** Returns the folder that the files of a deleted store are moved to. */
  asideFolder(id: string): string {
    return asideFolder(this.#parts.storesFolder, id)
  }

  /** Moves the files of a deleted store away; does nothing if that is done. */
  async moveAside({ files, gone: { aside } }: GoneContent): Promise<void> {
    if (aside !== undefined)
      await moveFileAside(this.#parts.storesFolder, { files, aside }, await this.#placesBut(files))
  }

  /** Moves files back and returns the paths that the store reads now. */
  moveBack(content: GoneContent): Promise<StoreParameters> {
    return restoreFile(content)
  }

  /** Removes the files of a deleted store, wherever they are. */
  async removeGone(content: GoneContent): Promise<void> {
    await removeAside(this.#parts.storesFolder, content, await this.#placesBut(content.files))
  }

  /** Removes moved files that no record refers to. */
  async sweepAside(): Promise<void> {
    const db = this.#parts.database.kysely
    const read = (await listAllStores(db)).flatMap(({ parameters }) => Object.values(parameters))
    const kept = (await listGone(db)).flatMap(({ gone: { aside } }) => aside ?? [])
    await sweepAside(this.#parts.storesFolder, [...read, ...kept])
  }

  /** Locations that other stores read or may read again. */
  async #placesBut(files: Pick<StoreRecord, 'parameters'>): Promise<StoredTable[]> {
    const stores = await listAllStores(this.#parts.database.kysely)
    const kept = await listRetainedFiles(this.#parts.database.kysely)
    return [...stores, ...kept.filter(({ parameters }) => parameters['path'] !== files.parameters.path)]
  }

  /** Removes indexes without a store, and incomplete ones. */
  async sweepIndexes(): Promise<void> {
    await sweepIndexes(this.#parts.indexFolder, await this.listPlaces(), this.#parts.clock.now().getTime())
  }

  /** Lists locations that stores read, or that are retained because stores may read them again. */
  async listPlaces(): Promise<StoredTable[]> {
    const db = this.#parts.database.kysely
    return [...(await listAllStores(db)), ...(await listRetainedFiles(db))]
  }
}

/**
 * Removes the server's granules of a mosaic; files of users, and files that are not part of a mosaic, remain.
 */
async function removeMosaicFolder(storesFolder: string, mosaic: StoreRecord): Promise<void> {
  if (mosaic.type !== mosaicType) return
  const { folder } = mosaicLocation(mosaic)
  if (folder === '' || resolve(folder) === resolve(storesFolder)) return
  if (!(await isInside([storesFolder], folder).catch(() => false))) return
  await rm(folder, { recursive: true, force: true })
}
