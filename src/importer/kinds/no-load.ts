import type { TaskLoad } from '../model/model.ts'
import type { TaskKind } from './kind.ts'

/**
 * For kinds whose data are visible by their publication alone: no store takes a load that could break off between its
 * commit and that. A file that was made and never published goes with other unused folders.
 */
export const withoutLoad: Pick<TaskKind, 'takesLoad' | 'recover' | 'discard'> = {
  takesLoad: () => false,
  recover: ({ loadId }: TaskLoad) => Promise.reject(new Error(`Load ${loadId} is of another kind`)),
  discard: ({ loadId }: TaskLoad) => Promise.reject(new Error(`Load ${loadId} is of another kind`)),
}
