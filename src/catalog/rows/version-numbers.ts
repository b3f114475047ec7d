import { sql } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { LayerRecord, StyleRecord, VersionCause } from '../records.ts'
import type { VersionNote } from '../versions/record-versions.ts'
import { recordVersions } from '../versions/record-versions.ts'
import { layersOfTable } from './changing-layers.ts'

type LayerName = Pick<LayerRecord, 'workspace' | 'name'>

/** Workspace names contain no colon. */
function counterOf({ workspace, name }: LayerName): string {
  return `layer-version:${workspace}:${name}`
}

/**
 * Returns the first version of a new layer: greater than those of a deleted layer of the same name, which
 * clients may have cached.
 */
export async function takeFirstVersion(db: Queryable, layer: LayerName): Promise<number> {
  const counter = counterOf(layer)
  const row = await db.selectFrom('counters').select('value').where('name', '=', counter).executeTakeFirst()
  if (row === undefined) return 1
  await db.deleteFrom('counters').where('name', '=', counter).execute()
  return Number(row.value) + 1
}

/** Records the last version of a layer to be deleted; call before its row is deleted. */
export async function rememberVersion(db: Queryable, layer: LayerRecord): Promise<void> {
  const row = await db.selectFrom('layers').select('version').where('id', '=', layer.id).executeTakeFirst()
  if (row === undefined) return
  const value = Number(row.version)
  await db
    .insertInto('counters')
    .values({ name: counterOf(layer), value })
    .onConflict((conflicting) => conflicting.column('name').doUpdateSet({ value }))
    .execute()
}

/**
 * Increments the versions of layers affected by a change to another object; run in the transaction of the
 * change.
 */
async function grow(db: Queryable, ids: number[], note: VersionNote): Promise<void> {
  const batch = 500
  for (let at = 0; at < ids.length; at += batch) {
    await db
      .updateTable('layers')
      .set({ version: sql`version + 1`, version_cause: note.cause })
      .where('id', 'in', ids.slice(at, at + batch))
      .execute()
  }
  await recordVersions(db, ids, note)
}

/**
 * Increments the versions of other layers over the loaded table: the state of their data is read again too.
 */
export async function growBesides(
  db: Queryable,
  layer: Pick<LayerRecord, 'id' | 'storeId' | 'nativeName'>,
  note: VersionNote,
): Promise<void> {
  const same = await layersOfTable(db, { storeId: layer.storeId, table: layer.nativeName })
  const neighbours = same.filter((id) => id !== layer.id)
  if (neighbours.length === 0) return
  await grow(db, neighbours, note)
  await db.updateTable('layers').set({ seen_state: null }).where('id', 'in', neighbours).execute()
}

/**
 * Increments the versions of the layers of a store that now reads something else, and clears their recorded
 * states. `but`: layers that the caller updates itself.
 */
export async function growWithStore(
  db: Queryable,
  storeId: number,
  at: string,
  but: readonly number[] = [],
): Promise<void> {
  const grown = await db
    .updateTable('layers')
    .set({ version: sql`version + 1`, version_cause: 'edit' satisfies VersionCause, seen_state: null })
    .where('store_id', '=', storeId)
    .$if(but.length > 0, (update) => update.where('id', 'not in', but))
    .returning('id')
    .execute()
  await recordGrown(db, grown, { at, cause: 'edit' })
}

function recordGrown(db: Queryable, grown: { id: number }[], note: VersionNote): Promise<void> {
  return recordVersions(
    db,
    grown.map(({ id }) => Number(id)),
    note,
  )
}

/** Increments the versions of layers that use the public access setting of their workspace. */
export async function growWithWorkspace(db: Queryable, workspace: string, at: string): Promise<void> {
  const grown = await db
    .updateTable('layers')
    .set({ version: sql`version + 1`, version_cause: 'edit' satisfies VersionCause })
    .where('workspace', '=', workspace)
    .where('is_public', 'is', null)
    .returning('id')
    .execute()
  await recordGrown(db, grown, { at, cause: 'edit' })
}

/**
 * Increments the versions of layers drawn by a style: those that name it, unless their workspace has a style
 * of that name.
 */
export async function growWithStyle(
  db: Queryable,
  style: Pick<StyleRecord, 'workspace' | 'name'>,
  at: string,
): Promise<void> {
  const drawn = await layersDrawnBy(db, style)
  await grow(
    db,
    drawn.map(({ id }) => id),
    { at, cause: 'style' },
  )
}

/** Layers that a style draws. */
export interface StyleUser {
  id: number
  workspace: string
  name: string
  isPublic: boolean | undefined
}

/** Returns the layers whose default style this is. */
export async function layersDrawnBy(
  db: Queryable,
  { workspace, name }: Pick<StyleRecord, 'workspace' | 'name'>,
): Promise<StyleUser[]> {
  let query = db
    .selectFrom('layers')
    .select(['id', 'workspace', 'name', 'document', 'is_public'])
    // Reduces the documents to read; "_" in the name matches more than intended, which is checked below.
    .where('document', 'like', `%"style":${JSON.stringify(name)}%`)
  if (workspace !== undefined) query = query.where('workspace', '=', workspace)
  const named = (await query.execute())
    .filter(({ document }) => (JSON.parse(document) as LayerRecord['details']).style === name)
    .map((row) => ({
      id: Number(row.id),
      workspace: row.workspace,
      name: row.name,
      isPublic: row.is_public === null ? undefined : row.is_public === 1,
    }))
  if (workspace !== undefined) return named
  const own = await db.selectFrom('styles').select('workspace').where('name', '=', name).execute()
  const hidden = new Set(own.map((style) => style.workspace).filter((one) => one !== ''))
  return named.filter((layer) => !hidden.has(layer.workspace))
}
