import { isCorrecting } from '../../model/model.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { RowLoads } from '../load/load-rows.ts'
import type { TaskKind } from '../task-type.ts'
import { vectorKind } from '../vector/vector.ts'

/**
 * Corrected rows of a completed task of any kind: rows of an uploaded file, added to the layer that the task
 * published.
 */
export function correctionsTask(needs: { rows: RowLoads; pool: LoadPool }): TaskKind {
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
