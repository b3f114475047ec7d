import { sql } from 'kysely'
import type { Queryable } from '../../core/db/connection.ts'
import type { LayerRecord } from '../records.ts'

/** Prefix of the recorded state from before a store commits a load until the load is published. */
const changing = 'changing '
const untouched = '-'
/** A load that is unresolved for this long is treated as a foreign change. */
const longestMs = 10 * 60_000

/** True if the last announced load or edit is this one, and no other state was recorded since. */
export function isChangedBy({ seenState }: Pick<LayerRecord, 'seenState'>, loadId: string): boolean {
  return seenState?.startsWith(`${changing}${loadId} `) === true
}

/** A table of a store, as layers name it. */
export interface ChangedTable {
  storeId: number
  table: string
}

/** True if the data of a layer may belong to its version or to the next one. */
export function isChanging({ seenState }: Pick<LayerRecord, 'seenState'>, nowMs: number): boolean {
  if (seenState?.startsWith(changing) !== true) return false
  return nowMs - Date.parse(seenState.split(' ')[2] ?? '') < longestMs
}

/** Returns the layers that show a table; they may name it in another case than the store. */
export async function layersOfTable(db: Queryable, { storeId, table }: ChangedTable): Promise<number[]> {
  const rows = await db
    .selectFrom('layers')
    .select(['id', 'native_name'])
    .where('store_id', '=', storeId)
    .execute()
  const requested = table.toLowerCase()
  return rows.filter((row) => row.native_name.toLowerCase() === requested).map(({ id }) => Number(id))
}

/**
 * The target of a load: a table, and the layer that it refreshes, which may show the table in another way,
 * like a mosaic.
 */
export interface AnnouncedChange extends ChangedTable {
  layer?: { workspace: string; name: string }
  /** Mark by which the store determines whether the table has changed since. */
  mark?: string
}

/**
 * Call before a change: responses of the table's layers must not be cached until the load is published or
 * aborted. The previous state is stored after the mark.
 */
export async function beginLayerChange(
  db: Queryable,
  { layer, mark, ...place }: AnnouncedChange,
  { loadId, at }: { loadId: string; at: string },
): Promise<void> {
  const touched = mark === undefined ? untouched : toText({ table: place.table, mark })
  const begun = `${changing}${loadId} ${at} ${touched} `
  const ids = await layersOfTable(db, place)
  if (layer !== undefined) ids.push(...(await layersNamed(db, layer)))
  if (ids.length === 0) return
  await db
    .updateTable('layers')
    .set({ seen_state: sql<string>`${begun} || coalesce(seen_state, '')` })
    .where('id', 'in', ids)
    .where(({ eb, or }) =>
      or([eb('seen_state', 'is', null), eb('seen_state', 'not like', `${changing}${loadId} %`)]),
    )
    .execute()
}

async function layersNamed(
  db: Queryable,
  { workspace, name }: { workspace: string; name: string },
): Promise<number[]> {
  const rows = await db
    .selectFrom('layers')
    .select('id')
    .where('workspace', '=', workspace)
    .where('name', '=', name)
    .execute()
  return rows.map(({ id }) => Number(id))
}

/** A layer with an announced change that did not happen. */
export interface UnchangedLayer {
  id: number
  /** Previously recorded state. */
  seen?: string
  /** Mark of the store from before its table was written. */
  touched?: Touched
}

interface Touched {
  table: string
  mark: string
}

/** Lists the layers with a change announced by a load. */
export async function listChanging(db: Queryable, loadId: string): Promise<UnchangedLayer[]> {
  const rows = await db
    .selectFrom('layers')
    .select(['id', 'seen_state'])
    .where('seen_state', 'like', `${changing}${loadId} %`)
    .execute()
  return rows.map(({ id, seen_state }) => ({ id: Number(id), ...beforeChange(seen_state ?? '') }))
}

/** Returns the state after the marks, and the mark of the oldest change in progress. */
function beforeChange(text: string): Omit<UnchangedLayer, 'id'> {
  let touched = untouched
  let seen = text
  while (seen.startsWith(changing)) {
    const [, , , mark = untouched, ...rest] = seen.split(' ')
    if (mark !== untouched && mark !== '') touched = mark
    seen = rest.join(' ')
  }
  return {
    seen: seen === '' ? undefined : seen,
    touched: touched === untouched ? undefined : fromText(touched),
  }
}

const toText = (touched: Touched): string => Buffer.from(JSON.stringify(touched)).toString('base64url')
const fromText = (text: string): Touched => JSON.parse(Buffer.from(text, 'base64url').toString()) as Touched

/**
 * Ends an aborted change: the layer has its previously recorded state; if unknown, the state is read next
 * time.
 */
export async function endChange(
  db: Queryable,
  loadId: string,
  { id, seen }: Pick<UnchangedLayer, 'id' | 'seen'>,
): Promise<void> {
  await db
    .updateTable('layers')
    .set({ seen_state: seen ?? null })
    .where('id', '=', id)
    .where('seen_state', 'like', `${changing}${loadId} %`)
    .execute()
}
