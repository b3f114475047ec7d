import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { PoolClient } from 'pg'
import { Client } from 'pg'
import { fileDatabase } from '../../../tests/support/postgis-store.ts'
import { runSql } from '../../../tests/support/postgres.ts'
import { until } from '../../../tests/support/until.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { LeavingSessions, readTableState } from './table-state.ts'

/** Counts the queries of a connection. */
class Counted {
  requested = 0
  readonly client: PoolClient

  constructor(client: Client) {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown
    const counted = (...given: unknown[]): unknown => {
      this.requested += 1
      return query(...given)
    }
    this.client = Object.assign(client as unknown as PoolClient, { query: counted })
  }
}

describe('the state of a table', () => {
  let url: string
  const clients: Client[] = []
  before(async () => {
    url = await fileDatabase()
    await runSql(url, 'create schema watched; create table watched.t (n int primary key)')
  })
  after(() => Promise.all(clients.map((client) => client.end())))

  async function connect(name: string): Promise<Client> {
    const client = new Client({ connectionString: url, application_name: name })
    await client.connect()
    clients.push(client)
    return client
  }

  it('is looked at twice for a session that may be going, and once for one that stays', async () => {
    const counted = new Counted(await connect('terrane_test'))
    const statements = new PreparedStatements()
    const leaving = new LeavingSessions(600_000)
    const look = async (): Promise<{ mayLag: boolean | undefined; requested: number }> => {
      const place = { client: counted.client, statements, schema: 'watched', table: 't' }
      counted.requested = 0
      const state = await readTableState(place, leaving)
      return { mayLag: state?.mayLag, requested: counted.requested }
    }
    // Until statements are prepared and the creator of the table has disconnected.
    const first = { client: counted.client, statements, schema: 'watched', table: 't' }
    await until(async () => (await readTableState(first, new LeavingSessions()))?.mayLag === false)
    const once = (await look()).requested
    const other = await connect('other')
    await other.query('begin; insert into watched.t values (1)')
    assert.deepEqual(await look(), { mayLag: true, requested: 2 * once })
    assert.deepEqual(await look(), { mayLag: true, requested: once })
    await other.query('rollback')
  })
})
