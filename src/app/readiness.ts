import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../core/db/connection.ts'
import { findSchema, schemaVersion } from '../core/db/migrate.ts'
import { isNeighbour } from '../core/db/schema-version.ts'

const checkMs = 2_000
/** A result serves further requests for so long, however often they come. */
const freshMs = 1_000

/** Decides whether a load balancer may send requests to this server. */
export class Readiness {
  readonly #database: Database
  #isDraining = false
  #checked: { at: number; problem: Promise<string | undefined> } | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** From now on the server is not ready; it still answers requests. */
  drain(): void {
    this.#isDraining = true
  }

  /** Returns the reason why the server is not ready; undefined if it is. */
  async findProblem(): Promise<string | undefined> {
    if (this.#isDraining) return 'it is stopping'
    const now = performance.now()
    if (this.#checked === undefined || now - this.#checked.at > freshMs)
      this.#checked = { at: now, problem: this.#check() }
    return this.#checked.problem
  }

  async #check(): Promise<string | undefined> {
    const away = 'the catalogue database does not answer'
    const abort = new AbortController()
    const late = sleep(checkMs, away, { ref: false, signal: abort.signal }).catch(() => away)
    const checked = this.#checkSchema().catch(() => away)
    return Promise.race([checked, late]).finally(() => abort.abort())
  }

  async #checkSchema(): Promise<string | undefined> {
    const { kysely } = this.#database
    await kysely.selectFrom('settings').select('name').limit(1).execute()
    const { version } = await findSchema(kysely)
    if (version === undefined) return 'the catalogue database has no tables'
    if (isNeighbour(version, schemaVersion)) return undefined
    return `the tables of the catalogue have version ${version}, this server knows version ${schemaVersion}: upgrade it`
  }
}
