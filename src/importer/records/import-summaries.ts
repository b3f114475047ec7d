import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Queryable } from '../../core/db/connection.ts'
import { foldText } from '../../core/text/fold-text.ts'
import type { ImportRecord, ImportSource, ImportState, TaskRecord, TaskState } from '../model/model.ts'
import { listImportRevisions, listImportsById } from './import-repository.ts'
import { listTasksOf } from './task-repository.ts'

/** Summary of an import in a list. */
export interface ImportSummary {
  id: number
  revision: number
  state: ImportState
  createdAt: string
  updatedAt: string
  /** User who created the import. */
  user?: string
  workspace: string
  source?: { type: ImportSource['type']; name?: string }
  /** Names of the first layers. */
  layers: string[]
  tasks: Partial<Record<TaskState, number>>
  rowsLoaded: number
  rejected: number
  /** First message of the import or of one of its tasks. */
  lines?: string
  /** Number of messages and failure reasons. */
  messages: number
  /** Searchable text: names and messages, case-folded. */
  text: string
}

const importsPerTurn = 50
const maxNames = 3
const maxText = 8000
/** States in which tasks change without a change of the import. */
const moving: readonly ImportState[] = ['INIT', 'RUNNING']

/**
 * In-memory summaries of all imports, without documents, for the import history. Each query finds changed
 * imports by their indexed revision numbers and reads only those again.
 */
export class ImportSummaries {
  readonly #database: Database
  #known: readonly ImportSummary[] = []
  /** Value of `Database.writes` before the last refresh. */
  #writes: number | undefined
  #looking: Promise<readonly ImportSummary[]> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns all imports, newest first. */
  async now(): Promise<readonly ImportSummary[]> {
    const writes = this.#database.writes()
    if (writes !== undefined && writes === this.#writes) return this.#known
    // A concurrent call waits for the running refresh and then checks for later writes.
    while (this.#looking !== undefined) await this.#looking.catch(() => undefined)
    this.#looking = this.#refresh()
    try {
      return await this.#looking
    } finally {
      this.#looking = undefined
    }
  }

  async #refresh(): Promise<readonly ImportSummary[]> {
    const writes = this.#database.writes()
    const { kysely } = this.#database
    const before = new Map(this.#known.map((card) => [card.id, card]))
    const cards: ImportSummary[] = []
    const changed: number[] = []
    for (const { id, revision } of await listImportRevisions(kysely)) {
      const card = before.get(id)
      if (card?.revision === revision && !moving.includes(card.state)) cards.push(card)
      else changed.push(id)
    }
    for (let at = 0; at < changed.length; at += importsPerTurn) {
      if (at > 0) await nextTurn()
      cards.push(...(await readSummaries(kysely, changed.slice(at, at + importsPerTurn))))
    }
    this.#known = cards.sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.id - a.id)
    this.#writes = cards.some(({ state }) => moving.includes(state)) ? undefined : writes
    return this.#known
  }
}

async function readSummaries(db: Queryable, ids: readonly number[]): Promise<ImportSummary[]> {
  const records = await listImportsById(db, ids)
  const byImport = Map.groupBy(await listTasksOf(db, ids), ({ importId }) => importId)
  return records.map((record) => toSummary(record, byImport.get(record.id) ?? []))
}

function toSummary(record: ImportRecord, tasks: readonly TaskRecord[]): ImportSummary {
  const { id, revision, state, createdAt, updatedAt, user, workspace, source } = record
  const names = tasks.flatMap(({ layer }) => (layer === undefined ? [] : [layer.name]))
  const files = tasks.flatMap(({ files: [first], table }) => table ?? first?.path.split('/').at(-1) ?? [])
  const reported = [
    record.message,
    ...record.messages.map(({ message }) => message),
    ...tasks.flatMap(reportOf),
  ]
  const lines = reported.filter((one) => one !== undefined)
  const name = nameOf(source) ?? files[0]
  return {
    id,
    revision,
    state,
    createdAt,
    updatedAt,
    workspace,
    user,
    lines: lines[0],
    source: source === undefined && name === undefined ? undefined : { type: source?.type ?? 'file', name },
    layers: names.slice(0, maxNames),
    tasks: countStates(tasks),
    rowsLoaded: tasks.reduce((sum, { rowsLoaded = 0 }) => sum + rowsLoaded, 0),
    rejected: tasks.reduce((sum, { rejected = 0 }) => sum + rejected, 0),
    messages: lines.length,
    text: foldText([name ?? '', user ?? '', ...names, ...files, ...lines].join(' ').slice(0, maxText)),
  }
}

function reportOf({ errorMessage, messages }: TaskRecord): (string | undefined)[] {
  return [errorMessage, ...messages.map(({ message }) => message)]
}

/** Returns a display name of the data; undefined for uploads, where only files have names. */
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
