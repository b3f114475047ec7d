import { randomUUID } from 'node:crypto'
import type { Catalog, ContentEnd, LayerRecord, StoreRecord } from '../../../catalog/index.ts'
import type { TaskLoad, TaskRecord } from '../../model/model.ts'
import type { Target } from './target.ts'

const neverRequested = 'The previous contents were not stored'

/** Returns the id under which a load retains the replaced contents, or the reason why it does not. */
export async function howToKeep(
  catalog: Catalog,
  { updateMode }: Pick<TaskRecord, 'updateMode'>,
  { isExisting, moved, store }: Pick<Target, 'isExisting' | 'moved' | 'store'>,
): Promise<NonNullable<TaskLoad['keep']>> {
  if (!isExisting || updateMode === 'CREATE' || moved !== undefined) return { reason: neverRequested }
  return catalog.versions.howToKeep(store, randomUUID())
}

/** Returns what happened to the previous contents of a table. */
export function endOfTable({ keep, kept }: TaskLoad, { parameters: { path } }: StoreRecord): ContentEnd {
  if (kept === undefined) {
    const reason = keep !== undefined && 'reason' in keep ? keep.reason : neverRequested
    return { form: 'lost', reason }
  }
  return 'reason' in kept ? { form: 'lost', reason: kept.reason } : { form: 'kept', state: kept, path }
}

/** Returns what happened to the files that a store referred to before. */
export function endOfFiles(catalog: Catalog, from: StoreRecord): Promise<ContentEnd> {
  return catalog.versions.keepFiles(from)
}

/** Records changes made outside of Terrane until now as a version of their own. */
export async function reportOutsideChange(catalog: Catalog, layer: LayerRecord | undefined): Promise<void> {
  if (layer !== undefined) await catalog.layers.refreshVersion(layer).catch(() => undefined)
}
