import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { createTestApp } from '../support/app.ts'
import { feature } from '../support/bad-input.ts'
import { createCatalogDatabase } from '../support/catalog-database.ts'
import type { ImporterClient } from '../support/importer-client.ts'
import { startImporter } from '../support/importer-client.ts'
import { storeParameters } from '../support/postgis-store.ts'
import { testCluster } from '../support/postgres.ts'
import { runTerrane } from '../support/terrane-process.ts'

const opensslWords = /Unsupported state|authenticate data|ERR_|OSSL/

/** A data directory with a layer in a PostGIS store, whose server has stopped. */
async function dataWithStore(t: TestContext): Promise<{ dataDir: string; password: string }> {
  const dataDir = folderFor(t)
  const url = await (await testCluster()).createDatabase()
  const client = await startImporter(t, { dataDir })
  const { app, admin } = client.server
  const dataStore = { name: 'pg', type: 'PostGIS', connectionParameters: storeParameters(url) }
  const made = await app.inject({
    method: 'POST',
    url: '/rest/workspaces/default/datastores',
    headers: admin,
    payload: { dataStore },
  })
  assert.equal(made.statusCode, 201, made.body)
  const target = { targetStore: { dataStore: { name: 'pg' } } }
  const { json } = await client.call('POST', '', { import: target })
  const id = Number(json.import?.id)
  const content = JSON.stringify(feature({ n: 1 }))
  assert.equal((await client.upload(id, [{ name: 'places.ndjson', content }])).status, 201)
  assert.equal((await client.call('POST', `/${id}`)).status, 204)
  await client.server.close()
  return { dataDir, password: new URL(url).password }
}

/** Starts the server again on the data. Returns its log. */
async function startAgain(
  t: TestContext,
  dataDir: string,
): Promise<{ client: ImporterClient; log: string[] }> {
  const log: string[] = []
  const sink = { write: (line: string) => void log.push(line) }
  return { client: await startImporter(t, { dataDir, log: pino({ level: 'warn' }, sink) }), log }
}

async function read({ server }: ImporterClient, url: string) {
  return server.app.inject({ url, headers: server.admin })
}

const refused =
  /The key file \S+secret\.key in the data directory \(TERRANE_DATA\) is not the key .*terrane key adopt/

async function adopt(t: TestContext, env: Record<string, string>): Promise<void> {
  const { code, stdout, stderr } = await runTerrane(t, ['key', 'adopt'], env)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /is used with \S+secret\.key from now on/)
}

/** A folder for data, removed after the test. */
function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-key-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const items = '/ogc/collections/default:places/items'

describe('the key that encrypts stored passwords', () => {
  for (const [fault, change] of [
    ['missing', (path: string) => rmSync(path)],
    ['another', (path: string) => writeFileSync(path, `${randomBytes(32).toString('hex')}\n`)],
  ] as const) {
    it(`that is ${fault} is refused at the start until it is adopted, then named by requests, and mended by setting the password again`, {
      timeout: 600_000,
    }, async (t) => {
      const { dataDir, password } = await dataWithStore(t)
      change(join(dataDir, 'secret.key'))
      await assert.rejects(startAgain(t, dataDir), (error: Error) => {
        assert.match(error.message, refused)
        assert.doesNotMatch(error.message, opensslWords)
        return true
      })
      await adopt(t, { TERRANE_DATA: dataDir })
      const { client, log } = await startAgain(t, dataDir)
      const named =
        /The password of store "default:pg" cannot be decrypted: the file "secret\.key" in the data directory.*terrane stores change default:pg --parameter passwd=VALUE/
      assert.match(log.join(''), /store \\"default:pg\\" cannot be decrypted/)
      for (const url of [
        items,
        '/wfs?SERVICE=WFS&VERSION=2.0.0&REQUEST=GetFeature&TYPENAMES=default:places',
        '/tiles/default:places/0/0/0.mvt',
      ]) {
        const reply = await read(client, url)
        assert.equal(reply.statusCode, 503, `${url}: ${reply.body}`)
        assert.ok(Number(reply.headers['retry-after']) > 0, url)
        assert.match(reply.body.replaceAll('\\"', '"').replaceAll('&quot;', '"'), named)
        assert.doesNotMatch(reply.body, opensslWords)
      }
      assert.equal((await read(client, items)).json().code, 'wrong-secret-key')
      assert.equal((await read(client, '/rest/layers')).statusCode, 200)
      const change2 = async (passwd: string) =>
        client.server.app.inject({
          method: 'PUT',
          url: '/rest/workspaces/default/datastores/pg',
          headers: client.server.admin,
          payload: { dataStore: { connectionParameters: { passwd } } },
        })
      assert.equal((await change2('wrong')).statusCode, 400)
      const corrected = await change2(password)
      assert.equal(corrected.statusCode, 200, corrected.body)
      const reply = await read(client, items)
      assert.equal(reply.statusCode, 200, reply.body)
    })
  }

  it('that is restored from the backup is used again', { timeout: 600_000 }, async (t) => {
    const { dataDir } = await dataWithStore(t)
    const path = join(dataDir, 'secret.key')
    const backup = readFileSync(path)
    rmSync(path)
    await assert.rejects(startAgain(t, dataDir), refused)
    writeFileSync(path, backup)
    const restored = await startAgain(t, dataDir)
    assert.deepEqual(
      restored.log.filter((line) => line.includes('decrypted')),
      [],
    )
    assert.equal((await read(restored.client, items)).statusCode, 200)
  })

  it('is the same for all servers of a catalogue', { timeout: 600_000 }, async (t) => {
    const env = { TERRANE_DATABASE_URL: await createCatalogDatabase() }
    const folders = [folderFor(t), folderFor(t)] as const
    const first = await createTestApp({ env, dataDir: folders[0] })
    t.after(() => first.close())
    await assert.rejects(createTestApp({ env, dataDir: folders[1] }), (error: Error) => {
      assert.match(error.message, refused)
      assert.match(error.message, /TERRANE_DATABASE_URL.* Copy secret\.key/)
      return true
    })
    copyFileSync(join(folders[0], 'secret.key'), join(folders[1], 'secret.key'))
    // Servers of a catalogue share their files, which have an id.
    copyFileSync(join(folders[0], 'files.id'), join(folders[1], 'files.id'))
    await (await createTestApp({ env, dataDir: folders[1] })).close()
  })

  for (const [catalogue, environment] of [
    ['SQLite', async () => ({})],
    ['PostgreSQL', async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() })],
  ] as const)
    it(`is recorded in an older catalogue on ${catalogue} by a server that can decrypt its passwords`, {
      timeout: 600_000,
    }, async (t) => {
      const dataDir = folderFor(t)
      const env = await environment()
      const path = join(dataDir, 'secret.key')
      const url = await (await testCluster()).createDatabase()
      const server = await createTestApp({ env, dataDir })
      const dataStore = { name: 'pg', type: 'PostGIS', connectionParameters: storeParameters(url) }
      const made = await server.app.inject({
        method: 'POST',
        url: '/rest/workspaces/default/datastores',
        headers: server.admin,
        payload: { dataStore },
      })
      assert.equal(made.statusCode, 201, made.body)
      const setting = 'secret-key-fingerprint'
      const forget = () => server.database.kysely.deleteFrom('settings').where('name', '=', setting).execute()
      const [{ numDeletedRows } = {}] = await forget()
      assert.equal(Number(numDeletedRows), 1)
      await server.close()
      const right = readFileSync(path)
      writeFileSync(path, `${randomBytes(32).toString('hex')}\n`)
      // The wrong key must not become that of the catalogue only because its server starts first.
      await assert.rejects(createTestApp({ env, dataDir }), refused)
      writeFileSync(path, right)
      await (await createTestApp({ env, dataDir })).close()
      writeFileSync(path, `${randomBytes(32).toString('hex')}\n`)
      await assert.rejects(createTestApp({ env, dataDir }), refused)
    })
})
