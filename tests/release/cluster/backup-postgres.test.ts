import { describe, it } from 'node:test'
import { backUpAndRestore } from '../../support/backups.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'
import { storeParameters } from '../../support/postgis-store.ts'
import { runSql, testCluster } from '../../support/postgres.ts'

describe('a backup of a running server', () => {
  // `tests/integration/backup.test.ts` does the same with an embedded catalogue.
  it('with a PostgreSQL catalogue restores equal values, imports and key in another database', async (t) => {
    const cluster = await testCluster()
    const other = await cluster.createDatabase()
    const store = { name: 'pg', type: 'PostGIS', connectionParameters: storeParameters(other) }
    const empty = await cluster.createDatabase('template0')
    await runSql(empty, 'create extension postgis')
    await backUpAndRestore(t, {
      env: { TERRANE_DATABASE_URL: await createCatalogDatabase() },
      restoredEnv: { TERRANE_DATABASE_URL: empty },
      target: 'folder',
      store,
    })
  })
})
