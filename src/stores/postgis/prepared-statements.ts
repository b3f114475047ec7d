import { createHash } from 'node:crypto'
import type { PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg'
import { BoundedCache } from '../../lib/bounded-cache.ts'

/** Each costs memory of the server process at the other end. */
const mostOfConnection = 50
/** `invalid_sql_statement_name`, `duplicate_prepared_statement`: a pooler gives each statement another session. */
const poolerCodes = new Set(['26000', '42P05'])

const nameOfText = new BoundedCache<string, string>(100)

function toName(text: string): string {
  return nameOfText.get(text, () => {
    const digest = createHash('sha256').update(text).digest('base64url')
    return `terrane_${digest.slice(0, 22)}`
  })
}

/** Names statements that come again and again, so that each connection has them parsed and planned once. */
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
   * The name by which the connection knows the statement from now on, for `EXECUTE`; undefined where there is none. It is
   * run once to be known.
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

  /** Whether the session does not know a name that it was told: from then on no names are used. */
  hasLost(error: unknown): boolean {
    const isLost = error instanceof Error && 'code' in error && poolerCodes.has(String(error.code))
    if (isLost) this.#isOff = true
    return isLost
  }

  /** None where the connection has enough of them. */
  #nameOf(client: PoolClient, text: string): string | undefined {
    if (this.#isOff) return undefined
    const names = this.#namesOf.get(client) ?? new Set<string>()
    this.#namesOf.set(client, names)
    const name = toName(text)
    if (!names.has(name) && names.size >= mostOfConnection) return undefined
    names.add(name)
    return name
  }
}
