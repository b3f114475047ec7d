import { randomUUID } from 'node:crypto'
import { defined } from '../../../lib/defined.ts'
import type { TableDescription, VectorStore } from '../../../stores/store.ts'
import type { TaskLoad, TaskTrial } from '../../model/model.ts'
import type { CommitNote, Committed, Naming, Placed, RehearsalNotes, Running } from '../kind.ts'
import { endOfFiles, endOfTable, howToKeep, tellOutside } from './earlier-contents.ts'
import { findFileStore, movedTo, openMoved, pointStore, removeMoved } from './file-layer.ts'
import { rehearseRows } from './rehearse-rows.ts'
import type { RowNeeds, RowSource } from './row-needs.ts'
import type { RunTrial } from './stage-rows.ts'
import { stageRows } from './stage-rows.ts'
import type { Target } from './target.ts'
import { loadInto, turnsAt } from './target.ts'
import { basisOf, findKept, refuseStopped } from './trial-basis.ts'

/** How rows get into a table of a store, wherever they come from. */
export class RowLoads {
  readonly #needs: RowNeeds

  constructor(needs: RowNeeds) {
    this.#needs = needs
  }

  /** Loads into one file that is served as it is follow one another: the first points its store to a file of ours. */
  async turn(running: Running): Promise<string | undefined> {
    const store = await findFileStore(this.#needs.catalog, running)
    return store === undefined ? undefined : `file of store ${store.id}`
  }

  async place(running: Running, naming: Naming, source: RowSource): Promise<Placed> {
    const { targets } = this.#needs
    const found = await targets.find(running, naming)
    const trial = await this.#trialOf(running, found)
    const target = trial.kept?.load.movedTo === undefined ? found : movedTo(found, trial.kept.load.movedTo)
    const keep = await howToKeep(this.#needs.catalog, running.task, target)
    const load = { ...loadInto(target, trial.kept?.load.loadId ?? randomUUID()), keep }
    return {
      load,
      turns: turnsAt(target),
      stage: async (notes, signal) => {
        const stage = { running, load, target, source }
        const rows = await stageRows(this.#needs, stage, trial, notes, signal)
        const commit = async (write: (note: CommitNote) => Promise<void>): Promise<Committed> => {
          await tellOutside(this.#needs.catalog, target.layer)
          const { rowsRead, rowsLoaded, rejected, table, kept, changes } = await rows.commit(write)
          const counts = { rowsRead, rowsLoaded, rejected }
          return this.#committed({ ...load, counts, ...defined({ kept, changes }) }, table)
        }
        return { commit, discard: rows.discard }
      },
      release: () => targets.release(running.record.workspace, target),
    }
  }

  /** Reserves no name for longer than it takes to choose one. */
  async rehearse(
    running: Running,
    source: RowSource,
    notes: RehearsalNotes,
    signal: AbortSignal,
  ): Promise<TaskTrial> {
    const { targets } = this.#needs
    const target = await targets.find(running, { isLookedUp: true, signal })
    targets.release(running.record.workspace, target)
    const load = loadInto(target, randomUUID())
    await notes.aim(load)
    return rehearseRows(this.#needs, { running, load, target, source }, notes.at, signal)
  }

  /** What is known of rows that were staged before, and of a load that may be stopped. */
  async #trialOf(running: Running, target: Target): Promise<RunTrial> {
    const { trial, stopIf } = running.task
    if (trial?.load === undefined && stopIf === undefined) return {}
    const basis = await basisOf(this.#needs.catalog, running, target)
    const known = findKept(trial, basis)
    if (known !== undefined && 'kept' in known) refuseStopped(running.task, known.kept)
    return { ...defined({ basis }), ...known }
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

  /** The store that a load goes to. */
  async open({ movedTo, storeId }: TaskLoad): Promise<VectorStore> {
    if (movedTo !== undefined) return openMoved(movedTo)
    const { stores } = this.#needs.catalog
    return stores.open(await stores.get(storeId))
  }

  /** Removes what a load that committed had staged; what cannot be removed harms nobody. */
  async sweep(load: TaskLoad): Promise<void> {
    await this.open(load)
      .then((opened) => opened.sweep(load.loadId))
      .catch((error: unknown) => this.#warn(error, load, 'a load was not swept'))
  }

  /** What a table now holds is looked up unless it is given. */
  #committed(load: TaskLoad, given?: TableDescription): Committed {
    const { catalog } = this.#needs
    return {
      publish: async ({ task }) => {
        const table = given ?? (await (await this.open(load)).findTable(load.table))
        if (table === undefined) throw new Error(`The table "${load.table}" is gone after its load`)
        await this.#needs.loader.removeTrialFiles(task)
        const done = { task: { ...task, ...load.counts }, published: table }
        const { movedTo } = load
        const from = await catalog.stores.get(load.storeId)
        if (movedTo === undefined) return { ...done, place: { ...load, end: endOfTable(load, from) } }
        return {
          ...done,
          place: { ...load, end: await endOfFiles(catalog, from) },
          makeStore: (change) => pointStore(change, load, movedTo),
          tidy: () =>
            catalog.stores.files
              .removeUnused(from.parameters.path ?? '')
              .then(() => catalog.stores.files.removeUnusedIndex(from))
              .catch((error: unknown) => this.#warn(error, load, 'a file that is not used was not removed')),
        }
      },
    }
  }

  #warn(error: unknown, { loadId }: TaskLoad, text: string): void {
    this.#needs.log.warn({ err: error, loadId }, text)
  }
}
