import { createHash } from 'node:crypto'
import type { PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg'

/** Each costs memory of the server process at the other end. */
const mostOfConnection = 50
/** `invalid_sql_statement_name`, `duplicate_prepared_statement`: a pooler gives each statement another session. */
const poolerCodes = new Set(['26000', '42P05'])

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
      if (!(error instanceof Error && 'code' in error && poolerCodes.has(String(error.code)))) throw error
      this.#isOff = true
      return client.query<Row>(query)
    }
  }

  /** None where the connection has enough of them. */
  #nameOf(client: PoolClient, text: string): string | undefined {
    if (this.#isOff) return undefined
    const names = this.#namesOf.get(client) ?? new Set<string>()
    this.#namesOf.set(client, names)
    const name = `terrane_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
    if (!names.has(name) && names.size >= mostOfConnection) return undefined
    names.add(name)
    return name
  }
}
