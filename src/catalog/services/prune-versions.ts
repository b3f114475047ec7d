import type { Database } from '../../core/db/connection.ts'
import type { FreeSpace } from '../../core/files/free-space.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { StoreRecord } from '../records.ts'
import { getStoreById, listAllStores } from '../rows/store-rows.ts'
import type { ContentRecord } from '../versions/contents.ts'
import { endContent } from '../versions/contents.ts'
import {
  contentsOfStore,
  forgetOldVersions,
  pinnedContents,
  removeUnannounced,
  unneededContents,
} from '../versions/garbage.ts'
import type { GoneContent } from '../versions/gone-stores.ts'
import { findGoneStore, listGone } from '../versions/gone-stores.ts'
import type { VersionLimits } from '../versions/retention.ts'
import { chooseOutdated } from '../versions/retention.ts'
import type { Stores } from './stores.ts'
import type { WriteDeps } from './transaction.ts'
import { nowOf } from './transaction.ts'

export interface PruneDeps extends WriteDeps {
  stores: Stores
  limits: VersionLimits
  /** Free space of the disk with the data directory. */
  space: FreeSpace
}

/** Runs work on a store while no load is in progress there, if the store allows only one load at a time. */
export type StoreLock = (store: StoreRecord, work: () => Promise<void>) => Promise<void>

const dayMs = 86_400_000
/** Share of the disk that retained files must leave free. */
const spareShare = 0.1
const noLonger = 'Its version was deleted'

/**
 * Removes retained contents that are too old or exceed the size limit, in every store, and those no longer
 * needed.
 */
export async function pruneVersions(deps: PruneDeps, inTurn: StoreLock): Promise<void> {
  const { database, clock, limits } = deps
  const before = new Date(clock.now().getTime() - limits.days * dayMs).toISOString()
  await database.transaction((db) => forgetOldVersions(db, before))
  for (const store of await listAllStores(database.kysely)) {
    const contents = await contentsOfStore(database.kysely, store.id)
    if (contents.some(({ form }) => form === 'kept')) await inTurn(store, () => pruneStore(deps, store.id))
  }
  await pruneGone(deps, inTurn)
  await database.transaction(removeUnannounced)
}

/** The same for one store. */
export async function pruneStore(deps: PruneDeps, storeId: number): Promise<void> {
  const { database, clock } = deps
  const db = database.kysely
  const contents = await contentsOfStore(db, storeId)
  if (!contents.some(({ form }) => form === 'kept')) return
  if ((await findGoneStore(db, storeId)) !== undefined) return pruneGone(deps)
  const store = await getStoreById(db, storeId)
  const limits = await limitsOf(
    deps.limits,
    deps.space,
    { hasFiles: store.parameters.path !== undefined },
    contents,
  )
  const pinned = await pinnedContents(db, storeId)
  for (const { content, reason } of chooseOutdated(contents, { pinned, now: clock.now(), limits }))
    await letGo(deps, store, content, reason)
  for (const content of await unneededContents(db, storeId)) await letGo(deps, store, content, noLonger)
}

/** The same for all deleted stores together, whose retained contents are independent. */
async function pruneGone(deps: PruneDeps, inTurn: StoreLock = (_store, work) => work()): Promise<void> {
  const { database, clock } = deps
  const db = database.kysely
  const contents = await listGone(db)
  const ids = [...new Set(contents.map(({ storeId }) => storeId))]
  const pinned = new Set<number>()
  const unneeded: ContentRecord[] = []
  for (const id of ids) {
    for (const one of await pinnedContents(db, id)) pinned.add(one)
    unneeded.push(...(await unneededContents(db, id)))
  }
  const limits = await limitsOf(deps.limits, deps.space, { hasFiles: contents.length > 0 }, contents)
  const outdated = chooseOutdated(contents, { pinned, now: clock.now(), limits })
  const going = [...outdated, ...unneeded.map((content) => ({ content, reason: noLonger }))]
  const reasons = new Map(going.map(({ content, reason }) => [content.id, reason]))
  for (const content of contents) {
    const reason = reasons.get(content.id)
    if (reason !== undefined)
      await letGoneGo(deps.stores, deps.database, deps.clock, content, { reason, inTurn })
  }
}

async function letGoneGo(
  stores: Stores,
  database: Database,
  clock: Clock,
  content: GoneContent,
  { reason, inTurn }: { reason: string; inTurn: StoreLock },
): Promise<void> {
  await database.transaction((db) =>
    endContent(db, content.id, { at: nowOf(clock), end: { form: 'lost', reason } }),
  )
  passStep('prune.told')
  const { index } = content.gone
  const store = index && (await stores.findById(index.storeId))
  const drop = () => stores.dropGone(content)
  await (store === undefined ? drop() : inTurn(store, drop))
  passStep('prune.dropped')
}

/** Returns lower limits for files if the disk is nearly full. */
async function limitsOf(
  limits: VersionLimits,
  space: FreeSpace,
  { hasFiles }: { hasFiles: boolean },
  contents: readonly ContentRecord[],
): Promise<VersionLimits> {
  const disk = hasFiles ? await space.read() : undefined
  if (disk === undefined) return limits
  const lacking = disk.totalBytes * spareShare - disk.freeBytes
  if (lacking <= 0) return limits
  const kept = contents.reduce((sum, { form, sizeBytes = 0 }) => sum + (form === 'kept' ? sizeBytes : 0), 0)
  return { ...limits, bytes: Math.min(limits.bytes, Math.max(0, kept - lacking)) }
}

/**
 * Deletes the record first, then the contents; if a crash happens in between, the next start removes the
 * contents.
 */
async function letGo(
  deps: PruneDeps,
  store: StoreRecord,
  { id, state, files, path, afterId }: ContentRecord,
  reason: string,
): Promise<void> {
  const { database, stores } = deps
  const end = { form: 'lost', reason } as const
  const at = nowOf(deps.clock)
  await database.transaction((db) => endContent(db, id, { at, end, afterId }))
  passStep('prune.told')
  const isHere = state !== undefined && path === store.parameters.path
  if (isHere) await (await stores.open(store)).states?.drop(state)
  const file = files?.parameters.path ?? path
  if (file !== undefined && !isHere) await stores.files.removeUnused(file)
  passStep('prune.dropped')
}
