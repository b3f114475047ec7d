import type { Queryable } from '../../core/db/connection.ts'
import type { StoreRecord } from '../records.ts'
import type { ContentEnd, ContentRecord, GoneStore, RetainedFiles } from './contents.ts'
import { endContent, toContent } from './contents.ts'

/** Retained contents of a deleted store. */
export type GoneContent = ContentRecord & Required<Pick<ContentRecord, 'gone' | 'files'>>

function isGone(content: ContentRecord): content is GoneContent {
  return content.gone !== undefined && content.files !== undefined
}

/** Lists all retained contents of deleted stores. */
export async function listGone(db: Queryable): Promise<GoneContent[]> {
  const rows = await db
    .selectFrom('layer_contents as c')
    .leftJoin('stores as s', 's.id', 'c.store_id')
    .selectAll('c')
    .where('s.id', 'is', null)
    .where('c.form', '=', 'kept')
    .orderBy('c.id')
    .execute()
  return rows.map(toContent).filter(isGone)
}

/** Returns a deleted store; undefined if nothing of it is retained. */
export async function findGoneStore(db: Queryable, storeId: number): Promise<StoreRecord | undefined> {
  const kept = await listSnapshots(db, storeId)
  return kept.find(isGone)?.gone.store
}

/**
 * Records what happens to the contents of a store that is being deleted; earlier retained contents remain.
 */
export async function endContentsOfStore(
  db: Queryable,
  store: StoreRecord,
  { at, end }: { at: string; end: ContentEnd },
): Promise<void> {
  for (const { id, files } of await listSnapshots(db, store.id)) await writeSnapshot(db, id, files, { store })
  const present = await db
    .selectFrom('layer_contents')
    .select('id')
    .where('store_id', '=', store.id)
    .where('form', '=', 'present')
    .orderBy('id', 'desc')
    .execute()
  const other = { form: 'lost', reason: 'Its store was deleted' } as const
  for (const [index, { id }] of present.entries())
    await endContent(db, Number(id), { at, end: index === 0 ? end : other })
}

/** Records that the store of these contents exists again; `moved` contains the files that were moved back. */
export async function reviveContents(
  db: Queryable,
  storeId: number,
  moved: ReadonlyMap<number, RetainedFiles>,
): Promise<void> {
  for (const { id, files } of await listSnapshots(db, storeId))
    await writeSnapshot(db, id, moved.get(id) ?? files)
}

/** Deletes contents that are not to be restored, with their versions. */
export async function forgetGone(db: Queryable, { id }: GoneContent): Promise<void> {
  await db.deleteFrom('layer_versions').where('content_id', '=', id).execute()
  await db.deleteFrom('layer_contents').where('id', '=', id).execute()
}

async function listSnapshots(db: Queryable, storeId: number): Promise<ContentRecord[]> {
  const rows = await db
    .selectFrom('layer_contents')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('form', '=', 'kept')
    .execute()
  return rows.map(toContent)
}

async function writeSnapshot(
  db: Queryable,
  id: number,
  files: RetainedFiles | undefined,
  gone?: GoneStore,
): Promise<void> {
  if (files === undefined) return
  await db
    .updateTable('layer_contents')
    .set({ kept: JSON.stringify({ files, gone }), kept_id: gone?.index?.state.id ?? null })
    .where('id', '=', id)
    .execute()
}
