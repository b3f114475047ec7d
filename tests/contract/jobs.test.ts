import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { databaseTime } from '../../src/core/db/database-time.ts'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'

describe('background jobs', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
  })
  after(() => server.close())

  const ask = (method: 'GET' | 'POST', url: string) =>
    server.app.inject({ method, url, headers: server.admin })

  /** Stores a job as a server leaves it that gave it up. */
  async function addFailed(kind: string, importId: number): Promise<number> {
    const { kysely } = server.database
    const now = databaseTime('sqlite')
    const { id } = await kysely
      .insertInto('jobs')
      .values({
        kind,
        key: `import ${importId}`,
        payload: JSON.stringify({ importId }),
        state: 'failed',
        attempts: 3,
        error: 'It was begun 3 times and the server died each time',
        error_code: 'server-died',
        created_at: now,
        updated_at: now,
        ran_on: JSON.stringify({ id: 'x', host: 'node1', pid: 7 }),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return Number(id)
  }

  it('that failed are listed for administrators, page by page', async () => {
    const ids = [await addFailed('import.run', 901), await addFailed('import.correction', 902)]
    const first = await ask('GET', '/rest/jobs?state=failed&limit=1')
    assert.equal(first.statusCode, 200, first.body)
    const { jobs, next } = first.json()
    assert.deepEqual(jobs[0], {
      id: ids[1],
      kind: 'import.correction',
      state: 'failed',
      subject: 'import 902',
      attempts: 3,
      error: 'It was begun 3 times and the server died each time',
      errorCode: 'server-died',
      created: jobs[0].created,
      changed: jobs[0].changed,
      node: { id: 'x', host: 'node1', pid: 7 },
    })
    const rest = (await ask('GET', `/rest/jobs?state=failed&limit=1&before=${next}`)).json()
    assert.deepEqual([rest.jobs[0].id, rest.next], [ids[0], undefined])
    assert.equal((await server.app.inject('/rest/jobs')).statusCode, 401)
    assert.equal((await ask('GET', '/rest/jobs?state=done')).statusCode, 400)
  })

  it('are repeated by the command of their kind, or not where a client must send its request again', async () => {
    const created = await server.app.inject({
      method: 'POST',
      url: '/rest/imports',
      headers: server.admin,
      payload: { import: { data: { type: 'directory' } } },
    })
    const importId = Number(created.json().import.id)
    const codes: unknown[] = []
    for (const [kind, id] of [
      ['import.run', importId],
      ['import.run', 99_999],
      ['import.correction', importId],
      ['unheard.of', importId],
    ] as const) {
      const job = await addFailed(kind, id)
      codes.push((await ask('POST', `/rest/jobs/${job}/retry`)).json().code)
    }
    assert.deepEqual(codes, ['no-tasks', 'unknown-import', 'job-not-repeatable', 'job-not-repeatable'])
    assert.equal((await ask('POST', '/rest/jobs/123456/retry')).json().code, 'unknown-job')
  })

  it('run again where the job itself has all that it needs, and are not listed any more', async () => {
    const id = await addFailed('importer.clean', 0)
    const reply = await ask('POST', `/rest/jobs/${id}/retry`)
    assert.equal(reply.statusCode, 204, reply.body)
    const { jobs } = (await ask('GET', '/rest/jobs?state=failed')).json()
    assert.ok(!jobs.some((job: { id: number }) => job.id === id))
  })
})
