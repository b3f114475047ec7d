import { isMending } from '../../model/model.ts'
import type { LoadPool } from '../../worker/worker.ts'
import type { TaskKind } from '../kind.ts'
import type { RowLoads } from '../load/load-rows.ts'
import { vectorKind } from '../vector/vector.ts'

/**
 * Mended rows of a task that is complete, whatever it was: rows of a file that was sent, which go to the layer that the
 * task made.
 */
export function mendedKind(needs: { rows: RowLoads; pool: LoadPool }): TaskKind {
  const { rows } = needs
  return {
    ...vectorKind(needs),
    name: 'mended',
    takes: isMending,
    takesSource: () => false,
    takesLoad: ({ isMended }) => isMended === true,
    turn: (running) => rows.turnOfMended(running),
    place: (running, naming) => rows.placeMended(running, naming),
  }
}
