import { conflict } from '../../lib/errors.ts'
import { mosaicType } from '../../stores/rasters/coverage-types.ts'
import type { ServedStore } from '../../stores/reading/served-store.ts'
import type { StoreFiles } from '../files/store-files.ts'
import type { StoreRecord } from '../records.ts'
import { deleteLayerRow, listLayers } from '../rows/layer-rows.ts'
import { findMosaicIndex, listMosaicsIn } from '../rows/mosaic-index.ts'
import { deleteStoreRow } from '../rows/store-rows.ts'
import { forgetContents } from '../versions/contents.ts'
import { contentsOfStore } from '../versions/garbage.ts'
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
  const kept = await findKept(parts, store)
  await database.transaction(async (db) => {
    for (const layer of layers) await deleteLayerRow(db, layer, nowOf(parts))
    await forgetContents(db, store.id)
    await deleteStoreRow(db, store.id)
  })
  await kept.drop()
  await parts.forget(store.id)
  await index?.drop()
  await files.removeOf(store)
  for (const path of kept.paths) await files.removeUnused(path)
  for (const { workspace, name } of layers) events.emit('layer.removed', { workspace, layer: name })
}

/** What the layers of a store were before goes with it; a store that does not answer keeps it where it is. */
async function findKept(
  { database, open }: DeletingParts,
  store: StoreRecord,
): Promise<{ paths: string[]; drop(): Promise<void> }> {
  const contents = (await contentsOfStore(database.kysely, store.id)).filter(({ form }) => form === 'kept')
  const here = store.parameters.path
  const paths = contents.flatMap(({ files, path }) => files?.parameters.path ?? path ?? [])
  const states = contents.flatMap(({ state, path }) => (state !== undefined && path === here ? [state] : []))
  const opened = states.length === 0 ? undefined : await open(store)
  const drop = async (): Promise<void> => {
    for (const state of states) await opened?.states?.drop(state).catch(() => undefined)
  }
  return { paths: [...new Set(paths)].filter((path) => path !== here), drop }
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
