import type { Database } from '../../db/connection.ts'
import type { GranuleRecord, ImportRecord, TaskRecord } from '../model/model.ts'
import { importStates } from '../model/model.ts'
import { findGranule, listGranules } from './granule-repository.ts'
import type { ImportCard } from './import-cards.ts'
import { ImportCards } from './import-cards.ts'
import type { ImportFilter } from './import-repository.ts'
import { countUnfinished, findImport, getImport, listImports } from './import-repository.ts'
import { getTask, listTasks } from './task-repository.ts'

const placeOf = ({ importId, id }: TaskRecord) => ({ importId, taskId: id })

/** What is kept of imports and their tasks, to be read. `get…` throws `Failure` (`notFound`). */
export class KeptImports {
  readonly #database: Database
  readonly #cards: ImportCards

  constructor(database: Database) {
    this.#database = database
    this.#cards = new ImportCards(database)
  }

  /** What lists show of all imports, the newest first. */
  cards(): Promise<readonly ImportCard[]> {
    return this.#cards.now()
  }

  find(importId: number): Promise<ImportRecord | undefined> {
    return findImport(this.#database.kysely, importId)
  }

  get(importId: number): Promise<ImportRecord> {
    return getImport(this.#database.kysely, importId)
  }

  /** Newest first. */
  list(filter?: ImportFilter): Promise<ImportRecord[]> {
    return listImports(this.#database.kysely, filter)
  }

  /** Imports that are not done and would load into a workspace, or into one store of it; newest first. */
  async listInto(workspace: string, store?: string): Promise<number[]> {
    const states = importStates.filter((state) => state !== 'COMPLETE')
    const open = await listImports(this.#database.kysely, { states })
    const isMeant = (one: ImportRecord): boolean =>
      one.workspace === workspace && (store === undefined || one.store === store)
    return open.filter((one) => !one.isArchived && isMeant(one)).map(({ id }) => id)
  }

  /** How many imports are in each state but `COMPLETE`, and how many have tasks in each state but that one. */
  countUnfinished(): ReturnType<typeof countUnfinished> {
    return countUnfinished(this.#database.kysely)
  }

  getTask(importId: number, taskId: number): Promise<TaskRecord> {
    return getTask(this.#database.kysely, importId, taskId)
  }

  /** In the order of their paths. */
  listTasks(importId: number): Promise<TaskRecord[]> {
    return listTasks(this.#database.kysely, importId)
  }

  /** The granules of a mosaic in the order of their paths; undefined for a task that is none. */
  async findGranules(task: TaskRecord): Promise<GranuleRecord[] | undefined> {
    return task.mosaic === undefined ? undefined : listGranules(this.#database.kysely, placeOf(task))
  }

  async findGranule(task: TaskRecord, fileId: string): Promise<GranuleRecord | undefined> {
    return task.mosaic === undefined ? undefined : findGranule(this.#database.kysely, placeOf(task), fileId)
  }
}
