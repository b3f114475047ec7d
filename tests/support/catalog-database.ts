import { Client } from 'pg'
import { openDatabase } from '../../src/core/db/connection.ts'
import { Secret } from '../../src/core/secrets/secret.ts'
import { openSeriesDatabase } from '../../src/monitoring/series/open-series-database.ts'
import { postgisTemplate, runSql, testCluster } from './postgres.ts'

const template = 'terrane_template_catalog'
/** Any number that no other test locks. */
const templateLock = 730_117

let made: Promise<void> | undefined

/**
 * Returns the URL of a new database with the tables of the catalogue and of monitoring, but without rows: a server that starts on
 * it need not run the migrations, which take most of its start. The database lasts as long as the cluster.
 */
export async function createCatalogDatabase(): Promise<string> {
  const cluster = await testCluster()
  made ??= makeTemplate(cluster.url('postgres'), cluster.url)
  await made
  return cluster.createDatabase(template)
}

/** Makes the template unless a process of the same run has made it. */
async function makeTemplate(clusterUrl: string, urlOf: (database: string) => string): Promise<void> {
  const client = new Client({ connectionString: clusterUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [templateLock])
    const found = await client.query('select 1 from pg_database where datname = $1', [template])
    if (found.rowCount === 1) return
    const part = `${template}_part`
    await client.query(`create database ${part} template ${postgisTemplate} strategy file_copy`)
    const url = urlOf(part)
    await (await openDatabase({ url: new Secret(url) })).close()
    await (await openSeriesDatabase({ url })).close()
    await runSql(clusterUrl, `alter database ${part} rename to ${template}`)
  } finally {
    await client.end()
  }
}
