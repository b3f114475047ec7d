import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createDatabaseImport, databaseParameters, importState, places } from '../support/database-import.ts'
import { countFeatures, startImporter } from '../support/importer-client.ts'
import { runSql, startPostgres } from '../support/postgres.ts'
import { temporaryData } from '../support/terrane-process.ts'
import { until } from '../support/until.ts'

/** Creates a key and a certificate that no authority has signed. */
function makeCertificate(folder: string): { key: string; certificate: string } {
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', key, '-out', certificate, '-subj', '/CN=localhost']
  execFileSync('openssl', ['req', '-x509', ...kind, ...files], { stdio: 'ignore' })
  return { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') }
}

describe('a database over TLS', () => {
  it('is read where the mode allows its certificate', async (t) => {
    const cluster = await startPostgres()
    t.after(() => cluster.stop())
    const url = await cluster.createDatabase()
    await runSql(url, places)
    const client = await startImporter(t)
    const encrypted = { ...databaseParameters(url), 'SSL mode': 'REQUIRE' }
    const before = await createDatabaseImport(client, encrypted)
    assert.match(String(before.json.import?.message), /offers no TLS/)

    const { key, certificate } = makeCertificate(temporaryData(t))
    for (const [name, text] of [
      ['server.key', key],
      ['server.crt', certificate],
    ]) {
      const lines = `select unnest(string_to_array('${text}', E'\\n'))`
      await runSql(url, `copy (${lines}) to program 'umask 077; cat > ${name}'`)
    }
    await runSql(url, 'alter system set ssl = on')
    await runSql(url, 'select pg_reload_conf()')
    // A new connection reads the setting from the process that was told to reload it.
    await until(async () => (await runSql(url, 'show ssl'))[0]?.ssl === 'on')
    const { json } = await createDatabaseImport(client, encrypted)
    assert.equal(json.import?.state, 'PENDING', String(json.import?.message))
    await client.call('POST', '/1')
    assert.equal(String((await importState(client, 1)).state), 'COMPLETE')
    assert.equal(await countFeatures(client, 'default:places'), 2)
    assert.equal((await importState(client, 1)).data?.parameters?.['SSL mode'], 'require')
    const checked = await createDatabaseImport(client, { ...encrypted, 'SSL mode': 'verify-full' })
    assert.match(String(checked.json.import?.message), /not trusted/)
    assert.equal((await createDatabaseImport(client, { ...encrypted, 'SSL mode': 'maybe' })).status, 400)
  })
})
