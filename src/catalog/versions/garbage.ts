import type { Queryable } from '../../core/db/connection.ts'
import type { ContentRecord } from './contents.ts'
import { toContent } from './contents.ts'
import { neededFor } from './restore-plan.ts'

/** Maximum number of recorded versions per layer, except pinned ones. */
const maxListed = 1000

/** Returns all present or retained contents of a store. */
export async function contentsOfStore(db: Queryable, storeId: number): Promise<ContentRecord[]> {
  const rows = await db
    .selectFrom('layer_contents')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('form', '!=', 'lost')
    .execute()
  return rows.map(toContent)
}

/** Returns the contents of a store in pinned versions. */
export async function pinnedContents(db: Queryable, storeId: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('layer_versions as v')
    .innerJoin('layer_contents as c', 'c.id', 'v.content_id')
    .select('c.id')
    .where('c.store_id', '=', storeId)
    .where('v.is_pinned', '=', 1)
    .execute()
  return new Set(rows.map(({ id }) => Number(id)))
}

/** Returns retained contents of a store that belong to no version and that no needed contents depend on. */
export async function unneededContents(db: Queryable, storeId: number): Promise<ContentRecord[]> {
  const contents = await contentsOfStore(db, storeId)
  const rows = await db
    .selectFrom('layer_versions as v')
    .innerJoin('layer_contents as c', 'c.id', 'v.content_id')
    .select('c.id')
    .where('c.store_id', '=', storeId)
    .execute()
  const reported = new Set(rows.map(({ id }) => Number(id)))
  const known = new Map(contents.map((content) => [content.id, content]))
  const needed = neededFor(
    contents.filter(({ id }) => reported.has(id)),
    known,
  )
  return contents.filter(({ id, form }) => form === 'kept' && !needed.has(id))
}

/**
 * Deletes version records of layers that were deleted before `before`, and all but the latest ones of other
 * layers.
 */
export async function forgetOldVersions(db: Queryable, before: string): Promise<void> {
  const gone = await db
    .selectFrom('layer_versions as v')
    .leftJoin('layers as l', 'l.id', 'v.layer_id')
    .select(({ fn }) => ['v.layer_id', fn.max('v.created_at').as('latest')])
    .where('l.id', 'is', null)
    .groupBy('v.layer_id')
    .execute()
  for (const { layer_id } of gone.filter(({ latest }) => latest <= before))
    await db
      .deleteFrom('layer_versions')
      .where('layer_id', '=', layer_id)
      .where('is_pinned', '=', 0)
      .execute()
  const crowded = await db
    .selectFrom('layer_versions')
    .select(({ fn }) => ['layer_id', fn.max('version').as('latest')])
    .groupBy('layer_id')
    .having(({ fn }) => fn.countAll(), '>', maxListed)
    .execute()
  for (const { layer_id, latest } of crowded)
    await db
      .deleteFrom('layer_versions')
      .where('layer_id', '=', layer_id)
      .where('version', '<=', Number(latest) - maxListed)
      .where('is_pinned', '=', 0)
      .execute()
}

/** Deletes records of contents that no version refers to and that are not retained. */
export async function removeUnannounced(db: Queryable): Promise<void> {
  const selectQueryBuilder = db.selectFrom('layer_versions').select('content_id')
  await db
    .deleteFrom('layer_contents')
    .where('form', '!=', 'kept')
    .where('id', 'not in', selectQueryBuilder)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('layer_contents as other')
            .select('other.id')
            .whereRef('other.after_id', '=', 'layer_contents.id')
            .where('other.form', '=', 'kept'),
        ),
      ),
    )
    .execute()
  const styles = db
    .selectFrom('layer_versions')
    .select('style_digest')
    .where('style_digest', 'is not', null)
    .$narrowType<{ style_digest: string }>()
  await db.deleteFrom('kept_styles').where('digest', 'not in', styles).execute()
}
