import type { DatabaseSync } from 'node:sqlite'
import { conflict } from '../../../core/errors/errors.ts'
import type { LoadHooks, LoadResult, PreparedLoad, RestoreRequest, StagedLoad } from '../../store.ts'
import type { FileChange } from '../change-file.ts'
import { beginTableChange } from '../change-file.ts'
import { describeTable, nextChange, setLastChange } from '../contents.ts'
import { storeFailure } from '../errors.ts'
import type { LoadSurroundings } from '../writer.ts'
import { findPath } from './find-path.ts'
import { restoreDifferences } from './restore-differences.ts'
import { restoreWhole } from './restore-whole.ts'
import { brokenReferences, countBroken } from './snapshot-before.ts'
import { setContent } from './snapshot-registry.ts'

/** A restore that has not written anything yet. */
export class RestoreLoad implements StagedLoad {
  readonly result: LoadResult
  readonly #surroundings: LoadSurroundings
  readonly #request: RestoreRequest
  readonly #hooks: LoadHooks
  #db: DatabaseSync | undefined
  #change: FileChange | undefined

  constructor(surroundings: LoadSurroundings, request: RestoreRequest, hooks: LoadHooks) {
    this.#surroundings = surroundings
    this.#request = request
    this.#hooks = hooks
    const { table } = lastOf(request)
    this.result = { rowsLoaded: table.featureCount ?? 0, renamed: {}, table, envelope: table.envelope }
  }

  prepare(): Promise<PreparedLoad> {
    return this.#orDiscard(async () => {
      const { path, clock, writer } = this.#surroundings
      const { signal } = this.#hooks
      const db = await writer.take({ isNew: true })
      this.#db = db
      db.exec('PRAGMA foreign_keys = OFF')
      this.#change = await beginTableChange(path, db, signal)
      const { name, kept, content } = restore(db, this.#request)
      const lastChange = nextChange(db, clock.now())
      setLastChange(db, name, lastChange)
      setContent(db, name, lastChange, content)
      signal.throwIfAborted()
      return {
        result: {
          ...this.result,
          kept: kept ?? this.result.kept,
          table: describeTable(db, name) ?? this.result.table,
        },
        token: JSON.stringify({ table: name, lastChange }),
        commit: () => this.#commit(),
        discard: () => this.discard(),
      }
    })
  }

  async discard(): Promise<void> {
    try {
      this.#change?.rollBack()
    } finally {
      this.#change = undefined
      if (this.#db !== undefined) await this.#surroundings.writer.drop(this.#db)
      this.#db = undefined
    }
  }

  async #commit(): Promise<void> {
    await this.#orDiscard(async () => {
      this.#hooks.signal.throwIfAborted()
      this.#change?.commit()
      this.#change = undefined
      this.#db?.exec('PRAGMA foreign_keys = ON')
    })
    const db = this.#db
    this.#db = undefined
    if (db !== undefined) await this.#surroundings.writer.keep(db)
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

function lastOf({ path }: RestoreRequest): RestoreRequest['path'][number] {
  const last = path.at(-1)
  if (last === undefined) throw conflict('not-restorable', 'No state is named to go back to')
  return last
}

interface Restored {
  name: string
  kept: LoadResult['kept']
  /** Content id of the table after restoring. */
  content: string
}

function restore(db: DatabaseSync, { table, path, keepAs }: RestoreRequest): Restored {
  const { whole, differences } = findPath(db, table, path.at(-1)?.id ?? '')
  const broken = countBroken(db, table)
  const kept = whole === undefined ? undefined : restoreWhole(db, table, whole, keepAs)
  const last = differences.at(-1) ?? whole
  if (last === undefined) throw new Error('A way leads to a state')
  const name = last.table.name
  // The whole state is retained as a difference from now on, unless it is the requested state.
  const keep = whole === undefined ? { as: keepAs } : { as: whole.id, content: whole.content }
  const undone = restoreDifferences(db, name, differences, keep)
  if (countBroken(db, table) > broken) throw brokenReferences(table)
  return { name, kept: whole === undefined ? undone : kept, content: last.content }
}
