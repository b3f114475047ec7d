import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { PostgresCluster } from './postgres.ts'
import { runSql, testCluster } from './postgres.ts'
import { until } from './until.ts'

describe('statements of tests', () => {
  let cluster: PostgresCluster
  let url: string
  before(async () => {
    cluster = await testCluster()
    url = await cluster.createDatabase()
  })
  after(async () => {
    await cluster.dropDatabase(url)
    await cluster.stop()
  })
  const processOf = async (): Promise<unknown> =>
    (await runSql(url, 'select pid from pg_locks where locktype = $1', ['virtualxid']))[0]?.['pid']

  it('share one connection in sequence', async () => {
    // A connection without use may end between the two on a slow machine.
    await until(async () => {
      const first = await processOf()
      return (await processOf()) === first
    })
  })

  it('leave nothing in the session of the next, and no connection in the end', async () => {
    await runSql(url, 'create schema other; set search_path = other; create table things ()')
    await assert.rejects(runSql(url, 'select * from things'), /"things" does not exist/)
    assert.deepEqual(await runSql(url, 'select * from other.things'), [])
    const name = new URL(url).pathname.slice(1)
    const count = 'select count(*)::int as n from pg_stat_activity where datname = $1'
    await until(async () => (await runSql(cluster.url('postgres'), count, [name]))[0]?.['n'] === 0)
  })

  it('do not keep a database from being a template', async () => {
    await runSql(url, 'create table trees as select 1 as id')
    await runSql(url, 'select id from trees')
    const copy = await cluster.createDatabase(new URL(url).pathname.slice(1))
    assert.deepEqual(await runSql(copy, 'select id from trees'), [{ id: 1 }])
    await cluster.dropDatabase(copy)
  })
})
