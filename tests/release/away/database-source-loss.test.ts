import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabaseImport, importState, schemaWith } from '../../support/database-import.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { countFeatures, listOf, startImporter } from '../../support/importer-client.ts'
import { fileDatabase } from '../../support/postgis-store.ts'
import { runSql } from '../../support/postgres.ts'
import { patience, until } from '../../support/until.ts'

const rows = 200_000
const cut = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'terrane_import'`

async function whenReading(client: ImporterClient, importId: number): Promise<void> {
  for (const hasTime = patience(); hasTime(); ) {
    const { json } = await client.call('GET', `/${importId}/tasks/0/progress`)
    if (Number(json.progress) > 0) return
    await sleep(2)
  }
  assert.fail('the load did not begin')
}

describe('a database that goes away while it is read', () => {
  for (const updateMode of ['CREATE', 'REPLACE']) {
    it(`fails the task with the reason, leaves the target in ${updateMode}, and is read whole by a retry`, async (t) => {
      const parameters = await schemaWith(`create table big as select i as id, repeat('x', 100) as text,
        ST_SetSRID(ST_MakePoint(i % 180, i % 90), 4326)::geometry(Point, 4326) as geom from generate_series(1, ${rows}) i;
        create table small as select * from big limit 10`)
      const client = await startImporter(t, { env: { TERRANE_DATABASE_WAIT: '0' } })
      if (updateMode === 'REPLACE') {
        await createDatabaseImport(client, parameters, { tables: ['small'] })
        await client.call('PUT', '/0/tasks/0/layer', { layer: { name: 'big' } })
        await client.call('POST', '/0')
      }
      const { json } = await createDatabaseImport(client, parameters, { tables: ['big'] })
      const id = Number(json.import?.id)
      await client.call('PUT', `/${id}/tasks/0`, { task: { updateMode } })
      const run = client.call('POST', `/${id}`)
      await whenReading(client, id)
      assert.ok((await runSql(await fileDatabase(), cut)).length > 0, 'no connection was found')
      assert.equal((await run).status, 204)
      const [task] = listOf((await importState(client, id)).tasks)
      assert.equal(task?.state, 'ERROR')
      assert.match(String(task?.errorMessage), /went away while reading/)
      if (updateMode === 'REPLACE') assert.equal(await countFeatures(client, 'default:big'), 10)
      assert.equal((await client.call('POST', `/${id}`)).status, 204)
      assert.equal(String((await importState(client, id)).state), 'COMPLETE')
      assert.equal(await countFeatures(client, 'default:big'), rows)
    })
  }

  it('lets a load be cancelled, and holds no connection then', async (t) => {
    const parameters = await schemaWith(`create table big as select i as id, repeat('x', 100) as text,
      'SRID=4326;POINT(1 2)'::geometry(Point, 4326) as geom from generate_series(1, ${rows}) i`)
    const client = await startImporter(t)
    await createDatabaseImport(client, parameters)
    const run = client.call('POST', '/0')
    await whenReading(client, 0)
    assert.equal((await client.call('DELETE', '/0/tasks/0/run')).status, 204)
    await run
    const [task] = listOf((await importState(client)).tasks)
    assert.equal(task?.state, 'CANCELED')
    const left = `select pid from pg_stat_activity
      where datname = current_database() and application_name = 'terrane_import'`
    await until(async () => (await runSql(await fileDatabase(), left)).length === 0)
  })
})
