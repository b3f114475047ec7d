import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createTestApp } from '../support/app.ts'
import { backUpAndRestore, passphrase } from '../support/backups.ts'
import { storeParameters } from '../support/postgis-store.ts'
import { testCluster } from '../support/postgres.ts'
import { runTerrane, temporaryData } from '../support/terrane-process.ts'

describe('a backup of a running server', () => {
  it('with an embedded catalogue restores equal values, imports and key at another path', async (t) => {
    const url = await (await testCluster()).createDatabase()
    const store = { name: 'pg', type: 'PostGIS', connectionParameters: storeParameters(url) }
    await backUpAndRestore(t, { env: {}, restoredEnv: {}, target: 'terrane.tar.gz', store })
  })

  it('is refused without a decision about the key, onto an existing target, and when it is damaged', async (t) => {
    const server = await createTestApp({ dataDir: temporaryData(t) })
    const env = { TERRANE_DATA: server.dataDir }
    const target = join(temporaryData(t), 'backup')
    const undecided = await runTerrane(t, ['backup', target], env)
    assert.equal(undecided.code, 2)
    assert.match(undecided.stderr, /TERRANE_BACKUP_PASSPHRASE encrypts the key .* --without-key/)
    const made = await runTerrane(t, ['backup', target, '--without-key'], env)
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stdout, /The key of stored passwords is not in it/)
    assert.ok(!existsSync(join(target, 'key.json')))
    const twice = await runTerrane(t, ['backup', target, '--without-key'], env)
    assert.match(twice.stderr, /exists already/)
    const settings = { TERRANE_DATA: join(temporaryData(t), 'new') }
    assert.equal((await runTerrane(t, ['restore', target, '--check'], settings)).code, 0)
    const catalogue = join(target, 'catalogue', 'terrane.sqlite')
    const bytes = readFileSync(catalogue)
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
    writeFileSync(catalogue, bytes)
    const damaged = await runTerrane(t, ['restore', target], settings)
    assert.equal(damaged.code, 1)
    assert.match(
      damaged.stderr,
      /The backup is damaged: catalogue\/terrane\.sqlite is not what was backed up/,
    )
    assert.ok(!existsSync(settings.TERRANE_DATA))
    const short = await runTerrane(t, ['backup', `${target}2`], {
      ...env,
      TERRANE_BACKUP_PASSPHRASE: passphrase.slice(0, 3),
    })
    assert.equal(short.code, 2)
    await server.close()
  })
})
