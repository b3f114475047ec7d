import type { DatabaseSync } from 'node:sqlite'
import type { FeatureBatch } from '../../../geo/batch.ts'
import type { TableComparison } from '../../changes.ts'
import type { LoadHooks, LoadRequest, LoadResult, PreparedLoad, StagedLoad } from '../../store.ts'
import { compareStaged } from '../compare/compare-staged.ts'
import { keyColumns } from '../compare/compared-columns.ts'
import { attachSide } from '../connections.ts'
import { foreseeCrs } from '../crs-rows.ts'
import { storeFailure } from '../errors.ts'
import type { Opened } from '../file-access.ts'
import { removeUnusedIds } from '../kept-ids.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { planLoad } from '../load-plan.ts'
import { openQuietly } from '../quiet-file.ts'
import { rejectStaged } from '../reject-staged.ts'
import { removeSideFile, sidePath, stageRows } from '../stage-rows.ts'
import { rejectKeys, removeStagedRows } from '../upsert/reject-keys.ts'
import type { LoadSurroundings } from '../writer.ts'
import { openStaged } from './open-staged.ts'
import { retainRows } from './retained-rows.ts'
import { resultOf } from './side-file-load.ts'
import type { StagedTable } from './staged-load.ts'
import { pageSizeOf, planShape, tableChanged } from './staged-load.ts'
import { tryRules } from './try-rules.ts'

/** Writes rows to a side file and nothing elsewhere. */
export async function stageDryRun(
  surroundings: LoadSurroundings,
  request: LoadRequest,
  batches: AsyncIterable<FeatureBatch>,
  hooks: LoadHooks,
): Promise<StagedLoad> {
  const { path } = surroundings
  try {
    const target = planQuietly(surroundings, request, hooks)
    const rows = await stageRows(sidePath(path, request.loadId), target, batches, hooks)
    return new DryRunLoad(surroundings, { ...target, rows }, hooks)
  } catch (error) {
    removeSideFile(path, request.loadId)
    throw error
  }
}

/** Plans a load without writing. */
export function planQuietly(
  { path, findDefinition }: LoadSurroundings,
  request: LoadRequest,
  hooks: LoadHooks,
): Omit<StagedTable, 'rows'> {
  const { db, close } = openQuietly(path)
  try {
    const plan = planLoad(db, request, hooks)
    return { plan, srsId: foreseenSrsId(plan), pageSize: pageSizeOf(db) }
  } finally {
    close()
  }

  function foreseenSrsId({ existing, geometry }: GeoPackageLoadPlan): number {
    if (existing !== undefined) return existing.srsId ?? 0
    return geometry === undefined ? 0 : foreseeCrs(db, geometry.crs, findDefinition)
  }
}

/** Staged rows in a side file that does not lock the table or its file. */
export class DryRunLoad implements StagedLoad {
  readonly result: LoadResult
  readonly #surroundings: LoadSurroundings
  #staged: StagedTable
  readonly #hooks: LoadHooks
  /** Connection of the last comparison, whose changes can still be read. */
  #comparing: Opened | undefined

  constructor(surroundings: LoadSurroundings, staged: StagedTable, hooks: LoadHooks) {
    this.#surroundings = surroundings
    this.#staged = staged
    this.#hooks = hooks
    this.result = resultOf(staged.plan, staged.rows, staged.rows.rowCount)
  }

  compare(keys: string[] | undefined, signal: AbortSignal): Promise<TableComparison> {
    return this.#orDiscard(async () => {
      signal.throwIfAborted()
      this.#endComparing()
      const comparing = openQuietly(this.#surroundings.path)
      this.#comparing = comparing
      const { db } = comparing
      attachSide(db, this.#sidePath)
      this.#rejectKeys(db)
      db.exec('BEGIN')
      removeUnusedIds(db, this.#staged.plan, this.#staged.rows, this.#hooks)
      this.#rejectByRules(db, this.#planNow(db))
      // Retains the rejections and rolls back the comparison.
      db.exec('COMMIT; BEGIN')
      const now = this.#planNow(db)
      signal.throwIfAborted()
      return compareStaged(db, { plan: now, rows: this.#staged.rows }, keys, signal)
    })
  }

  retainRows(): Promise<string> {
    return this.#orDiscard(async () => {
      this.#endComparing()
      return retainRows(this.#sidePath, this.#staged)
    })
  }

  async prepare(): Promise<PreparedLoad> {
    const load = await this.#orDiscard(async () => {
      this.#endComparing()
      return openStaged(this.#surroundings, this.#staged, this.#hooks)
    })
    return load.prepare()
  }

  async discard(): Promise<void> {
    this.#endComparing()
    removeSideFile(this.#surroundings.path, this.#staged.plan.request.loadId)
  }

  /** Rejects rows that an `UPSERT` would reject whatever the table contains. */
  #rejectKeys(db: DatabaseSync): void {
    const { plan, rows } = this.#staged
    const { upsert } = plan.request
    if (upsert === undefined) return
    const left = rejectKeys(db, rows, keyColumns(plan, upsert.keys), (id, refusal) =>
      rejectStaged(db, plan, rows, id, refusal, this.#hooks),
    )
    this.#staged = { ...this.#staged, rows: left }
  }

  #planNow(db: DatabaseSync): GeoPackageLoadPlan {
    const { plan } = this.#staged
    const now = planLoad(db, plan.request, { ...this.#hooks, onMessage: () => {} })
    if (planShape(now) !== planShape(plan)) throw tableChanged(plan.table)
    return now
  }

  /** Rejects rows that the constraints of the table would reject. */
  #rejectByRules(db: DatabaseSync, plan: GeoPackageLoadPlan): void {
    const { rows } = this.#staged
    const refused = tryRules(db, plan, rows, (id, refusal) =>
      rejectStaged(db, plan, rows, id, refusal, this.#hooks),
    )
    this.#staged = { ...this.#staged, rows: removeStagedRows(db, rows, refused) }
  }

  get #sidePath(): string {
    return sidePath(this.#surroundings.path, this.#staged.plan.request.loadId)
  }

  #endComparing(): void {
    const comparing = this.#comparing
    this.#comparing = undefined
    if (comparing === undefined) return
    if (comparing.db.isTransaction) comparing.db.exec('ROLLBACK')
    comparing.close()
  }

  async #orDiscard<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action()
    } catch (error) {
      await this.discard()
      throw storeFailure(error, this.#surroundings.path)
    }
  }
}
