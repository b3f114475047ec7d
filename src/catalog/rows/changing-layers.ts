import { sql } from 'kysely'
import type { Queryable } from '../../db/connection.ts'
import type { LayerRecord, VersionCause } from '../records.ts'
import { recordVersions } from '../versions/record-versions.ts'

/** Stands where the seen state does, from the moment before a store commits a load until the load is published. */
const mark = 'changing '
/** A load that nobody has settled for so long is treated as a change by somebody else. */
const longestMs = 10 * 60_000

/** Whether the load or edit that was announced last is this one, and nobody has seen another state since. */
export function isChangedBy({ seenState }: Pick<LayerRecord, 'seenState'>, loadId: string): boolean {
  return seenState?.startsWith(`${mark}${loadId} `) === true
}

/** A table of a store, as layers name it. */
export interface ChangedTable {
  storeId: number
  table: string
}

/** Whether the data of a layer may be those of its version or the next ones. */
export function isChanging({ seenState }: Pick<LayerRecord, 'seenState'>, nowMs: number): boolean {
  if (seenState?.startsWith(mark) !== true) return false
  return nowMs - Date.parse(seenState.split(' ')[2] ?? '') < longestMs
}

/** The layers that show a table, which may be named by them in other letter case than by the store. */
export async function layersOfTable(db: Queryable, { storeId, table }: ChangedTable): Promise<number[]> {
  const rows = await db
    .selectFrom('layers')
    .select(['id', 'native_name'])
    .where('store_id', '=', storeId)
    .execute()
  const wanted = table.toLowerCase()
  return rows.filter((row) => row.native_name.toLowerCase() === wanted).map(({ id }) => Number(id))
}

/** What a load changes: a table, and the layer that it refreshes, which may show it in another way, as a mosaic does. */
export interface AnnouncedChange extends ChangedTable {
  layer?: { workspace: string; name: string }
}

/** Nothing that is read of the table's layers from now on may be kept, until the load is published or given up. */
export async function beginChange(
  db: Queryable,
  { layer, ...table }: AnnouncedChange,
  { loadId, at }: { loadId: string; at: string },
): Promise<void> {
  const seen_state = `${mark}${loadId} ${at}`
  const ids = await layersOfTable(db, table)
  if (ids.length > 0) await db.updateTable('layers').set({ seen_state }).where('id', 'in', ids).execute()
  if (layer === undefined) return
  await db
    .updateTable('layers')
    .set({ seen_state })
    .where('workspace', '=', layer.workspace)
    .where('name', '=', layer.name)
    .execute()
}

/**
 * The load was given up. What was seen before it is forgotten, so the version grows: others may have written meanwhile. Run it
 * in a transaction.
 */
export async function endChange(db: Queryable, loadId: string, at: string): Promise<void> {
  const cause = 'outside' satisfies VersionCause
  const grown = await db
    .updateTable('layers')
    .set({
      version: sql<number>`version + 1`,
      version_cause: cause,
      seen_state: null,
    })
    .where('seen_state', 'like', `${mark}${loadId} %`)
    .returning('id')
    .execute()
  await recordVersions(
    db,
    grown.map(({ id }) => Number(id)),
    { at, cause },
  )
}
