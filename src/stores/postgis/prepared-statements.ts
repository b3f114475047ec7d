import { createHash } from 'node:crypto'
import type { PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg'
import { BoundedCache } from '../../core/caches/bounded-cache.ts'

/** Limited, since each uses memory of the server process. */
const maxOfConnection = 50
/**
 * `invalid_sql_statement_name`, `duplicate_prepared_statement`: a pooler runs each statement in another
 * session.
 */
const poolerCodes = new Set(['26000', '42P05'])

const nameOfText = new BoundedCache<string, string>(100)

function toName(text: string): string {
  return nameOfText.get(text, () => {
    const digest = createHash('sha256').update(text).digest('base64url')
    return `terrane_${digest.slice(0, 22)}`
  })
}

/** Assigns names to repeated statements, so that each connection parses and plans them once. */
export class PreparedStatements {
  readonly #namesOf = new WeakMap<PoolClient, Set<string>>()
  #isOff = false

  async query<Row extends unknown[]>(
    client: PoolClient,
    query: QueryArrayConfig,
  ): Promise<QueryArrayResult<Row>> {
    const name = this.#nameOf(client, query.text)
    if (name === undefined) return client.query<Row>(query)
    try {
      return await client.query<Row>({ ...query, name })
    } catch (error) {
      if (!this.hasLost(error)) throw error
      return client.query<Row>(query)
    }
  }

  /**
   * Prepares a statement by running it once. Returns its name on the connection, for `EXECUTE`; undefined if
   * not prepared.
   */
  async prepare(client: PoolClient, query: QueryArrayConfig): Promise<string | undefined> {
    const isKnown = this.#namesOf.get(client)?.has(toName(query.text)) === true
    const name = this.#nameOf(client, query.text)
    if (isKnown || name === undefined) return name
    try {
      await client.query({ ...query, name })
      return name
    } catch (error) {
      this.#namesOf.get(client)?.delete(name)
      if (this.hasLost(error)) return undefined
      throw error
    }
  }

  /** True if the session does not know a prepared name: from then on no names are used. */
  hasLost(error: unknown): boolean {
    const isLost = error instanceof Error && 'code' in error && poolerCodes.has(String(error.code))
    if (isLost) this.#isOff = true
    return isLost
  }

  /** Returns undefined if the connection has the maximum number of them. */
  #nameOf(client: PoolClient, text: string): string | undefined {
    if (this.#isOff) return undefined
    const names = this.#namesOf.get(client) ?? new Set<string>()
    this.#namesOf.set(client, names)
    const name = toName(text)
    if (!names.has(name) && names.size >= maxOfConnection) return undefined
    names.add(name)
    return name
  }
}
