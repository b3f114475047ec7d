import { randomUUID } from 'node:crypto'
import type { Database } from '../../core/db/connection.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { ServedStore, TableSnapshot } from '../../stores/index.ts'
import type { LayerRecord, StoreRecord } from '../records.ts'
import { getStoreById } from '../rows/store-rows.ts'
import type { ContentEnd, ContentRecord } from '../versions/contents.ts'
import { endContent, forgetIntent, listIntents, noteIntent, presentContent } from '../versions/contents.ts'
import type { Stores } from './stores.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'
import type { Versions } from './versions.ts'

export interface SnapshotTableDeps extends WriteDeps {
  stores: Stores
  versions: Pick<Versions, 'howToKeep'>
}

/** The table of a layer that is being deleted. */
export interface Leaving {
  store: StoreRecord
  opened: ServedStore
  layer: LayerRecord
  /** Id under which the table will be retained, or the reason why it will not be. */
  keep: { id: string } | { reason: string }
}

/**
 * Decides what happens to the table of a layer to be deleted. Opens its store, so that an error occurs before
 * anything is changed.
 */
export async function planLeaving(
  { stores, versions }: Pick<SnapshotTableDeps, 'stores' | 'versions'>,
  store: StoreRecord,
  layer: LayerRecord,
): Promise<Leaving> {
  const opened = await stores.open(store)
  return { store, opened, layer, keep: await versions.howToKeep(store, randomUUID()) }
}

/** Records what will happen to the table; run in the transaction that unpublishes the layer. */
export async function noteLeaving(
  db: Database['kysely'],
  { store, layer, keep }: Leaving,
  at: string,
): Promise<void> {
  if ('reason' in keep) return
  const content = await presentContent(db, { storeId: store.id, table: layer.nativeName }, at)
  await noteIntent(db, content, stateOf(keep.id, layer), store.parameters.path)
}

/** Returns the state that a store would report after retaining the table. */
function stateOf(id: string, { nativeName, details }: LayerRecord): TableSnapshot {
  const { schema, featureCount, envelope } = details
  const table = { name: nativeName, schema, featureCount, envelope }
  return { id, form: 'whole', table, sizeBytes: 0, detail: {} }
}

/** Retains the table, or drops it if nothing is to be retained. */
export async function leaveTable(
  { database, clock }: Pick<SnapshotTableDeps, 'database' | 'clock'>,
  leaving: Leaving,
): Promise<void> {
  const { store, opened, layer, keep } = leaving
  const at = nowOf(clock)
  const db = database.kysely
  const content = await presentContent(db, { storeId: store.id, table: layer.nativeName }, at)
  const { states } = opened
  const aside =
    'reason' in keep || states === undefined
      ? { reason: 'reason' in keep ? keep.reason : 'Its store keeps no earlier states' }
      : await states.putAside(layer.nativeName, keep.id).catch(async (error: unknown) => {
          await forgetIntent(db, content)
          throw error
        })
  passStep('delete.aside')
  if ('reason' in aside) await opened.dropTable(layer.nativeName)
  const { path } = store.parameters
  const end: ContentEnd =
    'reason' in aside ? { form: 'lost', reason: aside.reason } : { form: 'kept', state: aside, path }
  await endContent(db, content, { at, end })
  passStep('delete.told')
}

/** Completes what an earlier process started: retains tables of deleted layers, if not done yet. */
export async function finishLeaving({ stores, database, clock }: SnapshotTableDeps): Promise<void> {
  for (const content of await listIntents(database.kysely)) await finishOne(stores, database, clock, content)
}

async function finishOne(
  stores: Stores,
  database: Database,
  clock: Clock,
  { id, storeId, state, path }: ContentRecord,
): Promise<void> {
  if (state === undefined) return
  const opened = await stores.open(await getStoreById(database.kysely, storeId))
  const { states } = opened
  const isAside = (await states?.list())?.includes(state.id) === true
  const isThere = !isAside && (await opened.findTable(state.table.name)) !== undefined
  const kept = isAside ? state : isThere ? await states?.putAside(state.table.name, state.id) : undefined
  passStep('delete.finished')
  const end: ContentEnd =
    kept === undefined || 'reason' in kept
      ? { form: 'lost', reason: 'Its table is gone' }
      : { form: 'kept', state: kept, path }
  await endContent(database.kysely, id, { at: nowOf(clock), end })
}
