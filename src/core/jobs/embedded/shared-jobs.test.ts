import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { testCluster } from '../../../../tests/support/postgres.ts'
import { silentLogger } from '../../../../tests/support/silent-logger.ts'
import type { Database } from '../../db/connection.ts'
import { openDatabase } from '../../db/connection.ts'
import { createEventBus } from '../../events/events.ts'
import { Secret } from '../../secrets/secret.ts'
import { systemClock } from '../../time/clock.ts'
import type { JobHandler } from '../jobs.ts'
import { LeaseLost } from '../jobs.ts'
import { EmbeddedJobs } from './embedded-jobs.ts'

const never = new AbortController().signal

async function open(test: TestContext): Promise<Database> {
  const url = await (await testCluster()).createDatabase()
  const database = await openDatabase({ url: new Secret(url) })
  test.after(() => database.close())
  return database
}

/** Starts the queue of one of several processes that share a database. */
async function startProcess(database: Database, run: JobHandler['run']): Promise<EmbeddedJobs> {
  const events = createEventBus(() => undefined)
  const parts = { database, clock: systemClock, events, log: silentLogger, concurrency: 4, graceMs: 50 }
  const jobs = new EmbeddedJobs(parts)
  await jobs.start({ work: { run, abandoned: async () => undefined } })
  return jobs
}

function enqueue(database: Database, jobs: EmbeddedJobs, key = ''): Promise<number> {
  return jobs.enqueue(database.kysely, { kind: 'work', key, payload: {} })
}

describe('processes that share a queue', () => {
  it('run each job once, and those of one key one after the other', async (test) => {
    const database = await open(test)
    const done: number[] = []
    let running = 0
    let most = 0
    const run: JobHandler['run'] = async (_payload, { jobId }) => {
      running += 1
      most = Math.max(most, running)
      await delay(30)
      running -= 1
      done.push(jobId)
    }
    const processes = [await startProcess(database, run), await startProcess(database, run)]
    const ids: number[] = []
    for (const jobs of [...processes, ...processes]) ids.push(await enqueue(database, jobs, 'import 1'))
    for (const jobs of processes) jobs.wake()
    for (const id of ids) await processes[0]?.wait(id, never)
    for (const jobs of processes) await jobs.stop()
    assert.deepEqual(done, ids)
    assert.equal(most, 1)
  })

  it('leave a job to the process that has taken it over, and what that makes of it', async (test) => {
    const database = await open(test)
    const reasons: unknown[] = []
    const jobs = await startProcess(database, async (_payload, { signal }) => {
      await delay(20_000, undefined, { signal }).catch(() => reasons.push(signal.reason))
      signal.throwIfAborted()
    })
    const id = await enqueue(database, jobs)
    jobs.wake()
    while (
      !(await database.kysely.selectFrom('jobs').select('state').executeTakeFirst())?.state.startsWith('r')
    )
      await delay(10)
    assert.equal(await jobs.isHeldByOther(id), false)
    const lease_until = new Date(Date.now() + 60_000).toISOString()
    await database.kysely.updateTable('jobs').set({ lease_owner: 'another', lease_until }).execute()
    assert.equal(await jobs.isHeldByOther(id), true)
    while (reasons.length === 0) await delay(20)
    await jobs.stop()
    assert.ok(reasons[0] instanceof LeaseLost)
    const [left] = await database.kysely.selectFrom('jobs').selectAll().execute()
    assert.deepEqual([left?.state, left?.lease_owner, left?.attempts], ['running', 'another', 1])
  })

  it('take over at once at a start only what nobody holds', async (test) => {
    const database = await open(test)
    const begun: number[] = []
    const run: JobHandler['run'] = async (_payload, { jobId }) => void begun.push(jobId)
    const events = createEventBus(() => undefined)
    const parts = { database, clock: systemClock, events, log: silentLogger, concurrency: 4 }
    const earlier = new EmbeddedJobs(parts)
    const [held, stale] = [await enqueue(database, earlier), await enqueue(database, earlier)]
    const own = async (id: number, until: number): Promise<void> => {
      const lease_until = new Date(until).toISOString()
      await database.kysely
        .updateTable('jobs')
        .set({ state: 'running', attempts: 1, lease_owner: 'another', lease_until })
        .where('id', '=', id)
        .execute()
    }
    await own(held, Date.now() + 60_000)
    await own(stale, Date.now() - 1)
    const jobs = await startProcess(database, run)
    await jobs.wait(stale, never)
    assert.equal(await jobs.withdraw(held), false)
    await jobs.stop()
    assert.deepEqual(begun, [stale])
  })
})
