import type { Database } from '../../db/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import { isInside } from '../../sources/path-guard.ts'
import { mosaicType } from '../../stores/rasters/coverage-types.ts'
import type { StoreParameters } from '../../stores/store.ts'
import type { StoreRecord } from '../records.ts'
import { mosaicPlace } from '../rows/mosaic-index.ts'
import { listAllStores, listStores } from '../rows/store-rows.ts'
import { listKeptFiles } from '../versions/contents.ts'
import type { GoneContent } from '../versions/gone-stores.ts'
import { listGone } from '../versions/gone-stores.ts'
import { asideFolder, listMovable, moveAside, moveBack, removeAside, sweepAside } from './aside-files.ts'
import { removeMosaicFolder } from './mosaic-folder.ts'
import { removeStoreFile, sizeOfTree } from './store-file.ts'
import { removeStoreIndex, sweepIndexes } from './store-index.ts'

type ReadPlace = Pick<StoreRecord, 'type' | 'parameters'> & Partial<Pick<StoreRecord, 'id'>>

/** The files of stores and the indexes of such files, where the server keeps them itself. */
export class StoreFiles {
  readonly #parts: { database: Database; clock: Clock; storesFolder: string; indexFolder: string }

  constructor(parts: { database: Database; clock: Clock; storesFolder: string; indexFolder: string }) {
    this.#parts = parts
  }

  /** The files that the stores of a workspace read, also those that are made at the first load. */
  async listOf(workspace: string): Promise<Set<string>> {
    const stores = await listStores(this.#parts.database.kysely, workspace)
    return new Set(stores.flatMap(({ parameters: { path } }) => (path === undefined ? [] : [path])))
  }

  /** Whether a store reads what the server keeps itself: that goes with the store. */
  isOurs(store: StoreRecord): Promise<boolean> {
    const { path, read_only } = store.parameters
    const place = store.type === mosaicType ? mosaicPlace(store).folder : path
    if (place === undefined || place === '' || read_only === 'true') return Promise.resolve(false)
    return isInside([this.#parts.storesFolder], place).catch(() => false)
  }

  /** Removes a file of ours that no store reads any more, with what belongs to it; leaves any other. */
  async removeUnused(path: string): Promise<void> {
    await removeStoreFile(this.#parts.storesFolder, { parameters: { path } }, await this.listPlaces())
  }

  /** Removes the index of a file that no store serves any more. */
  async removeUnusedIndex(store: Pick<StoreRecord, 'type' | 'parameters'>): Promise<void> {
    await removeStoreIndex(this.#parts.indexFolder, store, await this.listPlaces())
  }

  /** Removes the index of a file that no layer is served from; one that is asked for again is made again. */
  async dropIndex(store: StoreRecord): Promise<void> {
    const others = (await this.listPlaces()).filter(({ id }) => id !== store.id)
    await removeStoreIndex(this.#parts.indexFolder, store, others)
  }

  /** Removes what a store that is gone had of ours: its file, or a mosaic's granules, and the index of its file. */
  async removeOf(store: StoreRecord): Promise<void> {
    const { storesFolder } = this.#parts
    await removeMosaicFolder(storesFolder, store)
    await removeStoreFile(storesFolder, store, await this.listPlaces())
    await this.removeUnusedIndex(store)
  }

  /** What a store reads that is ours and that no other store reads. */
  async ownFilesOf(store: StoreRecord): Promise<{ paths: string[]; sizeBytes: number }> {
    const others = (await this.listPlaces()).filter(({ id }) => id !== store.id)
    const paths = await listMovable(this.#parts.storesFolder, store, others)
    let sizeBytes = 0
    for (const path of paths) sizeBytes += await sizeOfTree(path)
    return { paths, sizeBytes }
  }

  /** Where the files of a store that is deleted go. */
  asideFolder(id: string): string {
    return asideFolder(this.#parts.storesFolder, id)
  }

  /** Moves the files of a store that was deleted out of the way; does nothing where that was done. */
  async moveAside({ files, gone: { aside } }: GoneContent): Promise<void> {
    if (aside !== undefined)
      await moveAside(this.#parts.storesFolder, { files, aside }, await this.#placesBut(files))
  }

  /** Moves them back, and gives what the store reads now. */
  moveBack(content: GoneContent): Promise<StoreParameters> {
    return moveBack(content)
  }

  /** Removes the files of a store that was deleted, wherever they are. */
  async removeGone(content: GoneContent): Promise<void> {
    await removeAside(this.#parts.storesFolder, content, await this.#placesBut(content.files))
  }

  /** Removes files that were moved aside and of which nobody tells. */
  async sweepAside(): Promise<void> {
    const db = this.#parts.database.kysely
    const read = (await listAllStores(db)).flatMap(({ parameters }) => Object.values(parameters))
    const kept = (await listGone(db)).flatMap(({ gone: { aside } }) => aside ?? [])
    await sweepAside(this.#parts.storesFolder, [...read, ...kept])
  }

  /** Places that others read or may read again. */
  async #placesBut(files: Pick<StoreRecord, 'parameters'>): Promise<ReadPlace[]> {
    const stores = await listAllStores(this.#parts.database.kysely)
    const kept = await listKeptFiles(this.#parts.database.kysely)
    return [...stores, ...kept.filter(({ parameters }) => parameters['path'] !== files.parameters.path)]
  }

  /** Removes indexes that belong to no store, and those that nobody finished. */
  async sweepIndexes(): Promise<void> {
    await sweepIndexes(this.#parts.indexFolder, await this.listPlaces(), this.#parts.clock.now().getTime())
  }

  /** Places that stores read, or that are kept since they may do so again. */
  async listPlaces(): Promise<ReadPlace[]> {
    const db = this.#parts.database.kysely
    return [...(await listAllStores(db)), ...(await listKeptFiles(db))]
  }
}
