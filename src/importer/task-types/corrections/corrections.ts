import { isCorrecting } from '../../model/model.ts'
import type { TaskKind } from '../task-type.ts'
import { type VectorDeps, vectorKind } from '../vector/vector.ts'

/**
 * Corrected rows of a completed task of any kind: rows of an uploaded file, added to the layer that the task
 * published.
 */
export function correctionsTask(needs: VectorDeps): TaskKind {
  const { rows } = needs
  return {
    ...vectorKind(needs),
    name: 'mended',
    takes: isCorrecting,
    takesSource: () => false,
    takesLoad: ({ isMended: isCorrected }) => isCorrected === true,
    turn: (running) => rows.queueOfCorrections(running),
    place: (running, naming) => rows.storeCorrections(running, naming),
  }
}
