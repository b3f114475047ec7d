import type { Queryable } from '../../core/db/connection.ts'
import type { StatePath } from '../../stores/index.ts'
import type { ContentRecord } from './contents.ts'
import { toContent } from './contents.ts'
import type { VersionRecord } from './version-rows.ts'

/** Plan for restoring the contents of a version. */
export type RestorePlan =
  /** The contents are present. */
  | { kind: 'present' }
  /** From a retained table, or by undoing later changes. */
  | { kind: 'table'; path: StatePath }
  /** By switching the store to its former files. */
  | { kind: 'files'; content: ContentRecord }
  | { kind: 'none'; reason: string }

const inOtherFile =
  'The rows are stored in a file that the store does not read now: restore a later version first'
const brokenChain = 'It is kept as the difference to a state that is gone'

/** Present and retained contents of stores, which a restore may depend on. */
export interface RetainedContents {
  /** Contents by id. */
  contents: ReadonlyMap<number, ContentRecord>
  /** Files that stores read now, by store id. */
  paths: ReadonlyMap<number, string>
}

/** Reads all present or retained contents of some stores. */
export async function readContents(db: Queryable, storeIds: readonly number[]): Promise<RetainedContents> {
  if (storeIds.length === 0) return { contents: new Map(), paths: new Map() }
  const rows = await db
    .selectFrom('layer_contents')
    .selectAll()
    .where('store_id', 'in', [...new Set(storeIds)])
    .where('form', '!=', 'lost')
    .execute()
  const contents = rows.map(toContent)
  const besides = contents.flatMap(({ gone }) => gone?.index?.storeId ?? [])
  const ids = [...new Set([...storeIds, ...besides])]
  const stores = await db.selectFrom('stores').select(['id', 'parameters']).where('id', 'in', ids).execute()
  const paths = stores.flatMap(({ id, parameters }): [number, string][] => {
    const { path } = (JSON.parse(parameters) as { shown: { path?: string } }).shown
    return path === undefined ? [] : [[Number(id), path]]
  })
  return { contents: new Map(contents.map((content) => [content.id, content])), paths: new Map(paths) }
}

/** Returns how to restore contents, starting from a whole state. */
export function wayBackTo(content: ContentRecord, { contents, paths }: RetainedContents): RestorePlan {
  if (content.form === 'present') return { kind: 'present' }
  if (content.form === 'lost') return { kind: 'none', reason: content.reason ?? brokenChain }
  const index = content.gone?.index
  if (index !== undefined && index.path !== paths.get(index.storeId))
    return { kind: 'none', reason: inOtherFile }
  if (content.files !== undefined) return { kind: 'files', content }
  if (content.path !== paths.get(content.storeId)) return { kind: 'none', reason: inOtherFile }
  const path = []
  const seen = new Set<number>()
  let at: ContentRecord | undefined = content
  while (at?.state !== undefined && !seen.has(at.id)) {
    seen.add(at.id)
    path.unshift(at.state)
    if (at.state.form === 'whole') return { kind: 'table', path }
    at = at.afterId === undefined ? undefined : contents.get(at.afterId)
  }
  return at?.form === 'present' ? { kind: 'table', path } : { kind: 'none', reason: brokenChain }
}

/** Returns contents that must remain so that some others can be restored. */
export function neededFor(
  contents: Iterable<ContentRecord>,
  known: ReadonlyMap<number, ContentRecord>,
): Set<number> {
  const needed = new Set<number>()
  for (const content of contents) {
    let at: ContentRecord | undefined = content
    while (at?.form === 'kept' && !needed.has(at.id)) {
      needed.add(at.id)
      at = at.state?.form === 'difference' && at.afterId !== undefined ? known.get(at.afterId) : undefined
    }
  }
  return needed
}

/** Returns whether a version can be restored, and why not. */
export function restorability(
  version: VersionRecord,
  present: number | undefined,
  known: RetainedContents,
): { restorable: boolean; reason: string | null } {
  if (version.version === present) return { restorable: false, reason: 'It is the current version' }
  const way = wayBackTo(version.content, known)
  return way.kind === 'none' ? { restorable: false, reason: way.reason } : { restorable: true, reason: null }
}
