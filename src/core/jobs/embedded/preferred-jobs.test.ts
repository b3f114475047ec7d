import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it, type TestContext } from 'node:test'
import { testCluster } from '../../../../tests/support/postgres.ts'
import { silentLogger } from '../../../../tests/support/silent-logger.ts'
import { until } from '../../../../tests/support/until.ts'
import { type Broadcast, openBroadcast } from '../../db/broadcast.ts'
import type { Database, Queryable } from '../../db/connection.ts'
import { openDatabase } from '../../db/connection.ts'
import { createEventBus } from '../../events/events.ts'
import { Secret } from '../../secrets/secret.ts'
import { systemClock } from '../../time/clock.ts'
import type { JobHandler } from '../jobs.ts'
import { EmbeddedJobs } from './embedded-jobs.ts'
import { claimJobs } from './job-repository.ts'

const never = new AbortController().signal
const kinds = ['work']
/** Longer than any test. */
const preferenceSeconds = 3600

/** A server of a queue, whose jobs wait until they are released. */
interface Server {
  jobs: EmbeddedJobs
  /** Jobs that it has begun. */
  begun: number[]
  release(): void
}

describe('a server that queues a job', () => {
  let database: Database
  let url: Secret
  before(async () => {
    url = new Secret(await (await testCluster()).createDatabase())
    database = await openDatabase({ url })
  })
  after(() => database.close())

  async function startServer(test: TestContext, id: string, options = {}): Promise<Server> {
    const broadcast: Broadcast = await openBroadcast(url, silentLogger)
    const parts = { database, broadcast, clock: systemClock, log: silentLogger, graceMs: 50 }
    const events = createEventBus(() => undefined)
    const jobs = new EmbeddedJobs({ ...parts, events, id, concurrency: 2, preferenceSeconds, ...options })
    const begun: number[] = []
    const released = Promise.withResolvers<void>()
    const run: JobHandler['run'] = async (_, { jobId, signal }) => {
      begun.push(jobId)
      await Promise.race([released.promise, once(signal, 'abort')])
      signal.throwIfAborted()
    }
    await jobs.start({ work: { run, abandoned: async () => undefined } })
    test.after(async () => {
      released.resolve()
      await jobs.stop()
      await broadcast.close()
      await database.kysely.deleteFrom('jobs').execute()
    })
    return { jobs, begun, release: () => released.resolve() }
  }

  const enqueue = ({ jobs }: Server, db: Queryable = database.kysely): Promise<number> =>
    jobs.enqueue(db, { kind: 'work', key: '', payload: {} })

  const claimAs = async (owner: string): Promise<number[]> =>
    (await claimJobs(database, { owner, ranOn: '{}', limit: 9, kinds })).map(({ id }) => id)

  it('takes it while it has a slot, although others look first', async (test) => {
    const [first, second] = [await startServer(test, 'first'), await startServer(test, 'second')]
    const id = await enqueue(first)
    assert.deepEqual(await claimAs('second'), [])
    assert.deepEqual(await claimAs('third'), [])
    first.jobs.wake()
    await until(() => first.begun.length === 1)
    assert.deepEqual([first.begun, second.begun], [[id], []])
    first.release()
    await first.jobs.wait(id, never)
  })

  it('leaves to others what it has no slot for, at once', async (test) => {
    const [first, second] = [await startServer(test, 'first'), await startServer(test, 'second')]
    const own = [await enqueue(first), await enqueue(first)]
    const others = [await enqueue(first), await enqueue(first)]
    // Nothing wakes the second server but the commit of the jobs.
    await until(() => second.begun.length === 2)
    assert.deepEqual(second.begun.toSorted(), others)
    first.jobs.wake()
    await until(() => first.begun.length === 2)
    assert.deepEqual(first.begun, own)
  })

  it('gives back what it has reserved a slot for when older jobs have taken the slots', async (test) => {
    const first = await startServer(test, 'first')
    const silent = await startServer(test, 'silent', { isWorking: false })
    // Jobs of a higher priority count as older.
    const urgent = { kind: 'work', key: '', payload: {}, priority: 5 }
    const { own, older } = await database.transaction(async (db) => ({
      own: await enqueue(first, db),
      older: [await silent.jobs.enqueue(db, urgent), await silent.jobs.enqueue(db, urgent)],
    }))
    first.jobs.wake()
    await until(() => first.begun.length === 2)
    const second = await startServer(test, 'second')
    await until(() => second.begun.length === 1)
    assert.deepEqual([first.begun, second.begun], [older, [own]])
  })

  it('has no preference without the role to work, nor after it was stopped', async (test) => {
    const serving = await startServer(test, 'serving', { isWorking: false })
    const id = await enqueue(serving)
    assert.deepEqual(await claimAs('other'), [id])
    const stopping = await startServer(test, 'stopping')
    const left = await enqueue(stopping)
    assert.deepEqual(await claimAs('other'), [])
    await stopping.jobs.stop()
    const later = await enqueue(stopping)
    assert.deepEqual(await claimAs('other'), [left, later])
  })

  it('loses it to others after a short time if it died before it took it', async (test) => {
    const [dead, second] = [
      await startServer(test, 'dead', { preferenceSeconds: 0.2 }),
      await startServer(test, 'second'),
    ]
    // It is never woken, as if it had died after the commit.
    const id = await database.transaction((db) => enqueue(dead, db))
    await until(() => second.begun.length + dead.begun.length === 1)
    const row = await database.kysely.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
    assert.deepEqual([row?.state, row?.preferred_owner], ['running', null])
  })

  it('stops to reserve slots for jobs whose transaction was rolled back', async (test) => {
    const first = await startServer(test, 'first', { preferenceSeconds: 1 })
    const rolledBack = database.transaction(async (db) => {
      await enqueue(first, db)
      await enqueue(first, db)
      throw new Error('rolled back')
    })
    await assert.rejects(rolledBack, /rolled back/)
    await until(async () => {
      const id = await enqueue(first)
      const row = await database.kysely
        .selectFrom('jobs')
        .select('preferred_owner')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.preferred_owner === 'first'
    })
  })
})
