import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import { runSql, testCluster } from '../../support/postgres.ts'

const count = 2000

describe('a schema with thousands of tables', () => {
  it('is listed and published without reading rows', async (t) => {
    const cluster = await testCluster()
    const url = await cluster.createDatabase()
    t.after(async () => {
      await cluster.dropDatabase(url)
      await cluster.stop()
    })
    await runSql(url, 'create schema many')
    await runSql(
      url,
      `do $$ begin for n in 1..${count} loop
         execute format('create table many.t%s (id int primary key, name text, g geometry(Point, 25832))', n);
         if n % 500 = 0 then commit; end if;
       end loop; end $$`,
    )
    await runSql(
      url,
      `insert into many.t1 select n, 'x', ST_SetSRID(ST_MakePoint(n, n), 25832) from generate_series(1, 1000) n`,
    )
    const server = await createTestApp()
    t.after(() => server.close())
    const send = async (method: 'GET' | 'POST', path: string, payload?: object) => {
      const reply = await server.app.inject({
        method,
        url: `/rest/workspaces/default/datastores${path}`,
        headers: server.admin,
        ...(payload && { payload }),
      })
      assert.ok(reply.statusCode < 300, reply.body)
      return reply.json()
    }
    await send('POST', '', {
      dataStore: { name: 'many', type: 'PostGIS', connectionParameters: storeParameters(url, 'many') },
    })
    // On a slow machine a round would begin, and read rows, before all tables are published.
    const rounds = t.mock.method(server.catalog.follower, 'follow', () => Promise.resolve())
    const begun = performance.now()
    const { tables } = await send('GET', '/many/tables')
    const listed = performance.now()
    assert.equal(tables.length, count)
    const { published, failed } = await send('POST', '/many/tables', { publish: {} })
    t.diagnostic(
      `listed in ${Math.round(listed - begun)} ms, published in ${Math.round(performance.now() - listed)} ms`,
    )
    assert.deepEqual([published.length, failed], [count, []])
    const [stats] = await runSql(
      url,
      `select sum(seq_tup_read + idx_tup_fetch)::text as reads from pg_stat_user_tables where schemaname = 'many'`,
    )
    assert.equal(stats?.['reads'], '0')
    rounds.mock.restore()
    const measured = async (): Promise<number> => {
      const { byId } = await server.catalog.cards.now()
      return [...byId.values()].filter(({ inPlace }) => inPlace?.measuredVersion !== undefined).length
    }
    // Counts are spread over rounds.
    for (let round = 1; (await measured()) < count; round += 1) {
      const before = await measured()
      const again = performance.now()
      await server.catalog.follower.follow()
      t.diagnostic(`round ${round} took ${Math.round(performance.now() - again)} ms`)
      assert.ok((await measured()) > before, 'each round counts some tables')
    }
    const versions = await server.catalog.layers.listVersions()
    const cpu = process.cpuUsage()
    await server.catalog.follower.follow()
    const { user, system } = process.cpuUsage(cpu)
    t.diagnostic(`a round without changes took ${Math.round((user + system) / 1000)} ms of CPU time`)
    assert.deepEqual(await server.catalog.layers.listVersions(), versions, 'nothing is read or stored again')
  })
})
