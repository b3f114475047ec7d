import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, it, type TestContext } from 'node:test'
import { testCluster } from '../../../../tests/support/postgres.ts'
import { silentLogger } from '../../../../tests/support/silent-logger.ts'
import { until } from '../../../../tests/support/until.ts'
import { openBroadcast, silence } from '../../db/broadcast.ts'
import type { Database } from '../../db/connection.ts'
import { openDatabase } from '../../db/connection.ts'
import { databaseTime } from '../../db/database-time.ts'
import { Failure } from '../../errors/errors.ts'
import { createEventBus } from '../../events/events.ts'
import { Secret } from '../../secrets/secret.ts'
import { systemClock } from '../../time/clock.ts'
import type { JobHandler, NewJob } from '../jobs.ts'
import { JobCanceled, jobPriorities } from '../jobs.ts'
import { EmbeddedJobs } from './embedded-jobs.ts'

const never = new AbortController().signal

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`jobs in ${kind}`, async () => {
    const url = kind === 'postgres' ? await (await testCluster()).createDatabase() : undefined
    const database = await openDatabase(url === undefined ? { path: ':memory:' } : { url: new Secret(url) })
    after(() => database.close())

    async function queue(
      test: TestContext,
      options: { concurrency?: number; isWorking?: boolean } = {},
    ): Promise<EmbeddedJobs> {
      const broadcast = url === undefined ? silence : await openBroadcast(new Secret(url), silentLogger)
      const events = createEventBus(() => undefined)
      const parts = { database, broadcast, clock: systemClock, events, log: silentLogger, graceMs: 50 }
      const jobs = new EmbeddedJobs({ ...parts, concurrency: 4, ...options })
      test.after(async () => {
        await jobs.stop()
        await broadcast.close()
        await database.kysely.deleteFrom('jobs').execute()
      })
      return jobs
    }

    it('starts what a person waits for before a nightly run', async (test) => {
      const jobs = await queue(test, { concurrency: 1 })
      const { background, interactive, normal } = jobPriorities
      const ids: number[] = []
      for (const priority of [background, normal, interactive])
        ids.push(await jobs.enqueue(database.kysely, work({ priority })))
      const begun: number[] = []
      await jobs.start({ work: handler(async (_, { jobId }) => void begun.push(jobId)) })
      for (const id of ids) await jobs.wait(id, never)
      assert.deepEqual(begun, ids.toReversed())
    })

    it('runs at most as many jobs of a group as it allows, and others beside them', async (test) => {
      const queues = [await queue(test), ...(kind === 'postgres' ? [await queue(test)] : [])]
      let running = 0
      let most = 0
      const run: JobHandler['run'] = async (payload) => {
        if (payload['group'] !== true) return
        running += 1
        most = Math.max(most, running)
        await until(async () => (await waiting(database)) < 20)
        running -= 1
      }
      const group = { key: 'store 1', limit: 2 }
      const ids: number[] = []
      for (let index = 0; index < 12; index += 1)
        ids.push(await queueOf(queues).enqueue(database.kysely, work({ group, payload: { group: true } })))
      for (let index = 0; index < 12; index += 1)
        ids.push(await queueOf(queues).enqueue(database.kysely, work({})))
      await Promise.all(queues.map((jobs) => jobs.start({ work: handler(run) })))
      for (const id of ids) await queueOf(queues).wait(id, never)
      assert.equal(most, 2)
    })

    it('retries with a growing delay, then lists the job as failed until it is queued again', async (test) => {
      const jobs = await queue(test)
      const attempts: number[] = []
      const reasons: string[] = []
      let isFailing = true
      await jobs.start({
        work: {
          ...handler(async (_, { attempt }) => {
            attempts.push(attempt)
            if (isFailing) throw new Error('no luck')
          }),
          abandoned: async (_, reason) => void reasons.push(reason),
          retry: { times: 1, firstSeconds: 60 },
        },
      })
      const id = await jobs.enqueue(database.kysely, work({}))
      jobs.wake()
      await until(async () => (await jobRow(database, id))?.not_before != null)
      const delayed = await jobRow(database, id)
      assert.ok(Date.parse(delayed?.not_before ?? '') > Date.parse(delayed?.updated_at ?? '') + 50_000)
      await database.kysely
        .updateTable('jobs')
        .set({ not_before: databaseTime(kind, -1) })
        .execute()
      jobs.wake()
      await jobs.wait(id, never)
      assert.deepEqual([attempts, reasons], [[1, 2], ['no luck']])
      const failed = await jobs.list({ state: 'failed', limit: 10 })
      assert.deepEqual(
        failed.map((one) => [one.id, one.kind, one.attempts, one.error, one.node?.pid]),
        [[id, 'work', 2, 'no luck', process.pid]],
      )
      isFailing = false
      await jobs.retryFailed(id)
      await jobs.wait(id, never)
      assert.deepEqual(await jobs.list({ limit: 10 }), [])
      await assert.rejects(() => jobs.retryFailed(id), { code: 'unknown-job' })
    })

    it('lists jobs page by page with what they work on, and repeats failed ones as their kind does', async (test) => {
      const jobs = await queue(test, { concurrency: 1 })
      const repeated: unknown[] = []
      const fails = handler(() => Promise.reject(new Failure('conflict', 'import-busy', 'It is busy')))
      const held = Promise.withResolvers<void>()
      test.after(() => held.resolve())
      await jobs.start({
        fails: {
          ...fails,
          subjectOf: ({ file }) => `file ${file}`,
          repeat: async ({ file }) => {
            if (file === 'b') throw new Failure('conflict', 'job-not-repeatable', 'Send it again')
            repeated.push(file)
          },
        },
        holds: handler(() => held.promise),
      })
      const add = (kind: string, key: string, payload = {}) =>
        jobs.enqueue(database.kysely, { kind, key, payload })
      const [a, b] = [await add('fails', '', { file: 'a' }), await add('fails', '', { file: 'b' })]
      jobs.wake()
      for (const id of [a, b]) await jobs.wait(id, never)
      const [running, queued] = [await add('holds', 'import 7'), await add('holds', 'import 7')]
      jobs.wake()
      await until(async () => (await jobRow(database, running))?.state === 'running')
      const first = await jobs.list({ limit: 3 })
      const rest = await jobs.list({ limit: 3, beforeId: first.at(-1)?.id })
      assert.deepEqual(
        [...first, ...rest].map((one) => [one.id, one.state, one.subject, one.errorCode]),
        [
          [queued, 'queued', 'import 7', undefined],
          [running, 'running', 'import 7', undefined],
          [b, 'failed', 'file b', 'import-busy'],
          [a, 'failed', 'file a', 'import-busy'],
        ],
      )
      assert.deepEqual([first[0]?.node, first[1]?.node?.pid], [undefined, process.pid])
      await assert.rejects(() => jobs.retryFailed(running), { code: 'job-not-failed' })
      await assert.rejects(() => jobs.retryFailed(b), { code: 'job-not-repeatable' })
      await jobs.retryFailed(a)
      assert.deepEqual(repeated, ['a'])
      assert.deepEqual(
        (await jobs.list({ state: 'failed', limit: 9 })).map(({ id }) => id),
        [b],
      )
    })

    it('runs each occurrence of a schedule once', async (test) => {
      const queues = [await queue(test), ...(kind === 'postgres' ? [await queue(test)] : [])]
      const runs: number[] = []
      for (const jobs of queues)
        jobs.register({ nightly: handler(async (_, { jobId }) => void runs.push(jobId)) }, [
          { name: 'nightly', kind: 'nightly', everySeconds: 3600 },
        ])
      await Promise.all(queues.map((jobs) => jobs.start()))
      await until(() => runs.length > 0)
      await until(async () => (await database.kysely.selectFrom('jobs').selectAll().execute()).length === 0)
      const stored = await database.kysely.selectFrom('schedules').selectAll().execute()
      assert.equal(runs.length, 1)
      assert.ok(Date.parse(stored[0]?.next_at ?? '') - Date.parse(stored[0]?.last_at ?? '') >= 3_599_000)
    })

    it('cancels a running job, from any server, and removes a waiting one', async (test) => {
      const jobs = await queue(test, { concurrency: 1 })
      const other = kind === 'postgres' ? await queue(test, { isWorking: false }) : jobs
      const begun = Promise.withResolvers<void>()
      const reasons: unknown[] = []
      await jobs.start({
        work: handler(async (_, { signal }) => {
          begun.resolve()
          await once(signal, 'abort')
          reasons.push(signal.reason)
          signal.throwIfAborted()
        }),
      })
      if (other !== jobs) await other.start({ work: handler(() => assert.fail('it does not work')) })
      const running = await other.enqueue(database.kysely, work({}))
      const waits = await other.enqueue(database.kysely, work({}))
      jobs.wake()
      await begun.promise
      await other.cancel(waits)
      await other.cancel(running)
      await other.wait(running, never)
      assert.ok(reasons[0] instanceof JobCanceled)
      assert.deepEqual([reasons.length, await waiting(database), await jobs.list({ limit: 1 })], [1, 0, []])
    })

    it('leaves large work one slot of a lane', async (test) => {
      const jobs = await queue(test)
      const lane = { name: 'files', limit: 2, heavyLimit: 1 }
      const begun: string[] = []
      const small = Promise.withResolvers<void>()
      await jobs.start({
        large: {
          ...handler(async () => {
            begun.push('large')
            await small.promise
          }),
          lane,
          isHeavy: true,
        },
        small: { ...handler(async () => void begun.push('small')), lane },
      })
      const ids: number[] = []
      for (const name of ['large', 'large', 'small'])
        ids.push(await jobs.enqueue(database.kysely, { kind: name, key: '', payload: {} }))
      jobs.wake()
      await jobs.wait(ids[2] ?? 0, never)
      assert.deepEqual(begun, ['large', 'small'])
      small.resolve()
      for (const id of ids) await jobs.wait(id, never)
    })

    if (kind === 'postgres')
      it('begins at the commit on another server, which is idle', async (test) => {
        const [worker, server] = [await queue(test), await queue(test, { isWorking: false })]
        const begun = Promise.withResolvers<number>()
        await worker.start({ work: handler(async () => begun.resolve(performance.now())) })
        await server.start()
        const at = await database.transaction(async (db) => {
          await server.enqueue(db, work({}))
          assert.equal(await waiting(database), 0)
          return performance.now()
        })
        const delayMs = (await begun.promise) - at
        assert.ok(delayMs < 2_900, `the worker waited for its next look, ${delayMs} ms`)
      })
  })
}

function handler(run: JobHandler['run']): JobHandler {
  return { run, abandoned: async () => undefined }
}

function work(more: Partial<NewJob>): NewJob {
  return { kind: 'work', key: '', payload: {}, ...more }
}

function queueOf(queues: readonly EmbeddedJobs[]): EmbeddedJobs {
  return queues[0] ?? assert.fail()
}

async function waiting({ kysely }: Database): Promise<number> {
  const rows = await kysely.selectFrom('jobs').select('id').where('state', '=', 'queued').execute()
  return rows.length
}

function jobRow({ kysely }: Database, id: number) {
  return kysely.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
}
