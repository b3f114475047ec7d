import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Queryable } from '../../db/connection.ts'
import { defined } from '../../lib/defined.ts'
import { foldText } from '../../lib/text/fold-text.ts'
import type { ImportRecord, ImportSource, ImportState, TaskRecord, TaskState } from '../model/model.ts'
import { listImportRevisions, listImportsById } from './import-repository.ts'
import { listTasksOf } from './task-repository.ts'

/** What a list shows of an import. */
export interface ImportCard {
  id: number
  revision: number
  state: ImportState
  createdAt: string
  updatedAt: string
  /** Who created it. */
  user?: string
  workspace: string
  source?: { type: ImportSource['type']; name?: string }
  /** Names of the first layers. */
  layers: string[]
  tasks: Partial<Record<TaskState, number>>
  rowsLoaded: number
  rejected: number
  /** The first thing that was told of it or of a task of it. */
  said?: string
  /** How much was told: messages and reasons of failures. */
  messages: number
  /** What words are looked for in: names and messages, folded. */
  text: string
}

const importsPerTurn = 50
const mostNames = 3
const mostText = 8000
/** Their tasks change without them. */
const moving: readonly ImportState[] = ['INIT', 'RUNNING']

/**
 * Cards of all imports, kept in memory: what a history needs, without documents. Each question looks which imports have
 * changed, by numbers that stand in an index, and reads those anew.
 */
export class ImportCards {
  readonly #database: Database
  #known: readonly ImportCard[] = []
  /** As `Database.writes` was before the last look. */
  #writes: number | undefined
  #looking: Promise<readonly ImportCard[]> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** All imports, the newest first. */
  async now(): Promise<readonly ImportCard[]> {
    const writes = this.#database.writes()
    if (writes !== undefined && writes === this.#writes) return this.#known
    // Who comes while somebody looks waits for that, and looks for what was written since.
    while (this.#looking !== undefined) await this.#looking.catch(() => undefined)
    this.#looking = this.#look()
    try {
      return await this.#looking
    } finally {
      this.#looking = undefined
    }
  }

  async #look(): Promise<readonly ImportCard[]> {
    const writes = this.#database.writes()
    const { kysely } = this.#database
    const before = new Map(this.#known.map((card) => [card.id, card]))
    const cards: ImportCard[] = []
    const changed: number[] = []
    for (const { id, revision } of await listImportRevisions(kysely)) {
      const card = before.get(id)
      if (card?.revision === revision && !moving.includes(card.state)) cards.push(card)
      else changed.push(id)
    }
    for (let at = 0; at < changed.length; at += importsPerTurn) {
      if (at > 0) await nextTurn()
      cards.push(...(await readCards(kysely, changed.slice(at, at + importsPerTurn))))
    }
    this.#known = cards.sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id - a.id)
    this.#writes = cards.some(({ state }) => moving.includes(state)) ? undefined : writes
    return this.#known
  }
}

async function readCards(db: Queryable, ids: readonly number[]): Promise<ImportCard[]> {
  const records = await listImportsById(db, ids)
  const byImport = Map.groupBy(await listTasksOf(db, ids), ({ importId }) => importId)
  return records.map((record) => toCard(record, byImport.get(record.id) ?? []))
}

function toCard(record: ImportRecord, tasks: readonly TaskRecord[]): ImportCard {
  const { id, revision, state, createdAt, updatedAt, user, workspace, source } = record
  const names = tasks.flatMap(({ layer }) => (layer === undefined ? [] : [layer.name]))
  const files = tasks.flatMap(({ files: [first], table }) => table ?? first?.path.split('/').at(-1) ?? [])
  const told = [record.message, ...record.messages.map(({ message }) => message), ...tasks.flatMap(toldOf)]
  const said = told.filter((one) => one !== undefined)
  const name = nameOf(source) ?? files[0]
  return {
    ...{ id, revision, state, createdAt, updatedAt, workspace },
    ...defined({ user, said: said[0] }),
    ...(source === undefined && name === undefined
      ? {}
      : { source: { type: source?.type ?? 'file', ...defined({ name }) } }),
    layers: names.slice(0, mostNames),
    tasks: countStates(tasks),
    rowsLoaded: tasks.reduce((sum, { rowsLoaded = 0 }) => sum + rowsLoaded, 0),
    rejected: tasks.reduce((sum, { rejected = 0 }) => sum + rejected, 0),
    messages: said.length,
    text: foldText([name ?? '', user ?? '', ...names, ...files, ...said].join(' ').slice(0, mostText)),
  }
}

function toldOf({ errorMessage, messages }: TaskRecord): (string | undefined)[] {
  return [errorMessage, ...messages.map(({ message }) => message)]
}

/** What somebody would call the data; undefined where they were sent, and files alone have names. */
function nameOf(source: ImportSource | undefined): string | undefined {
  if (source === undefined || source.isOurs) return source?.remote?.location
  if (source.database !== undefined) return source.database.place.database
  return source.remote?.location ?? source.path.split('/').findLast((part) => part !== '')
}

function countStates(tasks: readonly TaskRecord[]): Partial<Record<TaskState, number>> {
  const counts: Partial<Record<TaskState, number>> = {}
  for (const { state } of tasks) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
