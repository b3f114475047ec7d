import type { Queryable } from '../../db/connection.ts'
import type { StatePath } from '../../stores/store.ts'
import type { ContentRecord } from './contents.ts'
import { toContent } from './contents.ts'
import type { VersionRecord } from './version-rows.ts'

/** How the contents of a version come back. */
type WayBack =
  /** They are in their place. */
  | { kind: 'present' }
  /** By a table that was put aside, or by undoing what came after it. */
  | { kind: 'table'; path: StatePath }
  /** By pointing the store to its files of then. */
  | { kind: 'files'; content: ContentRecord }
  | { kind: 'none'; reason: string }

const brokenChain = 'It is kept as the difference to a state that is gone'

/** Every content of the places of `versions` by its number: what a way back may lead over. */
export async function readContents(
  db: Queryable,
  storeIds: readonly number[],
): Promise<ReadonlyMap<number, ContentRecord>> {
  if (storeIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('layer_contents')
    .selectAll()
    .where('store_id', 'in', [...new Set(storeIds)])
    .where('form', '!=', 'lost')
    .execute()
  return new Map(rows.map((row) => [Number(row.id), toContent(row)]))
}

/** The way back to contents, from what stands whole. */
function wayBackTo(content: ContentRecord, known: ReadonlyMap<number, ContentRecord>): WayBack {
  if (content.form === 'present') return { kind: 'present' }
  if (content.form === 'lost') return { kind: 'none', reason: content.reason ?? brokenChain }
  if (content.files !== undefined) return { kind: 'files', content }
  const path = []
  const seen = new Set<number>()
  let at: ContentRecord | undefined = content
  while (at?.state !== undefined && !seen.has(at.id)) {
    seen.add(at.id)
    path.unshift(at.state)
    if (at.state.form === 'whole') return { kind: 'table', path }
    at = at.afterId === undefined ? undefined : known.get(at.afterId)
  }
  return at?.form === 'present' ? { kind: 'table', path } : { kind: 'none', reason: brokenChain }
}

/** Whether a version can be brought back, and why not. */
export function restorability(
  version: VersionRecord,
  present: number | undefined,
  known: ReadonlyMap<number, ContentRecord>,
): { restorable: boolean; reason: string | null } {
  if (version.version === present) return { restorable: false, reason: 'It is what the layer is now' }
  const way = wayBackTo(version.content, known)
  return way.kind === 'none' ? { restorable: false, reason: way.reason } : { restorable: true, reason: null }
}
