import { findStoreServing } from '../../../stores/registry.ts'
import type { StoreType } from '../../../stores/store.ts'
import type { TaskRecord } from '../../model/model.ts'
import { isLoadedWhole } from '../../model/model.ts'

/** Returns the store type of the task's file if the file can be served directly, without a load. */
export function servedType(task: TaskRecord): StoreType | undefined {
  if (task.updateMode !== 'CREATE' || !isLoadedWhole(task)) return undefined
  return findStoreServing(task.format)?.type
}
