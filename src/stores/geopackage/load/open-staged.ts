import type { DatabaseSync } from 'node:sqlite'
import type { LoadHooks } from '../../store.ts'
import { changeFile, prepareFile } from '../change-file.ts'
import { attachSide } from '../connections.ts'
import { ensureCrs } from '../crs-rows.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { planLoad } from '../load-plan.ts'
import { dataVersion } from '../server-writes.ts'
import { removeSideFile, sidePath } from '../stage-rows.ts'
import type { LoadSurroundings } from '../writer.ts'
import { SideFileLoad } from './side-file-load.ts'
import type { StagedTable } from './staged-load.ts'
import { pageSizeOf, planShape, tableChanged } from './staged-load.ts'

/** Converts rows that were staged without writing to the file into a load that can be committed. */
export async function openStaged(
  surroundings: LoadSurroundings,
  staged: StagedTable,
  hooks: LoadHooks,
): Promise<SideFileLoad> {
  const { path, writer } = surroundings
  const { request } = staged.plan
  const db = await writer.take({ isNew: true })
  try {
    await prepareFile(path, db, hooks.signal)
    const version = dataVersion(db)
    const plan = planLoad(db, request, { ...hooks, onMessage: () => {} })
    const pageSize = pageSizeOf(db)
    if (planShape(plan) !== planShape(staged.plan) || pageSize !== staged.pageSize) {
      throw tableChanged(plan.table)
    }
    const srsId = await resolveCrs(db, plan, surroundings, hooks.signal)
    attachSide(db, sidePath(path, request.loadId))
    if (srsId !== staged.srsId && plan.geometry !== undefined) enterSrsId(db, srsId)
    return new SideFileLoad(surroundings, db, { ...staged, plan, srsId, version }, hooks)
  } catch (error) {
    await writer.drop(db)
    removeSideFile(path, request.loadId)
    throw error
  }
}

/**
 * Returns the `srs_id` of the geometries; a new CRS is inserted immediately, since its id is part of every
 * geometry.
 */
export async function resolveCrs(
  db: DatabaseSync,
  plan: GeoPackageLoadPlan,
  { path, findDefinition }: LoadSurroundings,
  signal: AbortSignal,
): Promise<number> {
  if (plan.existing !== undefined) return plan.existing.srsId ?? 0
  if (plan.geometry === undefined) return 0
  const { crs } = plan.geometry
  return changeFile(path, db, signal, () => ensureCrs(db, crs, findDefinition))
}

/**
 * Replaces the predicted id in every geometry, if other CRSs were inserted meanwhile (OGC 12-128r18, section
 * 2.1.3: bytes 5 to 8).
 */
function enterSrsId(db: DatabaseSync, srsId: number): void {
  const id = Buffer.alloc(4)
  id.writeInt32LE(srsId)
  const blob = `CAST(substr(c0, 1, 4) || x'${id.toString('hex')}' || substr(c0, 9) AS BLOB)`
  db.exec(`UPDATE side.t SET c0 = ${blob} WHERE c0 IS NOT NULL`)
}
