import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { databaseTime } from '../../src/core/db/database-time.ts'
import { Nodes } from '../../src/core/nodes/nodes.ts'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'
import { createCatalogDatabase } from '../support/catalog-database.ts'
import { silentLogger } from '../support/silent-logger.ts'
import { temporaryData } from '../support/terrane-process.ts'

interface Node {
  id: string
  host: string
  pid: number
  version: string
  started: string
  seen: string
  alive: boolean
  current: boolean
}

async function listNodes({ app, admin }: TestApp): Promise<Node[]> {
  const reply = await app.inject({ url: '/rest/nodes', headers: admin })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json<{ nodes: Node[] }>().nodes
}

describe('the servers of a catalogue', () => {
  it('are one for an embedded catalogue, for administrators only', async (t) => {
    const server = await createTestApp()
    t.after(() => server.close())
    const [node, ...others] = await listNodes(server)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [node?.host, node?.pid, node?.version, node?.alive, node?.current],
      [hostname(), process.pid, server.version, true, true],
    )
    assert.equal((await server.app.inject({ url: '/rest/nodes' })).statusCode, 401)
    assert.equal(server.database.writes(), await writesAfterListing(server))
  })

  it('are all that share a database, until they stop', async (t) => {
    const env = { TERRANE_DATABASE_URL: await createCatalogDatabase() }
    const dataDir = temporaryData(t)
    const first = await createTestApp({ env, dataDir })
    t.after(() => first.close())
    const second = await createTestApp({ env, dataDir })
    const all = await listNodes(second)
    assert.deepEqual(
      all.map(({ id, alive, current }) => ({ id, alive, current })),
      [
        { id: first.nodes.id, alive: true, current: false },
        { id: second.nodes.id, alive: true, current: true },
      ],
    )
    await second.close()
    assert.deepEqual(
      (await listNodes(first)).map(({ id, current }) => ({ id, current })),
      [{ id: first.nodes.id, current: true }],
    )
  })

  it('are shown as dead for a day if they were killed', async (t) => {
    const env = { TERRANE_DATABASE_URL: await createCatalogDatabase() }
    const server = await createTestApp({ env, dataDir: temporaryData(t) })
    t.after(() => server.close())
    const { kysely, kind } = server.database
    const add = (id: string, age: number) =>
      kysely
        .insertInto('nodes')
        .values({
          id,
          host: 'elsewhere',
          pid: 1,
          version: '0.0.1',
          started_at: databaseTime(kind, -100_000),
          seen_at: databaseTime(kind, -age),
        })
        .execute()
    await add('killed', 60)
    await add('forgotten', 90_000)
    // A server that starts removes what nobody asks for any more.
    const other = new Nodes({ database: server.database, log: silentLogger, version: '0.0.2' })
    await other.start()
    const nodes = await listNodes(server)
    assert.deepEqual(
      nodes.map(({ id, version, alive }) => ({ id, version, alive })),
      [
        { id: 'killed', version: '0.0.1', alive: false },
        { id: server.nodes.id, version: server.version, alive: true },
        { id: other.id, version: '0.0.2', alive: true },
      ],
    )
    await other.stop()
    assert.equal((await listNodes(server)).length, 2)
  })
})

/** An embedded catalogue that is only asked for its servers must not look changed. */
async function writesAfterListing(server: TestApp): Promise<number | undefined> {
  await listNodes(server)
  return server.database.writes()
}
