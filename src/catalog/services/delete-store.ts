import { conflict } from '../../core/errors/errors.ts'
import { isCoverageStoreType } from '../../stores/index.ts'
import type { StoreRecord } from '../records.ts'
import { deleteLayerRow, listLayers } from '../rows/layer-rows.ts'
import { listMosaicsIn } from '../rows/mosaic-index.ts'
import { deleteStoreRow } from '../rows/store-rows.ts'
import { forgetContents } from '../versions/contents.ts'
import { contentsOfStore } from '../versions/garbage.ts'
import type { GoneContent } from '../versions/gone-stores.ts'
import { forgetGone, listGone } from '../versions/gone-stores.ts'
import type { DeleteDeps } from './delete-coverage.ts'
import { deleteCoverageStore, dropGone } from './delete-coverage.ts'
import { nowOf } from './transaction.ts'

/**
 * Deletes a store with the server's files for it; with `recurse` also its layers, and mosaics whose granule
 * table it contains.
 */
export async function deleteStore(
  deps: DeleteDeps,
  store: StoreRecord,
  options: { recurse: boolean },
): Promise<void> {
  const { database, events, files } = deps
  const layers = await listLayers(database.kysely, { storeId: store.id })
  if (layers.length > 0 && !options.recurse) {
    throw conflict(
      'store-not-empty',
      `Store "${store.name}" has ${layers.length} layers: delete them first, or use recurse=true`,
    )
  }
  if (isCoverageStoreType(store.type)) return deleteCoverageStore(deps, store, layers)
  await deleteMosaicsIn(deps, store, options)
  const kept = await findKept(deps, store)
  const removed = layers.map(({ workspace, name: layer }) => ({ workspace, layer }))
  await database.transaction(async (db) => {
    for (const layer of layers) await deleteLayerRow(db, layer, nowOf(deps.clock))
    await forgetContents(db, store.id)
    await deleteStoreRow(db, store.id)
    for (const fact of removed) await events.record(db, { name: 'layer.removed', fact })
  })
  await kept.drop()
  await deps.forget(store.id)
  await files.removeOf(store)
  for (const path of kept.paths) await files.removeUnused(path)
  for (const fact of removed) events.emit('layer.removed', fact)
}

/** Finds retained contents of the layers of a store. Those in a store that does not respond remain there. */
async function findKept(
  { database, open }: Pick<DeleteDeps, 'open' | 'database'>,
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

/** Deletes the mosaics whose granule tables are in the store. */
async function deleteMosaicsIn(
  deps: DeleteDeps,
  store: StoreRecord,
  { recurse }: { recurse: boolean },
): Promise<void> {
  const mosaics = await listMosaicsIn(deps.database.kysely, store)
  const [first] = mosaics
  if (first !== undefined && !recurse) {
    throw conflict(
      'store-in-use',
      `Store "${store.name}" holds the granules of the mosaic "${first.name}": delete that first, or use recurse=true`,
    )
  }
  for (const mosaic of mosaics) await deleteStore(deps, mosaic, { recurse: true })
  await forgetGoneStores(deps, ({ gone: { index } }) => index?.storeId === store.id)
}

/** Removes retained contents of deleted stores, with the versions of their layers. */
export async function forgetGoneStores(
  { database, files, open }: Pick<DeleteDeps, 'files' | 'open' | 'database'>,
  isMeant: (content: GoneContent) => boolean,
): Promise<void> {
  for (const content of (await listGone(database.kysely)).filter(isMeant)) {
    await database.transaction((db) => forgetGone(db, content))
    await dropGone({ database, files, open }, content)
  }
}
