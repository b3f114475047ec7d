import { randomUUID } from 'node:crypto'
import type { Database, Queryable } from '../../core/db/connection.ts'
import type { EventBus } from '../../core/events/events.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { Clock } from '../../core/time/clock.ts'
import { mosaicType, rasterState, type ServedStore } from '../../stores/index.ts'
import type { StoreFiles } from '../files/store-files.ts'
import type { LayerRecord, StoreRecord } from '../records.ts'
import { deleteLayerRow } from '../rows/layer-rows.ts'
import { findMosaicIndex } from '../rows/mosaic-index.ts'
import { restoreLayer, reviveStore } from '../rows/restoration.ts'
import { deleteStoreRow, getStoreById } from '../rows/store-rows.ts'
import type { ContentEnd, GoneStore } from '../versions/contents.ts'
import { endContent } from '../versions/contents.ts'
import type { GoneContent } from '../versions/gone-stores.ts'
import { endContentsOfStore, listGone } from '../versions/gone-stores.ts'
import type { VersionLimits } from '../versions/retention.ts'
import { whyNothingIsKept } from '../versions/retention.ts'
import { findVersion, latestVersionOf } from '../versions/version-rows.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'

/** Dependencies of deleting a store. */
export interface DeleteDeps extends WriteDeps {
  files: StoreFiles
  versionLimits: VersionLimits
  open(store: StoreRecord): Promise<ServedStore>
  /** Closes the cached connection of a store. */
  forget(storeId: number): Promise<void>
}

/**
 * Deletes the store of a raster or mosaic with its layers. The server's files for it are moved away and
 * retained as long as versions are, so that each version can be restored; files of others are not changed.
 */
export async function deleteCoverageStore(
  deps: DeleteDeps,
  store: StoreRecord,
  layers: readonly LayerRecord[],
): Promise<void> {
  const { database, events, files } = deps
  const table = await findGranules(deps, store)
  const end = await endOfStore(deps.files, deps.versionLimits, store, table)
  const removed = layers.map(({ workspace, name: layer }) => ({ workspace, layer }))
  await database.transaction(async (db) => {
    for (const layer of layers) await deleteLayerRow(db, layer, nowOf(deps.clock))
    await endContentsOfStore(db, store, { at: nowOf(deps.clock), end })
    await deleteStoreRow(db, store.id)
    for (const fact of removed) await events.record(db, { name: 'layer.removed', fact })
  })
  passStep('delete.noted')
  await deps.forget(store.id)
  const content = (await listGone(database.kysely)).find(
    (one) => one.storeId === store.id && one.afterId === undefined,
  )
  if (content === undefined) {
    await table?.opened.dropTable(table.name)
    await files.removeOf(store)
  } else
    await leave(deps, content).catch(async (error: unknown) => {
      await takeBack(deps.database, deps.clock, deps.events, content, layers)
      throw error
    })
  passStep('delete.told')
  for (const fact of removed) events.emit('layer.removed', fact)
}

type Granules = Awaited<ReturnType<typeof findGranules>>

/** Finds the granule table of a mosaic while its store is reachable; undefined if there is none. */
async function findGranules({ database, open }: Pick<DeleteDeps, 'open' | 'database'>, store: StoreRecord) {
  const index = store.type === mosaicType ? await findMosaicIndex(database.kysely, store) : undefined
  if (index === undefined) return undefined
  const opened = await open(index.store)
  const table = await opened.findTable(index.table)
  return table === undefined ? undefined : { opened, table, name: index.table, store: index.store }
}

/** Returns what happens to the contents of the store. */
async function endOfStore(
  files: StoreFiles,
  versionLimits: VersionLimits,
  store: StoreRecord,
  granules: Granules,
): Promise<ContentEnd> {
  const { type, parameters } = store
  const reason = whyNothingIsKept(versionLimits, store) ?? whyGranulesAreLost(store, granules)
  if (reason !== undefined) return { form: 'lost', reason }
  const id = randomUUID()
  const own = await files.ownFilesOf(store)
  const isElsewhere = own.paths.length === 0 && type !== mosaicType
  const gone: GoneStore = {
    store,
    aside: own.paths.length === 0 ? undefined : files.asideFolder(id),
    seen: isElsewhere ? (await rasterState(parameters.path ?? '')).text : undefined,
    index: granules === undefined ? undefined : keptIndex(id, granules),
  }
  return { form: 'kept', files: { type, parameters }, sizeBytes: own.sizeBytes, gone }
}

function whyGranulesAreLost({ type, parameters }: StoreRecord, granules: Granules): string | undefined {
  if (type !== mosaicType) return undefined
  if (parameters.path !== undefined)
    return 'Its files stay in a folder of others, which can be published again'
  if (granules === undefined) return 'The table of its granules was gone'
  return granules.opened.states === undefined
    ? `A ${granules.store.type} store keeps no earlier states`
    : undefined
}

/** Returns the state that a store would report after retaining the table. */
function keptIndex(
  id: string,
  { table, name, store }: NonNullable<Granules>,
): NonNullable<GoneStore['index']> {
  const { path } = store.parameters
  const state = { id, form: 'whole', table, sizeBytes: 0, detail: {} } as const
  return { storeId: store.id, table: name, state, path }
}

/** Moves the files of a deleted store away and retains its table; does nothing if that is done. */
async function leave(deps: DeleteDeps, content: GoneContent): Promise<void> {
  const { database, files } = deps
  const lost = await putGranulesAside(deps, content)
  passStep('delete.aside')
  if (lost === undefined) return files.moveAside(content)
  const end = { form: 'lost', reason: lost } as const
  await endContent(database.kysely, content.id, { at: nowOf(deps.clock), end })
  await files.removeGone(content)
}

/** Retains the granule table. Returns the reason if its contents are lost. */
async function putGranulesAside(
  deps: Pick<DeleteDeps, 'open' | 'database' | 'clock'>,
  content: GoneContent,
): Promise<string | undefined> {
  const { database, open } = deps
  const { files, gone, sizeBytes = 0, endedAt = nowOf(deps.clock) } = content
  const { index } = gone
  if (index === undefined) return undefined
  const opened = await open(await getStoreById(database.kysely, index.storeId))
  const { states } = opened
  if (states === undefined) return 'Its store keeps no earlier states'
  if ((await states.list()).includes(index.state.id)) return undefined
  if ((await opened.findTable(index.table)) === undefined) return 'The table of its granules is gone'
  const state = await states.putAside(index.table, index.state.id)
  if ('reason' in state) {
    await opened.dropTable(index.table)
    return state.reason
  }
  const reported = { ...gone, index: { ...index, state } }
  const end = { form: 'kept', files, sizeBytes: sizeBytes + state.sizeBytes, gone: reported } as const
  await endContent(database.kysely, content.id, { at: endedAt, end })
  return undefined
}

/**
 * Restores the store and its layers if its contents cannot be retained because other objects depend on them.
 */
async function takeBack(
  database: Database,
  clock: Clock,
  events: EventBus,
  content: GoneContent,
  layers: readonly LayerRecord[],
): Promise<void> {
  const { gone, files } = content
  const published = layers.map(({ workspace, name }) => ({
    workspace,
    layer: name,
    mode: 'RESTORE',
    rows: 0,
  }))
  await database.transaction(async (db) => {
    const revival = { store: gone.store, moved: new Map([[content.id, files]]) }
    await reviveStore(db, revival, { content, at: nowOf(clock) })
    for (const layer of layers) await publishAgain(db, layer, nowOf(clock))
    for (const fact of published) await events.record(db, { name: 'layer.published', fact })
  })
  for (const fact of published) events.emit('layer.published', fact)
}

async function publishAgain(db: Queryable, { id }: LayerRecord, at: string): Promise<void> {
  const version = await findVersion(db, id, await latestVersionOf(db, id))
  const end = { form: 'lost', reason: 'Its store was deleted' } as const
  if (version !== undefined) await restoreLayer(db, { version, what: ['data'], end }, at)
}

/**
 * Removes the retained contents of a deleted store. If the store of the granules does not respond, their
 * table remains.
 */
export async function dropGone(
  { database, files, open }: Pick<DeleteDeps, 'database' | 'files' | 'open'>,
  content: GoneContent,
): Promise<void> {
  const { index } = content.gone
  const store = index && (await getStoreById(database.kysely, index.storeId).catch(() => undefined))
  if (index !== undefined && store !== undefined && store.parameters.path === index.path)
    await (await open(store)).states?.drop(index.state)
  await files.removeGone(content)
}

/** Completes deletions that an earlier process started: moves retained contents of deleted stores away. */
export async function finishLeavingStores(deps: DeleteDeps): Promise<void> {
  const { database, files } = deps
  for (const content of await listGone(database.kysely)) {
    await leave(deps, content)
    passStep('delete.finished')
    const isBack = !(await listGone(database.kysely)).some(({ id }) => id === content.id)
    if (isBack) await files.moveBack(content)
  }
  await files.sweepAside()
}
