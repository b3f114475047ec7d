import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { Database } from '../../src/core/db/connection.ts'
import { openDatabase } from '../../src/core/db/connection.ts'
import { Secret } from '../../src/core/secrets/secret.ts'
import { createVault } from '../../src/core/secrets/vault.ts'
import type { TestApp } from '../support/app.ts'
import { createTestApp } from '../support/app.ts'
import { createCatalogDatabase } from '../support/catalog-database.ts'
import { storeParameters } from '../support/postgis-store.ts'
import { testCluster } from '../support/postgres.ts'
import { runTerrane } from '../support/terrane-process.ts'

/** A folder for data, removed after the test. */
function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-key-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('the key that encrypts stored passwords', () => {
  for (const [catalogue, environment] of [
    ['SQLite', async () => ({})],
    ['PostgreSQL', async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() })],
  ] as const)
    it(`is replaced, with every password, in a catalogue on ${catalogue}`, {
      timeout: 120_000,
    }, async (t) => {
      const dataDir = folderFor(t)
      const env = await environment()
      const path = join(dataDir, 'secret.key')
      await fillWithSecrets(t, dataDir, env)
      const old = readFileSync(path, 'utf8')
      const sealed = await readSealed(dataDir, env)
      assert.equal(sealed.length, 8)
      const { code, stdout, stderr } = await runTerrane(t, ['key', 'rotate'], {
        TERRANE_DATA: dataDir,
        ...env,
      })
      assert.equal(code, 0, stderr)
      assert.match(
        stdout,
        /^8 stored passwords are encrypted with the new key\. \S+secret\.key has the new key/,
      )
      const next = readFileSync(path, 'utf8')
      assert.notEqual(next, old)
      assert.deepEqual(
        readdirSync(dataDir).filter((name) => name.startsWith('secret')),
        ['secret.key'],
      )
      assert.deepEqual(openAll(await readSealed(dataDir, env), next), openAll(sealed, old))
      const server = await createTestApp({ env, dataDir })
      t.after(() => server.close())
      const stores = await server.catalog.stores.list('default')
      assert.ok(stores.length > 0)
    })

  it('of a rotation that was killed after its commit is taken at the next start', {
    timeout: 120_000,
  }, async (t) => {
    const dataDir = folderFor(t)
    await fillWithSecrets(t, dataDir, {})
    const path = join(dataDir, 'secret.key')
    const old = readFileSync(path)
    const { code } = await runTerrane(t, ['key', 'rotate'], { TERRANE_DATA: dataDir })
    assert.equal(code, 0)
    const next = readFileSync(path)
    // As if the process had died between its commit and the exchange of the files.
    writeFileSync(`${path}.new`, next)
    writeFileSync(path, old)
    await (await createTestApp({ dataDir })).close()
    assert.deepEqual(readFileSync(path), next)
    assert.equal(existsSync(`${path}.new`), false)
    // A proposal that never became the key does no harm.
    writeFileSync(`${path}.new`, `${randomBytes(32).toString('hex')}\n`)
    await (await createTestApp({ dataDir })).close()
    assert.deepEqual(readFileSync(path), next)
  })

  it('is not replaced while a server runs, nor if a password is encrypted with a third key', {
    timeout: 120_000,
  }, async (t) => {
    const environments: Environment[] = [{}, { TERRANE_DATABASE_URL: await createCatalogDatabase() }]
    for (const env of environments) {
      const dataDir = folderFor(t)
      const server = await fillWithSecrets(t, dataDir, env, true)
      const before = readFileSync(join(dataDir, 'secret.key'))
      const rotate = () => runTerrane(t, ['key', 'rotate'], { TERRANE_DATA: dataDir, ...env })
      const refusal = await rotate()
      assert.equal(refusal.code, 1)
      assert.match(refusal.stderr, /in use by another Terrane|uses the catalogue: stop all servers/)
      await server?.close()
      const database = await openOwn(dataDir, env)
      const foreign = createVault(randomBytes(32)).seal('x')
      await database.kysely
        .updateTable('stores')
        .set({ secrets: foreign })
        .where('secrets', '!=', '')
        .execute()
      const sealed = await sealedTexts(database)
      await database.close()
      const failure = await rotate()
      assert.equal(failure.code, 1)
      assert.match(failure.stderr, /The password in stores \d+ cannot be decrypted/)
      assert.deepEqual(await readSealed(dataDir, env), sealed)
      assert.deepEqual(readFileSync(join(dataDir, 'secret.key')), before)
    }
  })

  it('comes from a setting or a file that a setting names, and is replaced by another', {
    timeout: 120_000,
  }, async (t) => {
    const dataDir = folderFor(t)
    const [first, second] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
    const file = join(folderFor(t), 'key')
    writeFileSync(file, `${first}\n`)
    await fillWithSecrets(t, dataDir, { TERRANE_SECRET_KEY_FILE: file })
    assert.equal(existsSync(join(dataDir, 'secret.key')), false)
    const env = { TERRANE_DATA: dataDir, TERRANE_SECRET_KEY: first }
    const needsKey = await runTerrane(t, ['key', 'rotate'], env)
    assert.equal(needsKey.code, 1)
    assert.match(needsKey.stderr, /TERRANE_NEW_SECRET_KEY_FILE/)
    const rotated = await runTerrane(t, ['key', 'rotate'], { ...env, TERRANE_NEW_SECRET_KEY: second })
    assert.equal(rotated.code, 0, rotated.stderr)
    assert.match(rotated.stdout, /Set TERRANE_SECRET_KEY to the value of TERRANE_NEW_SECRET_KEY/)
    await assert.rejects(createTestApp({ dataDir, env: { TERRANE_SECRET_KEY: first } }), {
      message:
        /The key in TERRANE_SECRET_KEY is not the key .* Set TERRANE_SECRET_KEY to the key of the other/,
    })
    await (await createTestApp({ dataDir, env: { TERRANE_SECRET_KEY: second } })).close()
  })
})

type Environment = Record<string, string>

/** Makes a store, a monitored service, a receiver and an import with a password each. Returns the server if it stays open. */
async function fillWithSecrets(
  t: TestContext,
  dataDir: string,
  env: Environment,
  staysOpen = false,
): Promise<TestApp | undefined> {
  const server = await createTestApp({ env, dataDir })
  if (staysOpen) t.after(() => server.close())
  const vault = createVault(server.directory.key)
  const at = '2026-01-01T00:00:00.000Z'
  const { kysely } = server.database
  const parameters = storeParameters(await (await testCluster()).createDatabase())
  const made = await server.app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: server.admin,
    payload: { dataStore: { name: 'pg', type: 'PostGIS', connectionParameters: parameters } },
  })
  assert.equal(made.statusCode, 201, made.body)
  const host = await server.services.createHost({ name: 'machine', ip: '127.0.0.1' })
  await kysely
    .insertInto('services')
    .values({
      name: 'watched',
      type: 'geoserver',
      host_id: host.id,
      url: 'http://127.0.0.1:9/',
      notes: '',
      is_active: 0,
      check_interval: 60,
      source: '{}',
      password: vault.seal('service'),
    })
    .execute()
  const check = await kysely
    .insertInto('notification_checks')
    .values({
      name: 'busy',
      description: '',
      severity: 'warning',
      is_active: 0,
      grace_seconds: 0,
      window_seconds: 60,
      evaluated_to: 0,
      revision: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await kysely
    .insertInto('notification_receivers')
    .values({
      check_id: check.id,
      kind: 'webhook',
      target: 'http://127.0.0.1:9/',
      secret: vault.seal('hook'),
    })
    .execute()
  await kysely
    .insertInto('user_totp')
    .values({ user_name: 'admin', secret: vault.seal('code'), confirmed_at: at })
    .execute()
  await kysely
    .insertInto('user_identities')
    .values(
      ['a', 'b'].map((subject) => ({
        provider: 'oidc https://id.example.org',
        subject,
        user_name: 'admin',
        refresh_token: vault.seal(`refresh ${subject}`),
        confirmed_at: at,
        checked_at: at,
      })),
    )
    .execute()
  await kysely
    .insertInto('sessions')
    .values({
      id_hash: 'a',
      user_name: 'admin',
      csrf_token: 'b',
      created_at: at,
      expires_at: '2100-01-01T00:00:00.000Z',
      provider_token: vault.seal('identity'),
    })
    .execute()
  const document = JSON.stringify({ source: { remote: { sealedPassword: vault.seal('remote') } } })
  await kysely
    .insertInto('imports')
    .values({
      id: 77,
      state: 'COMPLETE',
      next_task_id: 0,
      document,
      created_at: at,
      updated_at: at,
      revision: 1,
    })
    .execute()
  if (staysOpen) return server
  await server.close()
  return undefined
}

function openOwn(dataDir: string, env: Environment): Promise<Database> {
  const url = env['TERRANE_DATABASE_URL']
  return openDatabase(
    url === undefined ? { path: join(dataDir, 'terrane.sqlite') } : { url: new Secret(url) },
  )
}

async function readSealed(dataDir: string, env: Environment): Promise<string[]> {
  const database = await openOwn(dataDir, env)
  try {
    return await sealedTexts(database)
  } finally {
    await database.close()
  }
}

/** Returns every encrypted text of a catalogue. */
async function sealedTexts({ kysely }: Database): Promise<string[]> {
  const stores = await kysely
    .selectFrom('stores')
    .select('secrets as text')
    .where('secrets', '!=', '')
    .execute()
  const services = await kysely
    .selectFrom('services')
    .select('password as text')
    .where('password', '!=', '')
    .execute()
  const receivers = await kysely
    .selectFrom('notification_receivers')
    .select('secret as text')
    .where('secret', '!=', '')
    .execute()
  const codes = await kysely.selectFrom('user_totp').select('secret as text').execute()
  const refreshed = await kysely
    .selectFrom('user_identities')
    .select('refresh_token as text')
    .orderBy('subject')
    .execute()
  const sessions = await kysely.selectFrom('sessions').select('provider_token as text').execute()
  const imports = await kysely.selectFrom('imports').select('document as text').execute()
  const inDocuments = imports.flatMap(({ text }) => /"sealedPassword":"([^"]+)"/.exec(text)?.[1] ?? [])
  const rows = [...stores, ...services, ...receivers, ...codes, ...refreshed, ...sessions]
  return [...rows.map(({ text }) => text ?? ''), ...inDocuments]
}

function openAll(sealed: readonly string[], key: string): string[] {
  const vault = createVault(Buffer.from(key.trim(), 'hex'))
  return sealed.map((text) => vault.open(text))
}
