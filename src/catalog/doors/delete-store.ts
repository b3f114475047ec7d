import { conflict } from '../../lib/errors.ts'
import { mosaicType } from '../../stores/rasters/coverage-types.ts'
import type { ServedStore } from '../../stores/reading/served-store.ts'
import type { StoreFiles } from '../files/store-files.ts'
import type { StoreRecord } from '../records.ts'
import { deleteLayerRow, listLayers } from '../rows/layer-rows.ts'
import { findMosaicIndex, listMosaicsIn } from '../rows/mosaic-index.ts'
import { deleteStoreRow } from '../rows/store-rows.ts'
import type { WriteParts } from './parts.ts'
import { nowOf } from './parts.ts'

export interface DeletingParts extends WriteParts {
  files: StoreFiles
  open(store: StoreRecord): Promise<ServedStore>
  /** Closes what was open of a store. */
  forget(storeId: number): Promise<void>
}

/** Deletes a store with what the server keeps for it; with `recurse` also its layers, and the mosaics that live by it. */
export async function deleteStore(
  parts: DeletingParts,
  store: StoreRecord,
  options: { recurse: boolean },
): Promise<void> {
  const { database, events, files } = parts
  const layers = await listLayers(database.kysely, { storeId: store.id })
  if (layers.length > 0 && !options.recurse) {
    throw conflict(
      'store-not-empty',
      `Store "${store.name}" has ${layers.length} layers: delete them first, or use recurse=true`,
    )
  }
  await deleteMosaicsIn(parts, store, options)
  const index = await findIndexTable(parts, store)
  await database.transaction(async (db) => {
    for (const layer of layers) await deleteLayerRow(db, layer, nowOf(parts))
    await deleteStoreRow(db, store.id)
  })
  await parts.forget(store.id)
  await index?.drop()
  await files.removeOf(store)
  for (const { workspace, name } of layers) events.emit('layer.removed', { workspace, layer: name })
}

/** Mosaics live by the table of their granules: a store goes with those that it holds. */
async function deleteMosaicsIn(
  parts: DeletingParts,
  store: StoreRecord,
  { recurse }: { recurse: boolean },
): Promise<void> {
  const mosaics = await listMosaicsIn(parts.database.kysely, store)
  const [first] = mosaics
  if (first !== undefined && !recurse) {
    throw conflict(
      'store-in-use',
      `Store "${store.name}" holds the granules of the mosaic "${first.name}": delete that first, or use recurse=true`,
    )
  }
  for (const mosaic of mosaics) await deleteStore(parts, mosaic, { recurse: true })
}

/** The table of a mosaic's granules, found while its store can be reached; undefined where there is none. */
async function findIndexTable(
  { database, open }: DeletingParts,
  store: StoreRecord,
): Promise<{ drop(): Promise<void> } | undefined> {
  if (store.type !== mosaicType) return undefined
  const index = await findMosaicIndex(database.kysely, store)
  if (index === undefined) return undefined
  const opened = await open(index.store)
  const isThere = (await opened.listTables()).includes(index.table)
  return isThere ? { drop: () => opened.dropTable(index.table) } : undefined
}
