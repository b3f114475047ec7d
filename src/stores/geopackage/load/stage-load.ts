import type { FeatureBatch } from '../../../geo/batch.ts'
import type { LoadHooks, LoadRequest, StagedLoad } from '../../store.ts'
import { prepareFile } from '../change-file.ts'
import { attachSide } from '../connections.ts'
import { planLoad } from '../load-plan.ts'
import { dataVersion } from '../server-writes.ts'
import { removeSideFile, sidePath, stageRows } from '../stage-rows.ts'
import type { LoadSurroundings } from '../writer.ts'
import { stageDryRun } from './dry-run-load.ts'
import { resolveCrs } from './open-staged.ts'
import { SideFileLoad } from './side-file-load.ts'
import { pageSizeOf } from './staged-load.ts'

/** Writes rows and index nodes to a side file, without locking the database. */
export async function stageLoad(
  surroundings: LoadSurroundings,
  request: LoadRequest,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<StagedLoad> {
  const { path, writer } = surroundings
  removeSideFile(path, request.loadId)
  if (request.isDryRun === true) return stageDryRun(surroundings, request, batches, hooks)
  const db = await writer.take({ isNew: request.mode !== 'CREATE' })
  try {
    await prepareFile(path, db, hooks.signal)
    const version = dataVersion(db)
    const plan = planLoad(db, request, hooks)
    const srsId = await resolveCrs(db, plan, surroundings, hooks.signal)
    const pageSize = pageSizeOf(db)
    const side = sidePath(path, request.loadId)
    const rows = await stageRows(side, { plan, srsId, pageSize }, batches, hooks)
    attachSide(db, side)
    return new SideFileLoad(surroundings, db, { plan, version, srsId, pageSize, rows }, hooks)
  } catch (error) {
    await writer.drop(db)
    removeSideFile(path, request.loadId)
    throw error
  }
}
