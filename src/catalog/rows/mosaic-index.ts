import { join } from 'node:path'
import type { Queryable } from '../../core/db/connection.ts'
import { notFound } from '../../core/errors/errors.ts'
import { mosaicType, type StoreParameters } from '../../stores/index.ts'
import type { StoreRecord } from '../records.ts'
import { findStore, listStores } from './store-rows.ts'

/**
 * Parts of a mosaic store: the table with a row for each granule, and the server's folder for uploaded
 * granules.
 */
export interface MosaicLocation {
  indexStore: string
  indexTable: string
  folder: string
}

export function toMosaicParameters({ indexStore, indexTable, folder }: MosaicLocation): StoreParameters {
  return { index_store: indexStore, index_table: indexTable, folder }
}

export function mosaicLocation({ parameters }: Pick<StoreRecord, 'parameters'>): MosaicLocation {
  const { index_store: indexStore = '', index_table: indexTable = '', folder = '' } = parameters
  return { indexStore, indexTable, folder }
}

/** Index file of a mosaic whose granules remain in a folder of an import root. */
export const granuleFile = 'granules.fgb'

/** The data store and table that hold the index of a mosaic. */
export interface MosaicIndex {
  store: StoreRecord
  table: string
  /** Server folder for uploaded granules. */
  folder: string
}

export async function findMosaicIndex(db: Queryable, mosaic: StoreRecord): Promise<MosaicIndex | undefined> {
  const { indexStore, indexTable, folder } = mosaicLocation(mosaic)
  const store = await findStore(db, mosaic.workspace, indexStore)
  return store === undefined ? undefined : { store, table: indexTable, folder }
}

export async function getMosaicIndex(db: Queryable, mosaic: StoreRecord): Promise<MosaicIndex> {
  const ofFolder = indexOfFolder(mosaic)
  if (ofFolder !== undefined) return ofFolder
  const index = await findMosaicIndex(db, mosaic)
  if (index !== undefined) return index
  const { indexStore } = mosaicLocation(mosaic)
  throw notFound('unknown-store', `The store "${indexStore}" with the granules of "${mosaic.name}" is gone`)
}

/** Returns the index of a mosaic over a folder, as a store that is not in the catalogue. */
function indexOfFolder(mosaic: StoreRecord): MosaicIndex | undefined {
  if (mosaic.parameters.path === undefined) return undefined
  const { folder } = mosaicLocation(mosaic)
  const parameters = { path: join(folder, granuleFile), read_only: 'true' }
  return {
    store: { ...mosaic, kind: 'dataStore', type: 'FlatGeobuf', parameters },
    table: 'granules',
    folder,
  }
}

/** Lists mosaics whose granule table is in a store. */
export async function listMosaicsIn(db: Queryable, store: StoreRecord): Promise<StoreRecord[]> {
  const coverages = await listStores(db, store.workspace, 'coverageStore')
  return coverages.filter((one) => one.type === mosaicType && mosaicLocation(one).indexStore === store.name)
}
