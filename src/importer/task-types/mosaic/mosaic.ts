import { randomUUID } from 'node:crypto'
import type { Catalog } from '../../../catalog/index.ts'
import type { Database } from '../../../core/db/connection.ts'
import type { Logger } from '../../../core/log/logger.ts'
import type { DataFile } from '../../../formats/worker.ts'
import { mosaicType } from '../../../stores/index.ts'
import type { TaskLoad, TaskRecord } from '../../model/model.ts'
import { listGranules } from '../../records/records.ts'
import { loadInto, lockKeysFor } from '../load/target.ts'
import { describeAgain } from '../load/task-source.ts'
import { checkRasterTransforms } from '../raster/check-transforms.ts'
import { refuseAppend } from '../raster/refuse-append.ts'
import type { CommitNote, Committed, Naming, Placed, Running, TaskKind } from '../task-type.ts'
import { describeDryRun } from '../without-rows.ts'
import { examineMosaic } from './examine-mosaic.ts'
import { inspectAgain, inspectMosaic } from './inspect-mosaic.ts'
import type { MosaicDeps } from './mosaic-target.ts'
import { findMosaicTarget } from './mosaic-target.ts'
import { removePlaced } from './place-granules.ts'
import { publishMosaic } from './publish-mosaic.ts'
import { granuleRows, stageMosaic } from './stage-mosaic.ts'

async function listFiles(database: Database, task: TaskRecord): Promise<DataFile[]> {
  const granules = await listGranules(database.kysely, { importId: task.importId, taskId: task.id })
  return [...task.files, ...granules.map(({ file }) => file)]
}

async function place(deps: MosaicDeps, running: Running, naming: Naming): Promise<Placed> {
  const loadId = randomUUID()
  const { target, granuleFolder } = await findMosaicTarget(
    deps.catalog,
    deps.folders,
    deps.loading,
    running,
    { loadId, naming },
  )
  const load: TaskLoad = { ...loadInto(target, loadId), granuleFolder }
  return {
    load,
    turns: lockKeysFor(target),
    stage: async (notes, signal) => {
      const staged = await stageMosaic(deps, { running, load, target }, notes, signal)
      const commit = async (write: (note: CommitNote) => Promise<void>): Promise<Committed> => {
        const { rowsRead, rowsLoaded, rejected } = await staged.commit(write)
        return committed(deps.catalog, deps.log, { ...load, counts: { rowsRead, rowsLoaded, rejected } })
      }
      return { commit, discard: staged.discard }
    },
    release: () => deps.loading.targets.release(running.record.workspace, target),
  }
}

function committed(catalog: Catalog, log: Logger, load: TaskLoad): Committed {
  return { publish: (running) => publishMosaic(catalog, log, running, load) }
}

/**
 * Many rasters as one coverage, whose index is loaded like rows; also a raster that is added to a mosaic as a
 * granule.
 */
export function mosaicKind(deps: MosaicDeps): TaskKind {
  const { catalog, pool } = deps
  const { rows } = deps.loading
  return {
    name: 'mosaic',
    takes: ({ mosaic, kind, target }) =>
      kind === 'raster' && (mosaic !== undefined || target?.type === mosaicType),
    takesSource: ({ type }) => type === 'mosaic',
    takesLoad: ({ granuleFolder }) => granuleFolder !== undefined,
    data: { isFiles: true, opensArchives: false },
    inspect: (data) => inspectMosaic(deps.database, data),
    inspectAgain: (task, signal) =>
      task.mosaic === undefined
        ? describeAgain(pool, task, signal)
        : inspectAgain(deps, task, task.mosaic, signal),
    listFiles: (task) => listFiles(deps.database, task),
    rows: ({ task }) => granuleRows(deps.database, task),
    findTable: () => Promise.resolve(undefined),
    describeTable: () => Promise.resolve(undefined),
    readsInPlace: ({ isDirect }) => isDirect,
    examine: examineMosaic,
    needsDefaultStore: () => false,
    checkTransforms: ({ files, mosaic }, specs) =>
      checkRasterTransforms(specs, { isSingle: mosaic === undefined && files.length <= 1 }),
    checkMode: (record, task) => refuseAppend(catalog, record, task),
    turn: () => Promise.resolve(undefined),
    place: (running, naming) => place(deps, running, naming),
    performDryRun: async (running, { at }) => describeDryRun(running, { at, notTried: ['granules'] }),
    recover: async (load) =>
      (await rows.recover(load)) === undefined ? undefined : committed(deps.catalog, deps.log, load),
    discard: async (load) => {
      await rows.discard(load)
      await removePlaced(load)
    },
  }
}
