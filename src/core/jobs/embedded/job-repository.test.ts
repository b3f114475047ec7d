import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { testCluster } from '../../../../tests/support/postgres.ts'
import type { Database } from '../../db/connection.ts'
import { openDatabase } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import { isUniqueViolation } from '../../db/errors.ts'
import { Secret } from '../../secrets/secret.ts'
import type { JobRecord } from './job-repository.ts'
import { claimJobs, deleteJobs, insertJob, isHeldByOther, listStaleJobs, takeJob } from './job-repository.ts'

async function open(test: TestContext, kind: Database['kind']): Promise<Database> {
  const url = kind === 'postgres' ? await (await testCluster()).createDatabase() : undefined
  const database = await openDatabase(url === undefined ? { path: ':memory:' } : { url: new Secret(url) })
  test.after(() => database.close())
  return database
}

function add({ kysely }: Database, key: string): Promise<number> {
  return insertJob(kysely, { kind: 'work', key, payload: {} }, { at: '2026-01-01T00:00:00.000Z' })
}

/** Claims five jobs; another process may have claimed one of the same key at the same moment. */
function claimWork(database: Database, owner: string): Promise<JobRecord[]> {
  return claimJobs(database, { owner, ranOn: '{}', limit: 5, kinds: ['work'] }).catch((error: unknown) => {
    if (isUniqueViolation(error)) return []
    throw error
  })
}

async function claimIds(database: Database, owner: string, limit: number): Promise<number[]> {
  return (await claimJobs(database, { owner, ranOn: '{}', limit, kinds: ['work'] })).map(({ id }) => id)
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`queue in ${kind}`, () => {
    it('gives out the oldest jobs, of each key the first', async (test) => {
      const database = await open(test, kind)
      const keys = ['a', 'a', '', '', 'b', 'b']
      const ids: number[] = []
      for (const key of keys) ids.push(await add(database, key))
      const [a1, a2, free1, free2, b1, b2] = ids as [number, number, number, number, number, number]
      assert.deepEqual(await claimIds(database, 'one', 2), [a1, free1])
      assert.deepEqual(await claimIds(database, 'two', 9), [free2, b1])
      assert.deepEqual(await claimIds(database, 'two', 9), [])
      await deleteJobs(database.kysely, [a1], 'one')
      await deleteJobs(database.kysely, [b1], 'two')
      assert.deepEqual(await claimIds(database, 'one', 9), [a2, b2])
    })

    it('counts nothing as written if there is nothing to claim', async (test) => {
      const database = await open(test, kind)
      const before = database.writes()
      assert.deepEqual(await claimIds(database, 'one', 9), [])
      assert.equal(database.writes(), before)
    })

    it('takes leases by its own clock', async (test) => {
      const database = await open(test, kind)
      const id = await add(database, '')
      const [job] = await claimJobs(database, { owner: 'one', ranOn: '{}', limit: 1, kinds: ['work'] })
      assert.ok(job)
      const expired = { owner: 'two', isExpired: true }
      assert.equal(await isHeldByOther(database, id, 'two'), true)
      assert.equal(await isHeldByOther(database, id, 'one'), false)
      assert.deepEqual(await listStaleJobs(database, expired), [])
      assert.equal(await takeJob(database, job, expired), false)
      await database.kysely
        .updateTable('jobs')
        .set({ lease_until: databaseTime(kind, -1) })
        .execute()
      assert.equal(await isHeldByOther(database, id, 'two'), false)
      assert.deepEqual(
        (await listStaleJobs(database, expired)).map((stale) => stale.id),
        [id],
      )
      assert.equal(await takeJob(database, job, expired), true)
      assert.equal(await isHeldByOther(database, id, 'one'), true)
    })

    it('writes times that compare as texts with those of the server', async (test) => {
      const database = await open(test, kind)
      const select = sql<{ at: string }>`select ${databaseTime(kind, 12)} as at`
      const { rows } = await select.execute(database.kysely)
      const at = rows[0]?.at ?? ''
      assert.equal(at, new Date(at).toISOString())
    })
  })
}

describe('queue in postgres', () => {
  it('gives each of 400 jobs to one of four processes that claim at once, of each key one after the other', async (test) => {
    const database = await open(test, 'postgres')
    for (let index = 0; index < 400; index += 1)
      await add(database, index % 2 === 0 ? `key ${index % 20}` : '')
    const done: number[] = []
    const running = new Set<string>()
    const work = async (owner: string): Promise<void> => {
      while (done.length < 400) {
        for (const { id, key } of await claimWork(database, owner)) {
          assert.ok(key === '' || !running.has(key), `two jobs of ${key} at once`)
          running.add(key)
          done.push(id)
          running.delete(key)
          await deleteJobs(database.kysely, [id], owner)
        }
      }
    }
    await Promise.all(['one', 'two', 'three', 'four'].map(work))
    assert.equal(new Set(done).size, 400)
    assert.equal(done.length, 400)
  })
})
