import type { Queryable } from '../../db/connection.ts'
import type { ContentRecord } from './contents.ts'
import { toContent } from './contents.ts'
import { editMode } from './record-versions.ts'

/** Edits by one user within this time are one version, from the first of them on. */
const togetherMs = 15 * 60_000

/** Since when edits count as made together with one at `now`. */
export function togetherSince(now: Date): string {
  return new Date(now.getTime() - togetherMs).toISOString()
}

/** A version that further edits of its user go on with. */
export interface OpenEdits {
  version: number
  contentId: number
  /** What was there before them. */
  before: ContentRecord | undefined
}

interface Asked {
  layerId: number
  /** That the layer has now. */
  version: number
  user: string | undefined
  since: string
}

/** The edits that one by a user now goes on with; undefined where it begins a version of its own. */
export async function findOpenEdits(
  db: Queryable,
  { layerId, version, user, since }: Asked,
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

/** Whether versions that are no edits of this user have the same contents: they are to stay what they are. */
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
