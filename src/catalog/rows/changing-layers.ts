import { sql } from 'kysely'
import type { Queryable } from '../../db/connection.ts'
import type { LayerRecord } from '../records.ts'

/** Stands where the seen state does, from the moment before a store commits a load until the load is published. */
const changing = 'changing '
const untouched = '-'
/** A load that nobody has settled for so long is treated as a change by somebody else. */
const longestMs = 10 * 60_000

/** Whether the load or edit that was announced last is this one, and nobody has seen another state since. */
export function isChangedBy({ seenState }: Pick<LayerRecord, 'seenState'>, loadId: string): boolean {
  return seenState?.startsWith(`${changing}${loadId} `) === true
}

/** A table of a store, as layers name it. */
export interface ChangedTable {
  storeId: number
  table: string
}

/** Whether the data of a layer may be those of its version or the next ones. */
export function isChanging({ seenState }: Pick<LayerRecord, 'seenState'>, nowMs: number): boolean {
  if (seenState?.startsWith(changing) !== true) return false
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
  /** By which the store tells whether the table is still what it is now. */
  mark?: string
}

/**
 * Nothing that is read of the table's layers from now on may be kept, until the load is published or given up. What was seen
 * before stands behind the mark.
 */
export async function beginChange(
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

/** A layer whose change was announced and did not come. */
export interface UnchangedLayer {
  id: number
  /** What was seen of it before. */
  seen?: string
  /** What the store gave before its table was written to. */
  touched?: Touched
}

interface Touched {
  table: string
  mark: string
}

/** The layers whose change by a load was announced. */
export async function listChanging(db: Queryable, loadId: string): Promise<UnchangedLayer[]> {
  const rows = await db
    .selectFrom('layers')
    .select(['id', 'seen_state'])
    .where('seen_state', 'like', `${changing}${loadId} %`)
    .execute()
  return rows.map(({ id, seen_state }) => ({ id: Number(id), ...beforeChange(seen_state ?? '') }))
}

/** What stands behind the marks, and what the oldest that does says of the table. */
function beforeChange(text: string): Omit<UnchangedLayer, 'id'> {
  let touched = untouched
  let seen = text
  while (seen.startsWith(changing)) {
    const [, , , mark = untouched, ...rest] = seen.split(' ')
    if (mark !== untouched && mark !== '') touched = mark
    seen = rest.join(' ')
  }
  return {
    ...(seen === '' ? {} : { seen }),
    ...(touched === untouched ? {} : { touched: fromText(touched) }),
  }
}

const toText = (touched: Touched): string => Buffer.from(JSON.stringify(touched)).toString('base64url')
const fromText = (text: string): Touched => JSON.parse(Buffer.from(text, 'base64url').toString()) as Touched

/** The load was given up: the layer is what it was when it was seen to look so; where that is not known, the next look tells. */
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
