import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { Tables } from '../../core/db/tables.ts'
import { notFound } from '../../core/errors/errors.ts'
import type { LayerDetails, LayerRecord, VersionCause } from '../records.ts'
import type { VersionNote } from '../versions/record-versions.ts'
import { recordVersions } from '../versions/record-versions.ts'
import { rememberVersion, takeFirstVersion } from './version-numbers.ts'
import { findDefaultWorkspaceName } from './workspace-rows.ts'

function toLayer(row: Selectable<Tables['layers']>): LayerRecord {
  return {
    id: Number(row.id),
    workspace: row.workspace,
    name: row.name,
    storeId: Number(row.store_id),
    nativeName: row.native_name,
    details: JSON.parse(row.document) as LayerDetails,
    isPublic: row.is_public === null ? undefined : row.is_public === 1,
    version: Number(row.version),
    versionCause: row.version_cause as VersionCause,
    seenState: row.seen_state ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Lists all layers, or those of a workspace or a store, by workspace and name. */
export async function listLayers(
  db: Queryable,
  filter: { workspace?: string; storeId?: number } = {},
): Promise<LayerRecord[]> {
  let query = db.selectFrom('layers').selectAll().orderBy('workspace').orderBy('name')
  if (filter.workspace !== undefined) query = query.where('workspace', '=', filter.workspace)
  if (filter.storeId !== undefined) query = query.where('store_id', '=', filter.storeId)
  return (await query.execute()).map(toLayer)
}

/** Lists the tables of a store that layers show, without the documents of the layers. */
export function listTableNames(db: Queryable, storeId: number): Promise<{ table: string; name: string }[]> {
  return db
    .selectFrom('layers')
    .select(['native_name as table', 'name'])
    .where('store_id', '=', storeId)
    .execute()
}

/** Returns the name of a layer that shows a table; undefined if there is none. */
export async function findLayerOfTable(
  db: Queryable,
  storeId: number,
  table: string,
): Promise<{ name: string } | undefined> {
  return db
    .selectFrom('layers')
    .select('name')
    .where('store_id', '=', storeId)
    .where('native_name', '=', table)
    .executeTakeFirst()
}

/** Lists the names of all layers, without their documents. */
export function listLayerNames(db: Queryable): Promise<{ workspace: string; name: string }[]> {
  return db.selectFrom('layers').select(['workspace', 'name']).execute()
}

/** Lists every layer by id, with its version. */
export async function listLayerVersions(db: Queryable): Promise<[id: number, version: number][]> {
  const rows = await db.selectFrom('layers').select(['id', 'version']).execute()
  return rows.map(({ id, version }) => [Number(id), Number(version)])
}

export async function findLayer(
  db: Queryable,
  workspace: string,
  name: string,
): Promise<LayerRecord | undefined> {
  const row = await db
    .selectFrom('layers')
    .selectAll()
    .where('workspace', '=', workspace)
    .where('name', '=', name)
    .executeTakeFirst()
  return row === undefined ? undefined : toLayer(row)
}

export async function findLayerById(db: Queryable, id: number): Promise<LayerRecord | undefined> {
  const row = await db.selectFrom('layers').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : toLayer(row)
}

/** Returns the layer `<workspace>:<name>`; a name without a workspace refers to the default workspace. */
export async function findNamedLayer(db: Queryable, text: string): Promise<LayerRecord | undefined> {
  const colon = text.indexOf(':')
  const workspace = colon < 0 ? await findDefaultWorkspaceName(db) : text.slice(0, colon)
  return workspace === undefined ? undefined : findLayer(db, workspace, text.slice(colon + 1))
}

/**
 * Returns the existing layers with these ids, in no particular order; with the row counts of their versions,
 * if known.
 */
export async function findCountedLayers(
  db: Queryable,
  ids: readonly number[],
): Promise<{ layer: LayerRecord; rows: number | undefined }[]> {
  if (ids.length === 0) return []
  const found = await db
    .selectFrom('layers')
    .leftJoin('layer_versions', (join) =>
      join
        .onRef('layer_versions.layer_id', '=', 'layers.id')
        .onRef('layer_versions.version', '=', 'layers.version'),
    )
    .selectAll('layers')
    .select('layer_versions.row_count')
    .where('layers.id', 'in', ids)
    .execute()
  return found.map(({ row_count, ...row }) => ({
    layer: toLayer(row),
    rows: row_count === null ? undefined : Number(row_count),
  }))
}

export async function getLayer(db: Queryable, workspace: string, name: string): Promise<LayerRecord> {
  const layer = await findLayer(db, workspace, name)
  if (layer === undefined) throw notFound('unknown-layer', `Layer "${workspace}:${name}" does not exist`)
  return layer
}

/** Values of a published layer: location of its rows and its properties. */
export interface LayerRowValues {
  workspace: string
  name: string
  storeId: number
  nativeName: string
  details: LayerDetails
}

/** Publishes a layer as its first version; run it in a transaction. */
export async function insertLayer(
  db: Queryable,
  values: LayerRowValues,
  at: string,
  how: Partial<Omit<VersionNote, 'at'>> = {},
): Promise<LayerRecord> {
  const { cause = 'import' } = how
  const { workspace, name, storeId, nativeName, details } = values
  const row = await db
    .insertInto('layers')
    .values({
      workspace,
      name,
      store_id: storeId,
      native_name: nativeName,
      document: JSON.stringify(details),
      created_at: at,
      updated_at: at,
      version: await takeFirstVersion(db, { workspace, name }),
      version_cause: cause,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordVersions(db, [Number(row.id)], { ...how, at, cause })
  return toLayer(row)
}

/** Updates a layer and increments its version; run in a transaction. The state of new data is read again. */
export async function updateLayer(db: Queryable, layer: LayerRecord, note: VersionNote): Promise<void> {
  const { at, cause, edits } = note
  await db
    .updateTable('layers')
    .set({
      store_id: layer.storeId,
      native_name: layer.nativeName,
      document: JSON.stringify(layer.details),
      is_public: layer.isPublic === undefined ? null : layer.isPublic ? 1 : 0,
      updated_at: at,
      version: sql`version + 1`,
      version_cause: cause,
      seen_state: cause === 'import' || cause === 'restore' || edits !== undefined ? null : undefined,
    })
    .where('id', '=', layer.id)
    .execute()
  await recordVersions(db, [layer.id], note)
}

/** Deletes a layer and records its last version number; run in a transaction. */
export async function deleteLayerRow(db: Queryable, layer: LayerRecord, at: string): Promise<void> {
  await rememberVersion(db, layer)
  const cause = 'delete' satisfies VersionCause
  await db
    .updateTable('layers')
    .set({ version: sql`version + 1`, version_cause: cause })
    .where('id', '=', layer.id)
    .execute()
  await recordVersions(db, [layer.id], { at, cause })
  await db.deleteFrom('layers').where('id', '=', layer.id).execute()
}
