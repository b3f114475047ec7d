import type { Database } from '../../core/db/connection.ts'
import type { GranuleRecord, ImportRecord, TaskRecord } from '../model/model.ts'
import { importStates } from '../model/model.ts'
import { findGranule, listGranules } from './granule-repository.ts'
import type { ImportFilter } from './import-repository.ts'
import { countUnfinished, findImport, getImport, listImports } from './import-repository.ts'
import type { ImportSummary } from './import-summaries.ts'
import { ImportSummaries } from './import-summaries.ts'
import { getTask, listTasks } from './task-repository.ts'

const placeOf = ({ importId, id }: TaskRecord) => ({ importId, taskId: id })

/** Read access to stored imports and tasks. `get…` throws `Failure` (`notFound`). */
export class StoredImports {
  readonly #database: Database
  readonly #cards: ImportSummaries

  constructor(database: Database) {
    this.#database = database
    this.#cards = new ImportSummaries(database)
  }

  /** Returns summaries of all imports, newest first. */
  cards(): Promise<readonly ImportSummary[]> {
    return this.#cards.now()
  }

  find(importId: number): Promise<ImportRecord | undefined> {
    return findImport(this.#database.kysely, importId)
  }

  get(importId: number): Promise<ImportRecord> {
    return getImport(this.#database.kysely, importId)
  }

  /** Lists imports, newest first. */
  list(filter?: ImportFilter): Promise<ImportRecord[]> {
    return listImports(this.#database.kysely, filter)
  }

  /** Lists unfinished imports that would load into a workspace, or into one of its stores; newest first. */
  async listInto(workspace: string, store?: string): Promise<number[]> {
    const states = importStates.filter((state) => state !== 'COMPLETE')
    const open = await listImports(this.#database.kysely, { states })
    const isMeant = (one: ImportRecord): boolean =>
      one.workspace === workspace && (store === undefined || one.store === store)
    return open.filter((one) => !one.isArchived && isMeant(one)).map(({ id }) => id)
  }

  /** Counts imports by state except `COMPLETE`, and tasks by state except `COMPLETE`. */
  countUnfinished(): ReturnType<typeof countUnfinished> {
    return countUnfinished(this.#database.kysely)
  }

  getTask(importId: number, taskId: number): Promise<TaskRecord> {
    return getTask(this.#database.kysely, importId, taskId)
  }

  /** Lists tasks in the order of their paths. */
  listTasks(importId: number): Promise<TaskRecord[]> {
    return listTasks(this.#database.kysely, importId)
  }

  /** Returns the granules of a mosaic in the order of their paths; undefined for other tasks. */
  async findGranules(task: TaskRecord): Promise<GranuleRecord[] | undefined> {
    return task.mosaic === undefined ? undefined : listGranules(this.#database.kysely, placeOf(task))
  }

  async findGranule(task: TaskRecord, fileId: string): Promise<GranuleRecord | undefined> {
    return task.mosaic === undefined ? undefined : findGranule(this.#database.kysely, placeOf(task), fileId)
  }
}
