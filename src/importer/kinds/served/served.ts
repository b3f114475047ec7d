import type { TaskKind } from '../kind.ts'
import { withoutLoad } from '../no-load.ts'
import { vectorKind } from '../vector/vector.ts'
import { rehearseFile } from './rehearse-file.ts'
import type { ServedNeeds } from './served-needs.ts'
import { publishFile, stageFile } from './stage-file.ts'

/** Rows of a file that is served directly. Examining the task may switch it to loading rows, and back. */
export function servedKind(needs: ServedNeeds): TaskKind {
  return {
    ...vectorKind(needs),
    ...withoutLoad,
    name: 'served',
    takes: ({ isDirect }) => isDirect,
    takesSource: () => false,
    readsInPlace: () => true,
    turn: () => Promise.resolve(undefined),
    rehearse: (running, { at }, signal) => rehearseFile(needs, running, at, signal),
    place: async (running) => ({
      turns: {},
      stage: async (_notes, signal) => {
        const file = await stageFile(needs, running, signal)
        return {
          commit: async () => ({ publish: async (now) => publishFile(now, file) }),
          discard: () => Promise.resolve(),
        }
      },
      release: () => undefined,
    }),
  }
}
