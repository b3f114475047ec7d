import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../../core/time/clock.ts'
import { defined } from '../../../core/values/defined.ts'
import type { LoadHooks, LoadResult, PreparedLoad, StagedLoad } from '../../store.ts'
import type { FileChange } from '../change-file.ts'
import { beginTableChange } from '../change-file.ts'
import { readChanges } from '../compare/changed-rows.ts'
import { describeTable, insertContents, nextChange, updateContents } from '../contents.ts'
import { storeFailure } from '../errors.ts'
import { createIndexes } from '../indexes.ts'
import { removeUnusedIds } from '../kept-ids.ts'
import type { GeoPackageLoadPlan } from '../load-plan.ts'
import { planLoad } from '../load-plan.ts'
import { insertStagedRows, updateStagedRows } from '../move-staged-rows.ts'
import type { Refusal } from '../record-encoder.ts'
import { rejectStaged } from '../reject-staged.ts'
import { dataVersion } from '../server-writes.ts'
import { exchangesTable, snapshotBefore } from '../snapshots/snapshot-before.ts'
import type { StagedRows } from '../stage-rows.ts'
import { removeSideFile } from '../stage-rows.ts'
import { placeUpsert, upsertSource } from '../upsert/place-upsert.ts'
import { upsertBounds } from '../upsert/upsert-bounds.ts'
import type { Writer } from '../writer.ts'
import type { StagedTable } from './staged-load.ts'
import { planShape, tableChanged } from './staged-load.ts'

interface Begun extends StagedTable {
  /** `dataVersion` before planning. */
  version: unknown
}

interface Location {
  path: string
  writer: Writer
  clock: Clock
}

/** Result of placing the staged rows. */
interface Placed {
  /** Number of rows rejected by constraints of the table. */
  refused: number
  kept: LoadResult['kept']
  /** Row changes of an `UPSERT`. */
  changes: LoadResult['changes']
}

/**
 * Staged rows in a side file, attached as `side`. One transaction copies them into the table, while readers
 * see the previous state.
 */
export class SideFileLoad implements StagedLoad {
  readonly result: LoadResult
  readonly #place: Location
  readonly #db: DatabaseSync
  readonly #staged: Begun
  readonly #hooks: LoadHooks
  #change: FileChange | undefined

  constructor(place: Location, db: DatabaseSync, staged: Begun, hooks: LoadHooks) {
    this.#place = place
    this.#db = db
    this.#staged = staged
    this.#hooks = hooks
    this.result = resultOf(staged.plan, staged.rows, staged.rows.rowCount)
  }

  prepare(): Promise<PreparedLoad> {
    return this.#orDiscard(async () => {
      const { signal } = this.#hooks
      const { path, clock } = this.#place
      const db = this.#db
      // Tables are exchanged by renaming them, which checks all references to them.
      const isExchanged = exchangesTable(db, this.#staged.plan)
      if (isExchanged) db.exec('PRAGMA foreign_keys = OFF')
      this.#change = await beginTableChange(path, db, signal)
      const plan = this.#planNow()
      if (exchangesTable(db, plan) !== isExchanged) throw tableChanged(plan.table)
      const { rows } = this.#staged
      const lastChange = nextChange(db, clock.now())
      const { refused, kept, changes } = this.#placeRows(plan, lastChange)
      const rowsLoaded = rows.rowCount - refused
      updateContents(db, plan, {
        lastChange,
        envelope: rows.envelope,
        rowsAdded: changes === undefined ? rowsLoaded : changes.added - changes.removed,
        bounds: changes === undefined ? undefined : { envelope: upsertBounds(db, plan, rows.envelope) },
      })
      createIndexes(db, plan, this.#hooks)
      const table = describeTable(db, plan.table)
      const result = { ...resultOf(plan, rows, rowsLoaded), ...defined({ table, kept, changes }) }
      signal.throwIfAborted()
      return {
        result,
        token: JSON.stringify({ table: plan.table, lastChange }),
        commit: () => this.#commit(),
        discard: () => this.discard(),
        changes: changes === undefined ? undefined : () => readChanges(db, upsertSource(plan), signal),
      }
    })
  }

  async discard(): Promise<void> {
    try {
      this.#change?.rollBack()
    } finally {
      await this.#place.writer.drop(this.#db)
      this.#removeSideFile()
    }
  }

  async #commit(): Promise<void> {
    await this.#orDiscard(async () => {
      this.#hooks.signal.throwIfAborted()
      this.#change?.commit()
      this.#change = undefined
      this.#db.exec('DETACH side; PRAGMA foreign_keys = ON')
    })
    await this.#place.writer.keep(this.#db)
    this.#removeSideFile()
  }

  async #orDiscard<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action()
    } catch (error) {
      await this.discard()
      throw storeFailure(error, this.#place.path)
    }
  }

  #removeSideFile(): void {
    removeSideFile(this.#place.path, this.#staged.plan.request.loadId)
  }

  /** Returns the plan for the present state of the file, which is locked from now on. */
  #planNow(): GeoPackageLoadPlan {
    const { plan: early, version } = this.#staged
    if (dataVersion(this.#db) === version) return early
    const now = planLoad(this.#db, early.request, { ...this.#hooks, onMessage: () => {} })
    if (planShape(now) === planShape(early)) return now
    throw tableChanged(early.table)
  }

  #placeRows(plan: GeoPackageLoadPlan, lastChange: string): Placed {
    const { rows, srsId } = this.#staged
    const db = this.#db
    removeUnusedIds(db, plan, rows, this.#hooks)
    if (plan.existing === undefined) {
      insertStagedRows(db, plan, rows)
      insertContents(db, plan, srsId)
      return {
        refused: 0,
        changes: undefined,
        kept: plan.request.keepAs === undefined ? undefined : { reason: 'There was no table' },
      }
    }
    const keeping = snapshotBefore(db, plan, lastChange)
    const onRefused = (id: number, refusal: Refusal): void =>
      rejectStaged(db, plan, rows, id, refusal, this.#hooks)
    const { refused, foreignTriggers, counts } =
      plan.request.mode === 'UPSERT'
        ? placeUpsert(db, plan, rows, { onRefused })
        : {
            ...updateStagedRows(db, plan, rows, { onRefused, exchange: keeping?.exchange }),
            counts: undefined,
          }
    if (foreignTriggers.length > 0) {
      const message = `Triggers of the table "${plan.table}" did not run in this load: ${foreignTriggers.join(', ')}`
      this.#hooks.onMessage({ level: 'warning', code: 'triggers-not-run', message })
    }
    return { refused, kept: keeping?.finish(), changes: counts }
  }
}

export function resultOf(plan: GeoPackageLoadPlan, { envelope }: StagedRows, rowsLoaded: number): LoadResult {
  const result = { rowsLoaded, renamed: renamedColumns(plan) }
  return envelope === undefined ? result : { ...result, envelope }
}

function renamedColumns(plan: GeoPackageLoadPlan): Record<string, string> {
  const renamed = plan.columns.filter(({ name, target }) => name !== target.name)
  const requested = plan.request.schema.geometry?.name
  const stored = plan.existing === undefined ? plan.geometry?.name : requested
  const geometry =
    requested === undefined || stored === undefined || requested === stored ? [] : [[requested, stored]]
  return Object.fromEntries([...geometry, ...renamed.map(({ name, target }) => [target.name, name])])
}
