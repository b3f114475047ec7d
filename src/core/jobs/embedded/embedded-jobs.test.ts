import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { silentLogger } from '../../../../tests/support/silent-logger.ts'
import type { Database } from '../../db/connection.ts'
import { openDatabase } from '../../db/connection.ts'
import { createEventBus } from '../../events/events.ts'
import { systemClock } from '../../time/clock.ts'
import type { JobHandler } from '../jobs.ts'
import { defaultMaxAttempts } from '../jobs.ts'
import { EmbeddedJobs } from './embedded-jobs.ts'

const never = new AbortController().signal
const free = { isFree: true }

async function open(test: TestContext): Promise<Database> {
  const database = await openDatabase({ path: ':memory:' })
  test.after(() => database.close())
  return database
}

function jobsOn(database: Database): EmbeddedJobs {
  const events = createEventBus(() => undefined)
  return new EmbeddedJobs({
    database,
    clock: systemClock,
    events,
    log: silentLogger,
    concurrency: 4,
    graceMs: 50,
  })
}

function handler(
  run: JobHandler['run'],
  abandoned: JobHandler['abandoned'] = async () => undefined,
): JobHandler {
  return { run, abandoned }
}

async function enqueue(database: Database, jobs: EmbeddedJobs, key = '', payload = {}): Promise<number> {
  const id = await jobs.enqueue(database.kysely, { kind: 'work', key, payload })
  jobs.wake()
  return id
}

describe('EmbeddedJobs', () => {
  it('runs a job once with its payload and lets others wait for its end', async (test) => {
    const database = await open(test)
    const jobs = jobsOn(database)
    const seen: unknown[] = []
    await jobs.start({ work: handler(async (payload) => void seen.push(payload)) })
    await jobs.wait(await enqueue(database, jobs, '', { a: 1 }), never)
    await jobs.stop()
    assert.deepEqual(seen, [{ a: 1 }])
  })

  it('runs jobs of one key one after the other, others side by side', async (test) => {
    const database = await open(test)
    const jobs = jobsOn(database)
    let running = 0
    let most = 0
    const two = Promise.withResolvers<void>()
    // Jobs without a key wait for each other; those of one key would deadlock.
    const work = handler(async (payload) => {
      running += 1
      most = Math.max(most, running)
      if (running === 2) two.resolve()
      await (isDeepStrictEqual(payload, free) ? two.promise : delay(10))
      running -= 1
    })
    await jobs.start({ work })
    const same = [await enqueue(database, jobs, 'k'), await enqueue(database, jobs, 'k')]
    for (const id of same) await jobs.wait(id, never)
    assert.equal(most, 1)
    const others = [await enqueue(database, jobs, '', free), await enqueue(database, jobs, '', free)]
    for (const id of others) await jobs.wait(id, never)
    await jobs.stop()
    assert.equal(most, 2)
  })

  it('takes up at the next start what a stop interrupted', async (test) => {
    const database = await open(test)
    const first = jobsOn(database)
    const begun = Promise.withResolvers<void>()
    await first.start({
      work: handler(async (_payload, { signal }) => {
        begun.resolve()
        await once(signal, 'abort')
        signal.throwIfAborted()
      }),
    })
    const id = await enqueue(database, first)
    await begun.promise
    await first.stop()
    const second = jobsOn(database)
    const attempts: number[] = []
    await second.start({ work: handler(async (_payload, { attempt }) => void attempts.push(attempt)) })
    await second.wait(id, never)
    await second.stop()
    assert.deepEqual(attempts, [1])
  })

  it('runs again what died with its process, and gives up after the last attempt', async (test) => {
    const database = await open(test)
    const lost = jobsOn(database)
    const id = await lost.enqueue(database.kysely, { kind: 'work', key: '', payload: {} })
    const pretendKilled = async (attempts: number): Promise<void> => {
      await database.kysely
        .updateTable('jobs')
        .set({ state: 'running', attempts, lease_owner: 'dead', lease_until: '2000-01-01T00:00:00Z' })
        .execute()
    }
    await pretendKilled(defaultMaxAttempts)
    const jobs = jobsOn(database)
    const reasons: string[] = []
    const work = handler(
      () => assert.fail('it must not run'),
      async (_payload, reason) => void reasons.push(reason),
    )
    await jobs.start({ work })
    await jobs.wait(id, never)
    await jobs.stop()
    assert.match(reasons.join(), /begun 3 times/)
  })

  it('tells the handler of a failure and forgets the job', async (test) => {
    const database = await open(test)
    const jobs = jobsOn(database)
    const reasons: string[] = []
    const work = handler(
      () => Promise.reject(new Error('no luck')),
      async (_payload, reason) => void reasons.push(reason),
    )
    await jobs.start({ work })
    await jobs.wait(await enqueue(database, jobs), never)
    await jobs.stop()
    assert.deepEqual(reasons, ['no luck'])
  })
})
