import { planTasks } from '../../inspect/inspect.ts'
import { describeAgain } from '../load/task-source.ts'
import type { TaskKind } from '../task-type.ts'
import { describeDryRun, withoutLoad } from '../without-rows.ts'
import { checkRasterTransforms } from './check-transforms.ts'
import { examineRaster } from './examine-raster.ts'
import { rasterRows } from './footprint-rows.ts'
import { publishRaster, removeUnused } from './publish-raster.ts'
import { refuseAppend } from './refuse-append.ts'
import type { RasterDeps } from './run-tools.ts'
import { stageRaster } from './stage-raster.ts'

/** A raster served as a coverage: at its source location, as a copy, or as the result of a tool chain. */
export function rasterKind(deps: RasterDeps): TaskKind {
  const { catalog, pool } = deps
  return {
    ...withoutLoad,
    name: 'raster',
    takes: ({ kind }) => kind === 'raster',
    takesSource: () => false,
    data: { isFiles: true, opensArchives: true },
    inspect: async ({ described, context }) => planTasks(described, context),
    inspectAgain: (task, signal) => describeAgain(pool, task, signal),
    listFiles: async ({ files }) => files,
    rows: async ({ task }) => rasterRows(task),
    findTable: () => Promise.resolve(undefined),
    describeTable: () => Promise.resolve(undefined),
    readsInPlace: ({ isDirect }) => isDirect,
    examine: examineRaster,
    needsDefaultStore: () => false,
    checkTransforms: ({ files }, specs) => checkRasterTransforms(specs, { isSingle: files.length <= 1 }),
    checkMode: (record, task) => refuseAppend(catalog, record, task),
    turn: () => Promise.resolve(undefined),
    performDryRun: async (running, { at }) => {
      const notTried = running.task.transforms.length === 0 ? [] : ['transformations']
      return describeDryRun(running, { at, notTried })
    },
    place: async (running) => ({
      turns: {},
      stage: async (_notes, signal) => {
        const made = await stageRaster(deps, running, signal)
        return {
          commit: async () => {
            signal.throwIfAborted()
            return { publish: (now) => publishRaster(deps.catalog, deps.log, now, made) }
          },
          discard: () => removeUnused(deps.catalog, deps.log, made.path),
        }
      },
      release: () => undefined,
    }),
  }
}
