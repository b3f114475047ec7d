import type { Queryable } from '../../core/db/connection.ts'
import type { ContentRecord } from './contents.ts'
import { toContent } from './contents.ts'
import { editMode } from './record-versions.ts'

/** Edits by one user within this time, counted from the first one, form one version. */
const togetherMs = 15 * 60_000

/** Returns the earliest time of edits that are combined with one at `now`. */
export function togetherSince(now: Date): string {
  return new Date(now.getTime() - togetherMs).toISOString()
}

/** A version that further edits of its user continue. */
export interface OpenEdits {
  version: number
  contentId: number
  /** Contents before these edits. */
  before: ContentRecord | undefined
}

interface OpenEdit {
  layerId: number
  /** Present version of the layer. */
  version: number
  user: string | undefined
  since: string
}

/** Returns the edits that an edit of a user continues; undefined if it starts a new version. */
export async function findOpenEdits(
  db: Queryable,
  { layerId, version, user, since }: OpenEdit,
): Promise<OpenEdits | undefined> {
  if (user === undefined) return undefined
  const row = await db
    .selectFrom('layer_versions as v')
    .innerJoin('layer_contents as c', 'c.id', 'v.content_id')
    .select(['v.content_id'])
    .where('v.layer_id', '=', layerId)
    .where('v.version', '=', version)
    .where('v.cause', '=', 'edit')
    .where('v.mode', '=', editMode)
    .where('v.user_name', '=', user)
    .where('v.is_pinned', '=', 0)
    .where('v.created_at', '>', since)
    .where('c.form', '=', 'present')
    .executeTakeFirst()
  if (row === undefined) return undefined
  const contentId = Number(row.content_id)
  if (await isNeededByOthers(db, contentId, user)) return undefined
  const before = await db
    .selectFrom('layer_contents')
    .selectAll()
    .where('after_id', '=', contentId)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return { version, contentId, before: before === undefined ? undefined : toContent(before) }
}

/** True if versions other than edits of this user have the same contents, which must not change. */
async function isNeededByOthers(db: Queryable, contentId: number, user: string): Promise<boolean> {
  const other = await db
    .selectFrom('layer_versions')
    .select('version')
    .where('content_id', '=', contentId)
    .where(({ or, eb }) =>
      or([
        eb('mode', 'is', null),
        eb('mode', '!=', editMode),
        eb('user_name', 'is', null),
        eb('user_name', '!=', user),
        eb('is_pinned', '=', 1),
      ]),
    )
    .executeTakeFirst()
  return other !== undefined
}
