import { findStoreServing } from '../../../stores/registry.ts'
import type { StoreType } from '../../../stores/store.ts'
import type { TaskRecord } from '../../model/model.ts'
import { isLoadedWhole } from '../../model/model.ts'

/** The type of store that a task's file is as it stands, where it can be served without a load. */
export function servedType(task: TaskRecord): StoreType | undefined {
  if (task.updateMode !== 'CREATE' || !isLoadedWhole(task)) return undefined
  return findStoreServing(task.format)?.type
}
