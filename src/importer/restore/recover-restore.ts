import type { Catalog, ContentEnd, RestorePlan, StoreRecord, VersionRecord } from '../../catalog/index.ts'
import type { Logger } from '../../core/log/logger.ts'
import { passStep } from '../../core/process/protocol-steps.ts'
import { without } from '../../core/values/defined.ts'
import type { RestoreRecord } from './restore-rows.ts'
import { saveRestore } from './restore-rows.ts'

interface RecoverRestoreDeps {
  catalog: Catalog
  log: Logger
}

const nothingWas: ContentEnd = { form: 'lost', reason: 'Its store was deleted' }

/** Returns what happens to the present contents; undefined if nothing replaces them. */
async function endOf(
  catalog: Catalog,
  { token, keep, kept }: RestoreRecord,
  store: StoreRecord,
  way: RestorePlan | undefined,
): Promise<ContentEnd | undefined> {
  if (way?.kind === 'files') return catalog.versions.keepFiles(store)
  if (token === undefined) return undefined
  const { path } = store.parameters
  if (kept !== undefined && 'id' in kept) return { form: 'kept', state: kept, path }
  const why = kept ?? keep
  return {
    form: 'lost',
    reason: why !== undefined && 'reason' in why ? why.reason : 'Its contents were not stored',
  }
}

/**
 * Publishes the restored contents as a new version of the layer and announces the end of the restore, in one
 * transaction.
 */
export async function publishRestore(
  deps: RecoverRestoreDeps,
  record: RestoreRecord,
  way: RestorePlan | undefined,
): Promise<void> {
  const { catalog } = deps
  const version = await catalog.versions.getOf(record.layerId, record.version)
  const store = await catalog.stores.getOrGone(version.storeId)
  const revival = record.what.includes('data') ? await catalog.stores.restoreVersion(store.id) : undefined
  const end = revival === undefined ? await endOf(deps.catalog, record, store, way) : nothingWas
  const files = revival === undefined && way?.kind === 'files' ? way.content.files : undefined
  const { what, user, rows } = record
  await catalog.transaction(async (change, db) => {
    const layer = await change.restoreLayer({ version, what, end, files, revival, rows, user })
    await saveRestore(db, { ...record, end: { version: layer.version } })
  })
  passStep('restore.published')
  if (record.token !== undefined) await dropReturned(deps, version)
  passStep('restore.returned')
}

/**
 * Removes the retained contents, which are now the table itself. A store may have retained a copy
 * nevertheless.
 */
async function dropReturned(
  { catalog, log }: RecoverRestoreDeps,
  { storeId, content }: VersionRecord,
): Promise<void> {
  const index = content.gone?.index
  const state = content.state ?? index?.state
  if (state === undefined) return
  const opened = await catalog.stores.open(await catalog.stores.get(index?.storeId ?? storeId))
  await opened.states
    ?.drop(state)
    .catch((error: unknown) => log.warn({ err: error, id: state.id }, 'a stored layer state was not removed'))
}

/**
 * Recovers an interrupted restore: publishes committed rows, discards uncommitted ones. Returns true if that
 * completes the restore. Throws if the store does not respond.
 */
export async function recoverRestore(deps: RecoverRestoreDeps, record: RestoreRecord): Promise<boolean> {
  if (record.table === undefined) return false
  const { catalog } = deps
  const { storeId, tableStoreId = storeId } = record
  const opened = await catalog.stores.open(await catalog.stores.get(tableStoreId))
  const { token, loadId } = record
  const isCommitted = token !== undefined && (await opened.outcome(token)) === 'committed'
  await opened.sweep(loadId)
  passStep('settle.swept')
  if (isCommitted) await publishRestore(deps, record, undefined)
  else await catalog.layers.giveUpChange(loadId)
  passStep(isCommitted ? 'settle.published' : 'settle.given-up')
  return isCommitted
}

/** Returns a restore record in its state before staging. */
export function unbegun(record: RestoreRecord): RestoreRecord {
  return without(record, 'table', 'tableStoreId', 'keep', 'token', 'kept', 'rows')
}
