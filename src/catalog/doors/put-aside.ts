import { randomUUID } from 'node:crypto'
import type { Database } from '../../db/connection.ts'
import { defined } from '../../lib/defined.ts'
import { passStep } from '../../lib/protocol-steps.ts'
import type { ServedStore } from '../../stores/reading/served-store.ts'
import type { KeptState } from '../../stores/store.ts'
import type { LayerRecord, StoreRecord } from '../records.ts'
import { getStoreById } from '../rows/store-rows.ts'
import type { ContentEnd, ContentRecord } from '../versions/contents.ts'
import { endContent, forgetIntent, listIntents, noteIntent, presentContent } from '../versions/contents.ts'
import type { WriteParts } from './parts.ts'
import { nowOf } from './parts.ts'
import type { Stores } from './stores.ts'
import type { Versions } from './versions.ts'

export interface AsideParts extends WriteParts {
  stores: Stores
  versions: Pick<Versions, 'howToKeep'>
}

/** The table of a layer that is being deleted. */
export interface Leaving {
  store: StoreRecord
  opened: ServedStore
  layer: LayerRecord
  /** Under which id it will be kept, or why it will not. */
  keep: { id: string } | { reason: string }
}

/** What is to become of the table of a layer that goes; its store is opened, so that a fault shows before anything is changed. */
export async function planLeaving(
  { stores, versions }: AsideParts,
  store: StoreRecord,
  layer: LayerRecord,
): Promise<Leaving> {
  const opened = await stores.open(store)
  return { store, opened, layer, keep: await versions.howToKeep(store, randomUUID()) }
}

/** Writes down what is about to happen to the table; run it in the transaction that unpublishes the layer. */
export async function noteLeaving(
  db: Database['kysely'],
  { store, layer, keep }: Leaving,
  at: string,
): Promise<void> {
  if ('reason' in keep) return
  const content = await presentContent(db, { storeId: store.id, table: layer.nativeName }, at)
  await noteIntent(db, content, stateOf(keep.id, layer), store.parameters.path)
}

/** What a store would tell of a table that it has put aside. */
function stateOf(id: string, { nativeName, details }: LayerRecord): KeptState {
  const { schema, featureCount, envelope } = details
  const table = { name: nativeName, schema, ...defined({ featureCount, envelope }) }
  return { id, form: 'whole', table, sizeBytes: 0, detail: {} }
}

/** Puts the table aside, or drops it where nothing is kept. */
export async function leaveTable(parts: AsideParts, leaving: Leaving): Promise<void> {
  const { store, opened, layer, keep } = leaving
  const at = nowOf(parts)
  const db = parts.database.kysely
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
    'reason' in aside
      ? { form: 'lost', reason: aside.reason }
      : { form: 'kept', state: aside, ...defined({ path }) }
  await endContent(db, content, { at, end })
  passStep('delete.told')
}

/** Ends what an earlier process has begun: tables of layers that were deleted are put aside, or were so already. */
export async function finishLeaving(parts: AsideParts): Promise<void> {
  for (const content of await listIntents(parts.database.kysely)) await finishOne(parts, content)
}

async function finishOne(parts: AsideParts, { id, storeId, state, path }: ContentRecord): Promise<void> {
  if (state === undefined) return
  const { database, stores } = parts
  const opened = await stores.open(await getStoreById(database.kysely, storeId))
  const { states } = opened
  const isAside = (await states?.list())?.includes(state.id) === true
  const isThere = !isAside && (await opened.findTable(state.table.name)) !== undefined
  const kept = isAside ? state : isThere ? await states?.putAside(state.table.name, state.id) : undefined
  passStep('delete.finished')
  const end: ContentEnd =
    kept === undefined || 'reason' in kept
      ? { form: 'lost', reason: 'Its table is gone' }
      : { form: 'kept', state: kept, ...defined({ path }) }
  await endContent(database.kysely, id, { at: nowOf(parts), end })
}
