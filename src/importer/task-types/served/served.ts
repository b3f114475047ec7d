import type { TaskKind } from '../task-type.ts'
import { vectorKind } from '../vector/vector.ts'
import { withoutLoad } from '../without-rows.ts'
import { dryRunFile } from './dry-run-file.ts'
import type { ServedDeps } from './stage-file.ts'
import { publishFile, stageFile } from './stage-file.ts'

/** Rows of a file that is served directly. Examining the task may switch it to loading rows, and back. */
export function servedKind(deps: ServedDeps): TaskKind {
  return {
    ...vectorKind(deps),
    ...withoutLoad,
    name: 'served',
    takes: ({ isDirect }) => isDirect,
    takesSource: () => false,
    readsInPlace: () => true,
    turn: () => Promise.resolve(undefined),
    performDryRun: (running, { at }, signal) => dryRunFile(deps.loader, running, at, signal),
    place: async (running) => ({
      turns: {},
      stage: async (_notes, signal) => {
        const file = await stageFile(deps.folders, deps.indexMaker, running, signal)
        return {
          commit: async () => ({ publish: async (now) => publishFile(now, file) }),
          discard: () => Promise.resolve(),
        }
      },
      release: () => undefined,
    }),
  }
}
