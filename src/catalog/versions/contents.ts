import type { Queryable } from '../../core/db/connection.ts'
import type { AnyStoreType, TableSnapshot } from '../../stores/index.ts'
import { ownStores } from '../../stores/registry.ts'
import type { StoreRecord } from '../records.ts'

/** A table of a store, or the equivalent for a store of files. */
export interface ContentLocation {
  storeId: number
  table: string
}

/** Files of the server that a store referred to before. */
export interface RetainedFiles {
  type: AnyStoreType
  parameters: Record<string, string>
}

/** Requirements for restoring a deleted coverage store. */
export interface GoneStore {
  store: StoreRecord
  /** Folder that the files were moved to. */
  aside?: string
  /** State of a file that does not belong to the server. */
  seen?: string
  /** The granule table of a mosaic, retained in its store. */
  index?: { storeId: number; table: string; state: TableSnapshot; path?: string }
}

/** Availability of a table's contents: present, retained, or lost. */
type ContentForm = 'present' | 'kept' | 'lost'

/** Fate of replaced contents. */
export type ContentEnd =
  | { form: 'kept'; state: TableSnapshot; path?: string }
  | { form: 'kept'; files: RetainedFiles; sizeBytes: number; gone?: GoneStore }
  | { form: 'lost'; reason: string }

/** Contents of a table over a period. */
export interface ContentRecord extends ContentLocation {
  id: number
  form: ContentForm
  state?: TableSnapshot
  /** The file, for a table in a file. */
  path?: string
  files?: RetainedFiles
  /** Present if the store was deleted. */
  gone?: GoneStore
  reason?: string
  sizeBytes?: number
  /** Id of the contents that replaced these. */
  afterId?: number
  endedAt?: string
}

type RetainedContent = { state: TableSnapshot; path?: string } | { files: RetainedFiles; gone?: GoneStore }

interface Row {
  id: number
  store_id: number
  table_key: string
  form: string
  kept: string | null
  reason: string | null
  size_bytes: number | null
  after_id: number | null
  ended_at: string | null
}

/** Converts a row to contents. */
export function toContent(row: Row): ContentRecord {
  const kept = row.kept === null ? {} : (JSON.parse(row.kept) as RetainedContent)
  return {
    id: Number(row.id),
    storeId: Number(row.store_id),
    table: row.table_key,
    form: row.form as ContentForm,
    ...kept,
    reason: row.reason ?? undefined,
    sizeBytes: row.size_bytes === null ? undefined : Number(row.size_bytes),
    afterId: row.after_id === null ? undefined : Number(row.after_id),
    endedAt: row.ended_at ?? undefined,
  }
}

function keyOf(table: string): string {
  return table.toLowerCase()
}

/** Returns the present contents; undefined if none are recorded. */
async function findPresent(db: Queryable, { storeId, table }: ContentLocation) {
  return db
    .selectFrom('layer_contents')
    .select(['id', 'state'])
    .where('store_id', '=', storeId)
    .where('table_key', '=', keyOf(table))
    .where('form', '=', 'present')
    .orderBy('id', 'desc')
    .executeTakeFirst()
}

/** Returns the id of the present contents of a table. */
export async function presentContent(db: Queryable, location: ContentLocation, at: string): Promise<number> {
  const known = await findPresent(db, location)
  return known === undefined ? beginContent(db, location, at) : Number(known.id)
}

async function beginContent(
  db: Queryable,
  { storeId, table }: ContentLocation,
  at: string,
  state?: string,
): Promise<number> {
  const row = await db
    .insertInto('layer_contents')
    .values({
      store_id: storeId,
      table_key: keyOf(table),
      form: 'present',
      began_at: at,
      state: state ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(row.id)
}

/** Records new contents at `location`, which replace the contents at `from`. */
export async function succeedContent(
  db: Queryable,
  location: ContentLocation,
  { at, end, from = location }: { at: string; end: ContentEnd; from?: ContentLocation },
): Promise<void> {
  const before = await findPresent(db, from)
  const there = await findPresent(db, location)
  const afterId = await beginContent(db, location, at)
  if (before !== undefined) await endContent(db, Number(before.id), { at, end, afterId })
  if (there === undefined || there.id === before?.id) return
  const reason = 'Its table was written anew, and nothing was kept of what was before'
  await endContent(db, Number(there.id), { at, end: { form: 'lost', reason }, afterId })
}

/**
 * Records that edited contents have changed: retained earlier contents are now differences to these, and the
 * versions with the contents refer to the new ones.
 */
export async function continueContent(
  db: Queryable,
  location: ContentLocation,
  { at, end }: { at: string; end: ContentEnd },
): Promise<void> {
  const before = await findPresent(db, location)
  const next = await beginContent(db, location, at)
  if (before === undefined) return
  const contents = db.updateTable('layer_contents')
  await contents.set({ after_id: next }).where('after_id', '=', Number(before.id)).execute()
  if (end.form === 'kept' && 'state' in end)
    await contents
      .set({ size_bytes: end.state.sizeBytes })
      .where('kept_id', '=', end.state.id)
      .where('form', '=', 'kept')
      .execute()
  await db
    .updateTable('layer_versions')
    .set({ content_id: next })
    .where('content_id', '=', Number(before.id))
    .execute()
  await db.deleteFrom('layer_contents').where('id', '=', Number(before.id)).execute()
}

/** Records that retained contents are present again, and that the former ones are what `end` says. */
export async function returnContent(
  db: Queryable,
  { id, ...place }: Pick<ContentRecord, 'id' | 'storeId' | 'table'>,
  { at, end, from = place }: { at: string; end: ContentEnd; from?: ContentLocation },
): Promise<void> {
  const before = await findPresent(db, from)
  if (before !== undefined && Number(before.id) !== id)
    await endContent(db, Number(before.id), { at, end, afterId: id })
  await db
    .updateTable('layer_contents')
    .set({
      form: 'present',
      kept: null,
      kept_id: null,
      size_bytes: null,
      reason: null,
      after_id: null,
      state: null,
      ended_at: null,
    })
    .where('id', '=', id)
    .execute()
}

/** Records that a user has switched the store: the present contents are unknown. */
export async function leaveContents(db: Queryable, storeId: number, at: string): Promise<void> {
  const reason = 'The store was pointed elsewhere'
  await db
    .updateTable('layer_contents')
    .set({ form: 'lost', reason, ended_at: at, state: null })
    .where('store_id', '=', storeId)
    .where('form', '=', 'present')
    .execute()
}

/**
 * Records that another program has changed the table, which now has `state`; other layers over the table may
 * have recorded it already.
 */
export async function succeedOutside(
  db: Queryable,
  location: ContentLocation,
  { at, state }: { at: string; state: string | undefined },
): Promise<void> {
  const present = await findPresent(db, location)
  if (present !== undefined && state !== undefined && present.state === state) return
  const next = await beginContent(db, location, at, state)
  const reason = 'Somebody else has changed the data where they are, and nothing was kept of what was before'
  if (present === undefined) return
  await endContent(db, Number(present.id), { at, end: { form: 'lost', reason }, afterId: next })
}

/** Records what happened to contents; without `afterId` nothing replaced them. */
export async function endContent(
  db: Queryable,
  id: number,
  { at, end, afterId }: { at: string; end: ContentEnd; afterId?: number },
): Promise<void> {
  await db
    .updateTable('layer_contents')
    .set({ ...endColumns(end), ended_at: at, after_id: afterId ?? null, state: null })
    .where('id', '=', id)
    .execute()
}

function endColumns(end: ContentEnd) {
  if (end.form === 'lost')
    return { form: end.form, reason: end.reason, kept: null, kept_id: null, size_bytes: null }
  const isTable = 'state' in end
  const kept = isTable ? { state: end.state, path: end.path } : { files: end.files, gone: end.gone }
  return {
    form: end.form,
    reason: null,
    kept: JSON.stringify(kept),
    kept_id: (isTable ? end.state.id : end.gone?.index?.state.id) ?? null,
    size_bytes: isTable ? end.state.sizeBytes : end.sizeBytes,
  }
}

/** Lists files that a store was switched away from and that may be restored. */
export async function listRetainedFiles(db: Queryable): Promise<RetainedFiles[]> {
  const rows = await db.selectFrom('layer_contents').select('kept').where('form', '=', 'kept').execute()
  return rows.flatMap(({ kept }) => {
    const { files, path } = JSON.parse(kept ?? '{}') as { files?: RetainedFiles; path?: string }
    if (files !== undefined) return [files]
    return path === undefined ? [] : [{ type: ownStores.file.type, parameters: { path } }]
  })
}

/** Records, before a table is retained, the state under which it will be. */
export async function noteIntent(
  db: Queryable,
  id: number,
  state: TableSnapshot,
  path: string | undefined,
): Promise<void> {
  await db
    .updateTable('layer_contents')
    .set({ kept_id: state.id, kept: JSON.stringify({ state, path }) })
    .where('id', '=', id)
    .execute()
}

/** The table remains in place. */
export async function forgetIntent(db: Queryable, id: number): Promise<void> {
  await db.updateTable('layer_contents').set({ kept_id: null, kept: null }).where('id', '=', id).execute()
}

/** Lists contents whose table was about to be retained when the process died. */
export async function listIntents(db: Queryable): Promise<ContentRecord[]> {
  const rows = await db
    .selectFrom('layer_contents')
    .selectAll()
    .where('form', '=', 'present')
    .where('kept_id', 'is not', null)
    .execute()
  return rows.map(toContent)
}

/** Returns ids of the retained contents that the given contents replaced. */
export async function listFollowers(db: Queryable, contentId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('layer_contents')
    .select('kept_id')
    .where('after_id', '=', contentId)
    .where('form', '=', 'kept')
    .execute()
  return rows.flatMap(({ kept_id }) => kept_id ?? [])
}

/** Returns ids under which contents are retained in a store, or about to be. */
export async function listKnownIds(db: Queryable): Promise<string[]> {
  const rows = await db
    .selectFrom('layer_contents')
    .select('kept_id')
    .where('kept_id', 'is not', null)
    .execute()
  return rows.flatMap(({ kept_id }) => kept_id ?? [])
}

/** Deletes all records of the contents of a store. */
export async function forgetContents(db: Queryable, storeId: number): Promise<void> {
  const contents = db.selectFrom('layer_contents').select('id').where('store_id', '=', storeId)
  await db.deleteFrom('layer_versions').where('content_id', 'in', contents).execute()
  await db.deleteFrom('layer_versions').where('store_id', '=', storeId).execute()
  await db.deleteFrom('layer_contents').where('store_id', '=', storeId).execute()
}

/** Number and size of retained tables and files in all stores. */
export interface RetainedSize {
  contents: number
  bytes: number
}

/** Counts retained contents and their bytes. */
export async function readRetainedSize(db: Queryable): Promise<RetainedSize> {
  const row = await db
    .selectFrom('layer_contents')
    .select(({ fn }) => [fn.countAll().as('contents'), fn.sum('size_bytes').as('bytes')])
    .where('form', '=', 'kept')
    .executeTakeFirst()
  return { contents: Number(row?.contents ?? 0), bytes: Number(row?.bytes ?? 0) }
}

/** Returns the ids of retained contents. */
export async function listRetainedContents(db: Queryable): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom('layer_contents').select('id').where('form', '=', 'kept').execute()
  return new Set(rows.map(({ id }) => Number(id)))
}
