import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { storeParameters } from '../../../tests/support/postgis-store.ts'
import type { PostgresCluster } from '../../../tests/support/postgres.ts'
import { runSql, startPostgres } from '../../../tests/support/postgres.ts'
import { until } from '../../../tests/support/until.ts'
import { createPostgisStore } from './postgis-store.ts'

let cluster: PostgresCluster
let url: string
let certificate: string

/** Creates a key and a self-signed certificate for 127.0.0.1. */
function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-tls-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...names], {
    stdio: 'ignore',
  })
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  rmSync(folder, { recursive: true })
  return made
}

before(async () => {
  cluster = await startPostgres()
  url = await cluster.createDatabase()
  const { key, cert } = makeCertificate()
  certificate = cert
  for (const [name, text] of [
    ['server.key', key],
    ['server.crt', cert],
  ])
    await runSql(
      url,
      `copy (select unnest(string_to_array('${text}', E'\\n'))) to program 'umask 077; cat > ${name}'`,
    )
})
after(() => cluster.stop())

async function connects(mode: string): Promise<string> {
  const store = createPostgisStore({ ...storeParameters(url), 'SSL mode': mode })
  try {
    await store.check(new AbortController().signal)
    return 'connected'
  } catch (error) {
    return (error as Error).message
  } finally {
    await store.close()
  }
}

async function switchTls(state: 'on' | 'off'): Promise<void> {
  await runSql(url, `alter system set ssl = ${state}`)
  await runSql(url, 'select pg_reload_conf()')
  // New connections use the setting only after the main process has reloaded it.
  await until(async () => (await runSql(url, 'show ssl'))[0]?.ssl === state)
}

describe('a PostGIS store with "SSL mode"', () => {
  it('is refused where the server offers no TLS', async () => {
    assert.match(await connects('require'), /offers no TLS/)
    assert.equal(await connects('PREFER'), 'connected')
    await assert.rejects(connects('sometimes'), /"SSL mode" is "sometimes", not one of disable/)
  })

  it('encrypts, and looks at the certificate as far as the mode says', async () => {
    await switchTls('on')
    assert.equal(await connects('REQUIRE'), 'connected')
    assert.match(
      await connects('VERIFY_CA'),
      /The certificate of 127.0.0.1 port \d+ is not trusted: the certificate is self-signed/,
    )
    const known = getCACertificates('default')
    try {
      setDefaultCACertificates([...known, certificate])
      assert.equal(await connects('verify-ca'), 'connected')
      assert.equal(await connects('VERIFY_FULL'), 'connected')
    } finally {
      setDefaultCACertificates(known)
    }
  })
})
