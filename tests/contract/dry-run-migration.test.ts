import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type DatabaseSettings, openDatabase } from '../../src/core/db/connection.ts'
import { dryRuns } from '../../src/core/db/migrations/0026-dry-runs.ts'
import { Secret } from '../../src/core/secrets/secret.ts'
import { testCluster } from '../support/postgres.ts'

const catalogues: Record<string, () => Promise<DatabaseSettings>> = {
  SQLite: async () => ({ path: ':memory:' }),
  PostgreSQL: async () => ({ url: new Secret(await (await testCluster()).createDatabase()) }),
}

for (const [name, settingsOf] of Object.entries(catalogues))
  describe(`the migration of dry runs (${name})`, () => {
    it('renames keys of stored imports and tasks, and the kind of queued jobs', async (t) => {
      const database = await openDatabase(await settingsOf())
      t.after(() => database.close())
      const { kysely: db } = database
      const at = '2026-01-01T00:00:00.000Z'
      const dryRun = { state: 'RUNNING', jobId: 7, before: 'READY' }
      const stored = (document: object) => ({
        document: JSON.stringify(document),
        updated_at: at,
        revision: 1,
      })
      await db
        .insertInto('imports')
        .values([
          {
            id: 1,
            state: 'RUNNING',
            next_task_id: 1,
            created_at: at,
            ...stored({ user: 'anna', rehearsal: dryRun }),
          },
          { id: 2, state: 'READY', next_task_id: 1, created_at: at, ...stored({ note: 'a rehearsal' }) },
        ])
        .execute()
      const rehearsing = { jobId: 7, before: 'READY' }
      await db
        .insertInto('tasks')
        .values({
          import_id: 1,
          id: 0,
          state: 'RUNNING',
          sort_key: '',
          ...stored({ rehearsing, folder: 'a' }),
        })
        .execute()
      await db
        .insertInto('jobs')
        .values({
          kind: 'import.rehearse',
          key: 'import 1',
          payload: '{"importId":1}',
          state: 'QUEUED',
          attempts: 0,
          updated_at: at,
          created_at: at,
        })
        .execute()
      await dryRuns.up(db)
      const documents = async (table: 'imports' | 'tasks') =>
        (await db.selectFrom(table).select('document').orderBy('id').execute()).map(
          ({ document }) => document,
        )
      assert.deepEqual(
        (await documents('imports')).map((one) => JSON.parse(one)),
        [{ user: 'anna', dryRun }, { note: 'a rehearsal' }],
      )
      assert.deepEqual(
        (await documents('tasks')).map((one) => JSON.parse(one)),
        [{ runningDryRun: rehearsing, folder: 'a' }],
      )
      const jobs = await db.selectFrom('jobs').select('kind').execute()
      assert.deepEqual(
        jobs.map(({ kind }) => kind),
        ['import.dry-run'],
      )
    })
  })
