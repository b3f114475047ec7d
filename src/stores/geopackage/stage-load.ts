import type { DatabaseSync } from 'node:sqlite'
import type { FeatureBatch } from '../../geo/batch.ts'
import type { Clock } from '../../lib/clock.ts'
import type { LoadHooks, LoadRequest, StagedLoad } from '../store.ts'
import { changeFile, prepareFile } from './change-file.ts'
import type { FindCrsDefinition } from './crs-rows.ts'
import { ensureCrs } from './crs-rows.ts'
import type { LoadPlan } from './load-plan.ts'
import { planLoad } from './load-plan.ts'
import { dataVersion } from './own-writes.ts'
import { SideFileLoad } from './side-file-load.ts'
import { removeSideFile, sidePath, stageRows } from './stage-rows.ts'
import { tellNaN } from './tell-nan.ts'
import type { Writer } from './writer.ts'

export interface LoadSurroundings {
  path: string
  writer: Writer
  clock: Clock
  findDefinition: FindCrsDefinition
}

/** Writes rows, index nodes and all to a side file, where nobody waits for them. */
export async function stageLoad(
  surroundings: LoadSurroundings,
  request: LoadRequest,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<StagedLoad> {
  const { path, writer } = surroundings
  removeSideFile(path, request.loadId)
  const db = await writer.take({ isNew: request.mode !== 'CREATE' })
  try {
    await prepareFile(path, db, hooks.signal)
    const version = dataVersion(db)
    const plan = planLoad(db, request, hooks)
    const srsId = await settleCrs(db, plan, surroundings, hooks.signal)
    const pageSize = Number(db.prepare('PRAGMA main.page_size').get()?.['page_size'])
    const side = sidePath(path, request.loadId)
    const rows = await stageRows(side, { plan, srsId, pageSize }, tellNaN(batches, hooks), hooks)
    db.prepare('ATTACH ? AS side').run(side)
    return new SideFileLoad(surroundings, db, { plan, version, srsId, rows }, hooks)
  } catch (error) {
    await writer.drop(db)
    removeSideFile(path, request.loadId)
    throw error
  }
}

/** The `srs_id` for the geometries; a new CRS is entered at once, since its id stands in every geometry. */
async function settleCrs(
  db: DatabaseSync,
  plan: LoadPlan,
  { path, findDefinition }: LoadSurroundings,
  signal: AbortSignal,
): Promise<number> {
  if (plan.existing !== undefined) return plan.existing.srsId ?? 0
  if (plan.geometry === undefined) return 0
  const { crs } = plan.geometry
  return changeFile(path, db, signal, () => ensureCrs(db, crs, findDefinition))
}
