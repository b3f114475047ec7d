import type { TaskLoad } from '../model/model.ts'
import type { TaskKind } from './task-type.ts'

/**
 * For kinds whose data become visible by their publication alone: no store has a load that could be
 * interrupted between its commit and the publication. A file that was never published is removed with other
 * unused folders.
 */
export const withoutLoad: Pick<TaskKind, 'takesLoad' | 'recover' | 'discard'> = {
  takesLoad: () => false,
  recover: ({ loadId }: TaskLoad) => Promise.reject(new Error(`Load ${loadId} is of another kind`)),
  discard: ({ loadId }: TaskLoad) => Promise.reject(new Error(`Load ${loadId} is of another kind`)),
}
