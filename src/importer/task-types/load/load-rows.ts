import { randomUUID } from 'node:crypto'
import { Failure } from '../../../core/errors/errors.ts'
import { defined, without } from '../../../core/values/defined.ts'
import type { TableDescription, VectorStore } from '../../../stores/index.ts'
import type { TaskDryRun, TaskLoad, TaskRecord } from '../../model/model.ts'
import { declaredLayer } from '../../model/model.ts'
import type {
  CommitNote,
  Committed,
  DryRunNotes,
  ExistingTable,
  Naming,
  Placed,
  Running,
  TaskPublication,
} from '../task-type.ts'
import { refuseOtherLayer } from './corrections-target.ts'
import { basisOf, findReusableDryRun, refuseStopped } from './dry-run-basis.ts'
import { dryRunRows } from './dry-run-rows.ts'
import { findFileStore, movedTo, openMoved, pointStore, removeMoved } from './file-layer.ts'
import { endOfFiles, endOfTable, howToKeep, reportOutsideChange } from './previous-contents.ts'
import type { RowLoadDeps, RowSource } from './row-load-deps.ts'
import { asAdded, sentRows, stageCorrections } from './stage-corrections.ts'
import type { RunDryRun } from './stage-rows.ts'
import { stageTaskRows } from './stage-rows.ts'
import type { Target } from './target.ts'
import { loadInto, lockKeysFor } from './target.ts'

/** Error codes for an `UPSERT` without a target table: no table exists yet, or no store accepts one. */
const withoutTable = ['nothing-to-append-to', 'unknown-store', 'read-only-store']

function noneToAppendTo(error: unknown): undefined {
  if (error instanceof Failure && withoutTable.includes(error.code)) return undefined
  throw error
}

/** Loads rows from any source into a table of a store. */
export class RowLoads {
  readonly #deps: RowLoadDeps

  constructor(deps: RowLoadDeps) {
    this.#deps = deps
  }

  /**
   * Serializes loads into a file that is served directly: the first load switches the store to a new file.
   */
  async turn(running: Running): Promise<string | undefined> {
    const store = await findFileStore(this.#deps.catalog, running)
    return store === undefined ? undefined : `file of store ${store.id}`
  }

  /** Returns the target of an `UPSERT`; undefined if there is no table. */
  #findUpserted({ record, task }: Running, signal: AbortSignal): Promise<Target | undefined> {
    const upsert: Running = { record, task: { ...task, updateMode: 'UPSERT' } }
    return this.#deps.targets.find(upsert, { isLookedUp: true, signal }).catch(noneToAppendTo)
  }

  async describeTable(running: Running, signal: AbortSignal): Promise<TableDescription | undefined> {
    const target = await this.#findUpserted(running, signal)
    if (target === undefined) return undefined
    const { moved, copyFrom, table, store } = target
    const opened = await this.#deps.catalog.stores.open(moved?.from ?? store)
    return opened.findTable(copyFrom?.table ?? table)
  }

  /** Returns the target table of an `UPSERT`, at its present location. */
  async findTable(running: Running, signal: AbortSignal): Promise<ExistingTable | undefined> {
    const { catalog, indexMaker } = this.#deps
    const target = await this.#findUpserted(running, signal)
    if (target === undefined) return undefined
    const { layer, moved, copyFrom, table } = target
    const connection = await catalog.stores.connection(moved?.from ?? target.store)
    if (connection.indexFolder !== undefined) await indexMaker.make(connection, { signal })
    return { connection, table: copyFrom?.table ?? table, version: layer?.version }
  }

  async place(running: Running, naming: Naming, source: RowSource): Promise<Placed> {
    const { targets } = this.#deps
    const found = await targets.find(running, naming)
    const dryRun = await this.#dryRunOf(running, found)
    const target = dryRun.kept?.load.movedTo === undefined ? found : movedTo(found, dryRun.kept.load.movedTo)
    const keep = await howToKeep(this.#deps.catalog, running.task, target)
    const load = { ...loadInto(target, dryRun.kept?.load.loadId ?? randomUUID()), keep }
    return {
      load,
      turns: lockKeysFor(target),
      stage: async (notes, signal) => {
        const stage = { running, load, target, source }
        const rows = await stageTaskRows(this.#deps, stage, dryRun, notes, signal)
        const commit = async (write: (note: CommitNote) => Promise<void>): Promise<Committed> => {
          await reportOutsideChange(this.#deps.catalog, target.layer)
          const { rowsRead, rowsLoaded, rejected, table, kept, changes } = await rows.commit(write)
          const counts = { rowsRead, rowsLoaded, rejected }
          return this.#committed(
            { ...load, counts, kept: kept ?? load.kept, changes: changes ?? load.changes },
            table,
          )
        }
        return { commit, discard: rows.discard }
      },
      release: () => targets.release(running.record.workspace, target),
    }
  }

  /** Like `turn`, for corrected rows. */
  queueOfCorrections(running: Running): Promise<string | undefined> {
    return this.turn(asAdded(running))
  }

  /** Corrected rows go to the layer that their task published, if that layer still is the same. */
  async storeCorrections(running: Running, naming: Naming): Promise<Placed> {
    const { targets, catalog } = this.#deps
    const added = asAdded(running)
    await refuseOtherLayer(catalog, running)
    const target = await targets.find(added, naming)
    const keep = await howToKeep(catalog, added.task, target)
    const load: TaskLoad = { ...loadInto(target, randomUUID()), keep, isMended: true }
    return {
      load,
      turns: lockKeysFor(target),
      stage: async (notes, signal) => {
        await refuseOtherLayer(catalog, running)
        const stage = { running: added, load, target, source: sentRows }
        const rows = await stageCorrections(this.#deps, stage, notes, signal)
        const commit = async (write: (note: CommitNote) => Promise<void>): Promise<Committed> => {
          await reportOutsideChange(catalog, target.layer)
          let noted: CommitNote | undefined
          const { table, kept, changes } = await rows.commit((note) => {
            noted = note
            return write(note)
          })
          const { counts, mended: corrected } = noted ?? {}
          return this.#committed(
            {
              ...load,
              counts: counts ?? load.counts,
              mended: corrected ?? load.mended,
              kept: kept ?? load.kept,
              changes: changes ?? load.changes,
            },
            table,
          )
        }
        return { commit, discard: rows.discard }
      },
      release: () => targets.release(running.record.workspace, target),
    }
  }

  /** Dry run. Reserves a table name only while choosing it. */
  async performDryRun(
    running: Running,
    source: RowSource,
    notes: DryRunNotes,
    signal: AbortSignal,
  ): Promise<TaskDryRun> {
    const { targets } = this.#deps
    const target = await targets.find(running, { isLookedUp: true, signal })
    targets.release(running.record.workspace, target)
    const load = loadInto(target, randomUUID())
    await notes.aim(load)
    return dryRunRows(this.#deps, { running, load, target, source }, notes.at, signal)
  }

  /** Returns the retained dry run of the task, and the limits under which the load may be stopped. */
  async #dryRunOf(running: Running, target: Target): Promise<RunDryRun> {
    const { trial: dryRun, stopIf } = running.task
    if (dryRun?.load === undefined && stopIf === undefined) return {}
    const basis = await basisOf(this.#deps.catalog, running, target)
    const known = findReusableDryRun(dryRun, basis)
    if (known !== undefined && 'kept' in known) refuseStopped(running.task, known.kept)
    return { basis, ...known }
  }

  async recover(load: TaskLoad): Promise<Committed | undefined> {
    if (load.token === undefined) return undefined
    const opened = await this.open(load)
    if ((await opened.outcome(load.token)) !== 'committed') return undefined
    await this.sweep(load)
    return this.#committed(load)
  }

  async discard(load: TaskLoad): Promise<void> {
    if (load.movedTo === undefined) await (await this.open(load)).sweep(load.loadId)
    else await removeMoved(load.movedTo)
  }

  /** Opens the target store of a load. */
  async open({ movedTo, storeId }: TaskLoad): Promise<VectorStore> {
    if (movedTo !== undefined) return openMoved(movedTo)
    const { stores } = this.#deps.catalog
    return stores.open(await stores.get(storeId))
  }

  /** Removes the staging data of a committed load. Data that cannot be removed do no harm. */
  async sweep(load: TaskLoad): Promise<void> {
    await this.open(load)
      .then((opened) => opened.sweep(load.loadId))
      .catch((error: unknown) => this.#warn(error, load, 'staged data of a load were not removed'))
  }

  /** Describes a committed load. Reads the table contents unless they are given. */
  #committed(load: TaskLoad, given?: TableDescription): Committed {
    const { catalog } = this.#deps
    return {
      publish: async ({ task }) => {
        const table = given ?? (await (await this.open(load)).findTable(load.table))
        if (table === undefined) throw new Error(`The table "${load.table}" was removed after its load`)
        await this.#deps.loader.removeDryRunFiles(task)
        const done = { task: doneBy(task, load), published: table }
        const { movedTo } = load
        const from = await catalog.stores.get(load.storeId)
        const place = { ...load, ...loadedBy(task, load) }
        if (movedTo === undefined)
          return { ...done, publishedTable: { ...place, end: endOfTable(load, from) } }
        return {
          ...done,
          publishedTable: { ...place, end: await endOfFiles(catalog, from) },
          makeStore: (change) => pointStore(change, load, movedTo),
          tidy: () =>
            catalog.stores.files
              .removeUnused(from.parameters.path ?? '')
              .then(() => catalog.stores.files.removeUnusedIndex(from))
              .catch((error: unknown) => this.#warn(error, load, 'an unused file was not removed')),
        }
      },
    }
  }

  #warn(error: unknown, { loadId }: TaskLoad, text: string): void {
    this.#deps.log.warn({ err: error, loadId }, text)
  }
}

/** Returns the task with the result of its load. */
function doneBy(task: TaskRecord, { counts, mended: corrected, movedTo }: TaskLoad): TaskRecord {
  // The layer metadata are derived again.
  const layer = corrected === undefined ? task.layer : declaredLayer(task)
  const done = { ...task, ...defined(counts ?? {}), layer: layer ?? task.layer }
  const { mending: correcting } = task
  if (corrected === undefined || correcting === undefined) return done
  const moved = movedTo === undefined ? {} : { isDirect: false }
  const listed = { ...done, ...moved, rejectsNumber: corrected.number }
  // Rows of an earlier upload whose result was unknown do not affect those in progress.
  if (correcting.number !== corrected.number) return listed
  return { ...listed, mending: { ...without(correcting, 'from'), ...corrected, state: 'COMPLETE' } }
}

/** Returns what the layer version records about corrected rows. */
function loadedBy(
  { updateMode, mending: correcting }: TaskRecord,
  { mended: corrected }: TaskLoad,
): Pick<TaskPublication['publishedTable'], 'loaded'> {
  if (corrected === undefined) return {}
  const mode = updateMode === 'UPSERT' ? 'UPSERT' : 'APPEND'
  return { loaded: { mode, rows: corrected.rows.loaded, user: correcting?.by } }
}
