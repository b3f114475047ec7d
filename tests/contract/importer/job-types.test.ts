import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { jobTypes } from '../../../src/importer/run/run.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'

describe('the registry of job types', () => {
  let server: TestApp
  let db: DatabaseSync
  const inserted = new Map<string, { missing: number; crashed: number }>()
  before(async () => {
    server = await createTestApp()
    db = new DatabaseSync(join(server.dataDir, 'terrane.sqlite'), { timeout: 60_000 })
    for (const kind of Object.keys(jobTypes))
      inserted.set(kind, { missing: insert(kind, 0), crashed: insert(kind, 1000) })
  })
  after(async () => {
    db.close()
    await server.close()
  })

  /** Stores a job as another process would; returns its id. */
  const insert = (kind: string, attempts: number): number => {
    const payload = JSON.stringify({ importId: 999_999, taskId: 0, loadId: randomUUID() })
    const at = new Date().toISOString()
    const state = attempts === 0 ? 'queued' : 'running'
    const owner = attempts === 0 ? null : randomUUID()
    const expired = attempts === 0 ? null : '2001-01-01T00:00:00.000Z'
    const { lastInsertRowid } = db
      .prepare(
        'insert into jobs (kind, key, payload, state, attempts, lease_owner, lease_until, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(kind, `import 999999 ${kind}`, payload, state, attempts, owner, expired, at, at)
    return Number(lastInsertRowid)
  }
  /** A job that was given up stays listed as failed. */
  const untilEnded = (id = 0): Promise<void> =>
    until(
      () => (db.prepare('select state from jobs where id = ?').get(id)?.['state'] ?? 'failed') === 'failed',
    )

  for (const kind of Object.keys(jobTypes))
    describe(`job type ${kind}`, () => {
      it('ends if what it works on no longer exists', async () => {
        await untilEnded(inserted.get(kind)?.missing)
      })

      it('ends if its process crashed too often', async () => {
        await untilEnded(inserted.get(kind)?.crashed)
      })
    })

  it('has names of the form <subject>.<verb>', () => {
    for (const kind of Object.keys(jobTypes)) assert.match(kind, /^[a-z]+\.[a-zA-Z-]+$/)
  })
})
