import { Rounds } from '../core/concurrency/rounds.ts'
import type { Database } from '../core/db/connection.ts'
import {
  listPermissions,
  readMemberships,
  readOpenWorkspaces,
  readRevision,
} from './permission-repository.ts'
import type { AccessDefaults } from './rules.ts'
import { Rules } from './rules.ts'

/**
 * The compiled rules of the present revision. The database increments the revision in the transaction of each
 * change. A server whose database is shared reads the revision once for all requests that arrive meanwhile; a
 * server that is alone reads it only after a statement that may have changed data. So a request uses every
 * change that was committed before the request began, on every server.
 */
export class AccessRules {
  readonly #database: Database
  readonly #defaults: AccessDefaults
  readonly #rounds = new Rounds<'now', Rules>()
  #rules: Rules | undefined
  /** Value of `Database.writes` before the revision was last read. */
  #writes: number | undefined

  constructor(database: Database, defaults: AccessDefaults) {
    this.#database = database
    this.#defaults = defaults
  }

  /** Returns the rules, including every change committed before the call. */
  now(): Promise<Rules> | Rules {
    const writes = this.#database.writes()
    if (this.#rules !== undefined && writes !== undefined && writes === this.#writes) return this.#rules
    return this.#rounds.join('now', () => this.#refresh())
  }

  async #refresh(): Promise<Rules> {
    const writes = this.#database.writes()
    const { kysely } = this.#database
    // The revision is read first, so the rules are never older than it.
    const revision = await readRevision(kysely)
    if (this.#rules?.data.revision !== revision) {
      const permissions = await listPermissions(kysely)
      const groupsOf = await readMemberships(kysely)
      const openWorkspaces = await readOpenWorkspaces(kysely)
      this.#rules = new Rules({ revision, permissions, groupsOf, openWorkspaces }, this.#defaults)
    }
    this.#writes = writes
    return this.#rules
  }
}
