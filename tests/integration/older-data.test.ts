import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { TestApp } from '../support/app.ts'
import { basicAuth, createTestApp } from '../support/app.ts'
import { fixedClock } from '../support/fixed-clock.ts'
import { runSql, testCluster } from '../support/postgres.ts'
import { importPoints, versionOf } from '../support/versioned-layers.ts'

const fixtures = 'tests/fixtures/older-data'
const role = { name: 'terrane_older', password: 'terrane-older-password' }
const now = '2026-01-01T12:10:00.000Z'

function unpack(test: TestContext, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-older-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-xzf', join(fixtures, `${name}.tar.gz`), '-C', folder])
  return folder
}

/** The catalogue names files by where they were. */
const movedColumns = [
  ['stores', 'parameters'],
  ['imports', 'document'],
  ['tasks', 'document'],
  ['granules', 'document'],
]

async function openEmbedded(test: TestContext): Promise<TestApp> {
  const dataDir = unpack(test, 'sqlite')
  const db = new DatabaseSync(join(dataDir, 'terrane.sqlite'))
  for (const [table, column] of movedColumns)
    db.prepare(`UPDATE ${table} SET ${column} = replace(${column}, ?, ?)`).run(
      '/tmp/terrane-older-data-sqlite',
      dataDir,
    )
  db.close()
  return createTestApp({ dataDir, clock: fixedClock(now), env: { TERRANE_MONITORING: 'on' } })
}

async function openPostgres(test: TestContext): Promise<TestApp> {
  const dataDir = unpack(test, 'postgres')
  const cluster = await testCluster()
  const database = await cluster.createDatabase()
  test.after(() => cluster.dropDatabase(database))
  await runSql(
    database,
    `do $$ begin create role ${role.name} login superuser password '${role.password}';
     exception when duplicate_object or unique_violation then null; end $$`,
  )
  const url = Object.assign(new URL(database), { username: role.name, password: role.password })
  execFileSync('psql', ['-qX', '-v', 'ON_ERROR_STOP=1', '-d', url.href], {
    input: gunzipSync(readFileSync(join(fixtures, 'postgres.sql.gz'))),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const place = JSON.stringify({ port: url.port, database: url.pathname.slice(1) })
  await runSql(
    database,
    `update stores set parameters = jsonb_set(parameters::jsonb, '{shown}',
       (parameters::jsonb -> 'shown') || '${place}'::jsonb)::text where type = 'PostGIS'`,
  )
  for (const [table, column] of movedColumns)
    await runSql(
      database,
      `update ${table} set ${column} = replace(${column}, '/tmp/terrane-older-data-postgres', '${dataDir}')`,
    )
  return createTestApp({
    dataDir,
    clock: fixedClock(now),
    env: { TERRANE_MONITORING: 'on', TERRANE_DATABASE_URL: url.href },
  })
}

interface Wire {
  layers: { layer: { name: string }[] }
  layer: { title: string; version: number; defaultStyle: { name: string } }
  imports: { id: number; state: string }[]
  import: { state: string }
  numberMatched: number
  features: { properties: object }[]
  data: { data: { data: { val: string }[] }[] }
}

describe('data of the commit before', () => {
  for (const [name, open] of [
    ['SQLite', openEmbedded],
    ['PostgreSQL', openPostgres],
  ] as const) {
    it(`are opened, read, and written to, catalogue in ${name}`, async (test) => {
      const server = await open(test)
      test.after(() => server.close())
      const admin = basicAuth('admin', 'older-admin-password')
      const read = async (url: string, headers: Record<string, string> = admin): Promise<Wire> => {
        const reply = await server.app.inject({ url, headers })
        assert.equal(reply.statusCode, 200, `${url}: ${reply.body}`)
        return reply.json<Wire>()
      }
      // Users, with their passwords, and tokens.
      const { token } = JSON.parse(readFileSync(join(server.dataDir, 'token.json'), 'utf8')) as {
        token: { value: string }
      }
      for (const headers of [
        basicAuth('reader', 'older-reader-password'),
        { authorization: `Bearer ${token.value}` },
      ])
        await read('/rest/layers', headers)
      // The published layers.
      const { layers } = await read('/rest/layers')
      assert.deepEqual(
        layers.layer.map((layer) => layer.name),
        ['city:towns', 'default:towns'],
      )
      const { layer } = await read('/rest/layers/default:towns')
      assert.deepEqual([layer.title, layer.defaultStyle.name, layer.version], ['Older towns', 'red', 1])
      const items = await read('/ogc/collections/default:towns/items')
      assert.equal(items.numberMatched, 3)
      assert.deepEqual(items.features[2]?.properties, { name: 'three', rank: 2 })
      assert.equal((await read('/ogc/collections/city:towns/items', {})).numberMatched, 3)
      // The imports: a complete one, and one that waits.
      const { imports } = await read('/rest/imports')
      assert.deepEqual(
        imports.map(({ state }) => state),
        ['PENDING', 'COMPLETE', 'COMPLETE'],
      )
      const { import: waiting } = await read('/rest/imports/2')
      assert.equal(waiting.state, 'PENDING')
      // The request counts.
      const window = 'valid_from=2026-01-01T12:00:00Z&valid_to=2026-01-01T12:02:00Z&interval=120'
      const { data } = await read(`/monitoring/api/metric_data/request.count/?${window}`)
      assert.ok(Number(data.data[0]?.data[0]?.val) >= 7, JSON.stringify(data))
      // Everything continues to work.
      Object.assign(server.admin, admin)
      await importPoints(server, { name: 'towns', mode: 'APPEND', points: [['four', 4, 2]] })
      assert.equal((await read('/ogc/collections/default:towns/items')).numberMatched, 4)
      assert.equal(await versionOf(server, 'default:towns'), 2)
    })
  }
})
