import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testCluster } from '../support/postgres.ts'
import { describeSeriesContract } from './series-contract.ts'

describeSeriesContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-series-'))
  return {
    place: { path: join(folder, 'monitoring.sqlite') },
    remove: async () => rmSync(folder, { recursive: true }),
  }
})

describeSeriesContract('PostgreSQL', async () => {
  const cluster = await testCluster()
  const url = await cluster.createDatabase()
  return { place: { url }, remove: () => cluster.dropDatabase(url) }
})
