import { randomUUID } from 'node:crypto'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { LayerRecord, StoreRecord } from '../../../catalog/records.ts'
import type { ContentEnd } from '../../../catalog/versions/contents.ts'
import { defined } from '../../../lib/defined.ts'
import type { TaskLoad, TaskRecord } from '../../model/model.ts'
import type { Target } from './target.ts'

const neverAsked = 'Nothing was kept of what was before'

/** Under which id what a load takes away is kept, or why it is not. */
export async function howToKeep(
  catalog: Catalog,
  { updateMode }: Pick<TaskRecord, 'updateMode'>,
  { isExisting, moved, store }: Pick<Target, 'isExisting' | 'moved' | 'store'>,
): Promise<NonNullable<TaskLoad['keep']>> {
  if (!isExisting || updateMode === 'CREATE' || moved !== undefined) return { reason: neverAsked }
  return catalog.versions.howToKeep(store, randomUUID())
}

/** What becomes of the contents that a table had. */
export function endOfTable({ keep, kept }: TaskLoad, { parameters: { path } }: StoreRecord): ContentEnd {
  if (kept === undefined) {
    const reason = keep !== undefined && 'reason' in keep ? keep.reason : neverAsked
    return { form: 'lost', reason }
  }
  return 'reason' in kept
    ? { form: 'lost', reason: kept.reason }
    : { form: 'kept', state: kept, ...defined({ path }) }
}

/** What becomes of the files that a store was pointed to. */
export function endOfFiles(catalog: Catalog, from: StoreRecord): Promise<ContentEnd> {
  return catalog.versions.keepFiles(from)
}

/** What others have changed until now is a version of its own. */
export async function tellOutside(catalog: Catalog, layer: LayerRecord | undefined): Promise<void> {
  if (layer !== undefined) await catalog.layers.refreshVersion(layer).catch(() => undefined)
}
