import type { Queryable } from '../../core/db/connection.ts'
import { conflict } from '../../core/errors/errors.ts'
import { findFreeName } from '../../core/text/free-name.ts'
import { without } from '../../core/values/defined.ts'
import type { LayerDetails, LayerRecord, StoreRecord } from '../records.ts'
import type { ContentEnd, ContentRecord, RetainedFiles } from '../versions/contents.ts'
import { returnContent } from '../versions/contents.ts'
import { reviveContents } from '../versions/gone-stores.ts'
import type { VersionRecord } from '../versions/version-rows.ts'
import { findRetainedStyle, latestVersionOf } from '../versions/version-rows.ts'
import { layersOfTable } from './changing-layers.ts'
import { findLayer, findLayerById, updateLayer } from './layer-rows.ts'
import { findStore, insertStoreAgain, moveStore } from './store-rows.ts'
import { findStyle, insertStyle, resolveStyle, saveStyle } from './style-rows.ts'
import { growBesides, layersDrawnBy, takeFirstVersion } from './version-numbers.ts'

/** Parts of a layer that can be restored. */
export const restoredParts = ['data', 'style'] as const
export type RestoredPart = (typeof restoredParts)[number]

/** A deleted store to restore. */
export interface Revival {
  store: StoreRecord
  /** Files of its contents after moving them back. */
  moved: ReadonlyMap<number, RetainedFiles>
}

/** A restore of a layer; its data are already in the table, or are files to switch the store to. */
export interface Restoration {
  version: VersionRecord
  what: readonly RestoredPart[]
  /** Fate of the present contents, if they are replaced. */
  end?: ContentEnd
  files?: RetainedFiles
  /** Set if the store was deleted. */
  revival?: Revival
  /** Number of restored rows, if counted. */
  rows?: number
  user?: string
}

/** Restores a layer as a new version; a deleted one is published again. Run in a transaction. */
export async function restoreLayer(
  db: Queryable,
  { version, what, end, files, revival, rows, user }: Restoration,
  at: string,
): Promise<LayerRecord> {
  const { layerId, storeId, nativeName, content } = version
  if (revival !== undefined) await reviveStore(db, revival, { content, at })
  const layer = (await findLayerById(db, layerId)) ?? (await publishAgain(db, version, at))
  const from = { storeId: layer.storeId, table: layer.nativeName }
  const hasData = what.includes('data')
  if (hasData && end !== undefined) await returnContent(db, content, { at, end, from })
  if (hasData && files !== undefined) {
    const beside = end === undefined ? [] : await layersOfTable(db, { storeId, table: nativeName })
    await moveStore(db, storeId, files, { at, but: [layer.id, ...beside] })
  }
  const details = {
    ...(hasData ? withData(layer.details, version.details, rows) : layer.details),
    ...(what.includes('style') ? { style: await restoreStyle(db, version, at) } : {}),
  }
  const place = hasData ? { storeId, nativeName } : {}
  // Rows that are already present are not counted again.
  const rowsLoaded = hasData ? (rows ?? version.rows) : undefined
  const note = { at, cause: 'restore' as const, user, rowsLoaded }
  const restored = { ...layer, ...place, details }
  await updateLayer(db, restored, note)
  if (hasData && end !== undefined) await growBesides(db, restored, note)
  if (content.gone?.seen !== undefined) await noteSeen(db, layerId, content.gone.seen)
  return (await findLayerById(db, layerId)) ?? restored
}

/** Restores a deleted store with the data of `content`; under another name if its name is in use. */
export async function reviveStore(
  db: Queryable,
  { store, moved }: Revival,
  { content, at }: { content: Pick<ContentRecord, 'id'>; at: string },
): Promise<void> {
  const isTaken = async (name: string) => (await findStore(db, store.workspace, name)) !== undefined
  const name = await findFreeName(store.name, isTaken)
  await insertStoreAgain(db, { ...store, ...moved.get(content.id), name }, at)
  await reviveContents(db, store.id, moved)
}

/** Changes of the file by other programs in the meantime count as foreign changes. */
async function noteSeen(db: Queryable, layerId: number, seen: string): Promise<void> {
  await db.updateTable('layers').set({ seen_state: seen }).where('id', '=', layerId).execute()
}

function withData(now: LayerDetails, then: LayerDetails, rows: number | undefined): LayerDetails {
  const output = without(now, 'envelope', 'featureCount', 'times', 'srs', 'crs', 'raster')
  const { envelope, featureCount = rows, times, srs, crs, raster, schema } = then
  return { ...output, schema, envelope, featureCount, times, srs, crs, raster }
}

/**
 * Publishes a deleted layer with its id and name; version numbers continue after the highest published one.
 */
async function publishAgain(db: Queryable, version: VersionRecord, at: string): Promise<LayerRecord> {
  const { layerId, workspace, name, storeId, nativeName, details, isPublic } = version
  if ((await findLayer(db, workspace, name)) !== undefined)
    throw conflict(
      'layer-exists',
      `There is another layer "${workspace}:${name}" now: delete that first (it can be taken back as well), or download the version and import it under another name`,
    )
  const next = await takeFirstVersion(db, { workspace, name })
  const last = await latestVersionOf(db, layerId)
  await db
    .insertInto('layers')
    .values({
      id: layerId,
      workspace,
      name,
      store_id: storeId,
      native_name: nativeName,
      document: JSON.stringify(details),
      created_at: at,
      updated_at: at,
      is_public: isPublic === undefined ? null : isPublic ? 1 : 0,
      version: Math.max(next - 1, last),
      version_cause: 'restore',
    })
    .execute()
  const layer = await findLayerById(db, layerId)
  if (layer === undefined) throw new Error(`Layer ${layerId} was not published again`)
  return layer
}

/**
 * Returns the name of a style that draws like that of the version: the same style, changed back if no other
 * layer uses it, or a new one.
 */
async function restoreStyle(db: Queryable, version: VersionRecord, at: string): Promise<string> {
  const { workspace, layerId, styleDigest } = version
  const { style: name } = version.details
  const kept = styleDigest === undefined ? undefined : await findRetainedStyle(db, styleDigest)
  if (kept === undefined) return name
  const present = await resolveStyle(db, workspace, name)
  if (present?.format === kept.format && present.document === kept.document) return name
  if (present?.workspace !== undefined) {
    const drawn = await layersDrawnBy(db, present)
    if (drawn.length === 1 && drawn[0]?.id === layerId) {
      await saveStyle(db, present, { ...kept, at })
      return name
    }
  }
  const isTaken = async (requested: string) => (await findStyle(db, workspace, requested)) !== undefined
  const selected = present === undefined ? name : `${name}_v${version.version}`
  const free = await findFreeName(selected, isTaken)
  await insertStyle(db, { workspace, name: free, ...kept }, at)
  return free
}
