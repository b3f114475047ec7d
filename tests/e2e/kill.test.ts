import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { basicAuth } from '../support/app.ts'
import { testCluster } from '../support/postgres.ts'
import type { RunningProcess } from '../support/terrane-process.ts'
import { startTerrane, temporaryData } from '../support/terrane-process.ts'

const kills = 20
const sizes = [30_000, 40_000] as const
/** A load takes about this long; moments to kill at are drawn from it. */
const loadMs = 900
const password = 'kill-test-password'
const credentials = basicAuth('admin', password)

/** Random but the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function writePoints(folder: string, count: number): void {
  const lines = Array.from(
    { length: count },
    (_, row) =>
      `{"type":"Feature","properties":{"row":${row}},"geometry":{"type":"Point","coordinates":[${row % 180},${row % 90}]}}`,
  )
  mkdirSync(join(folder, String(count)), { recursive: true })
  const text = `{"type":"FeatureCollection","features":[\n${lines.join(',\n')}\n]}\n`
  writeFileSync(join(folder, String(count), 'points.geojson'), text)
}

interface Server {
  process: RunningProcess
  call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; json: Record<string, unknown> }>
}

async function startServer(test: TestContext, dataDir: string): Promise<Server> {
  const process = startTerrane(test, ['serve'], {
    TERRANE_DATA: dataDir,
    TERRANE_PORT: '0',
    TERRANE_SAMPLE: 'off',
    TERRANE_LOADS: '1',
    TERRANE_LOG: 'silent',
    TERRANE_ADMIN_PASSWORD: password,
  })
  const url = (await process.line(/ready at/)).replace(/.*ready at\s+/, '').trim()
  return {
    process,
    call: async (method, path, body) => {
      const reply = await fetch(`${url.replace(/\/$/, '')}/rest${path}`, {
        method,
        headers: { ...credentials, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      return { status: reply.status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
    },
  }
}

async function finalState(server: Server, importId: number): Promise<string> {
  for (let tries = 0; tries < 1000; tries += 1) {
    const { json } = await server.call('GET', `/imports/${importId}`)
    const { state } = json.import as { state: string }
    if (!['INIT', 'RUNNING'].includes(state)) return state
    await delay(20)
  }
  return assert.fail(`import ${importId} does not come to an end`)
}

async function beginReplace(server: Server, size: number): Promise<number> {
  const created = await server.call('POST', '/imports', {
    import: {
      targetWorkspace: { workspace: { name: 'w' } },
      targetStore: { dataStore: { name: 'target' } },
      data: { type: 'file', file: `${size}/points.geojson` },
    },
  })
  const { id } = created.json.import as { id: number }
  await server.call('PUT', `/imports/${id}/tasks/0`, { task: { updateMode: 'REPLACE' } })
  const run = await server.call('POST', `/imports/${id}?async=true`)
  assert.equal(run.status, 204)
  return id
}

interface Target {
  type: string
  parameters: Record<string, string>
  /** Rows of the table and names of all tables, read beside the server. */
  look(dataDir: string): Promise<{ rows: number; tables: string[] }>
}

async function postgisTarget(): Promise<Target> {
  const url = new URL(await (await testCluster()).createDatabase())
  const [host, port, database, user, passwd] = [
    url.hostname,
    url.port,
    url.pathname.slice(1),
    url.username,
    url.password,
  ]
  return {
    type: 'PostGIS',
    parameters: { dbtype: 'postgis', host, port, database, user, passwd, schema: 'public' },
    look: async () => {
      const client = new pg.Client({ connectionString: url.href })
      await client.connect()
      try {
        const { rows } = await client.query<{ n: string }>('select count(*) as n from points')
        const tables = await client.query<{ t: string }>(
          "select tablename as t from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
        )
        return { rows: Number(rows[0]?.n), tables: tables.rows.map(({ t }) => t).sort() }
      } finally {
        await client.end()
      }
    },
  }
}

const geopackageTarget: Target = {
  type: 'GeoPackage',
  parameters: {},
  look: async (dataDir) => {
    const folder = join(dataDir, 'stores')
    const file = readdirSync(folder, { recursive: true })
      .map(String)
      .find((name) => name.endsWith('target.gpkg'))
    const db = new DatabaseSync(join(folder, file ?? ''))
    try {
      const { n } = db.prepare('select count(*) as n from points').get() as { n: number }
      const check = db.prepare('pragma integrity_check').get() as { integrity_check: string }
      assert.equal(check.integrity_check, 'ok')
      const tables = db.prepare('select table_name as t from gpkg_contents').all() as { t: string }[]
      const beside = readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => !/-(wal|shm)$/.test(name))
      return { rows: n, tables: [...tables.map(({ t }) => t), ...beside].sort() }
    } finally {
      db.close()
    }
  },
}

async function killAgainAndAgain(test: TestContext, target: Target, seed: number): Promise<void> {
  const dataDir = temporaryData(test)
  const random = createRandom(seed)
  for (const size of sizes) writePoints(join(dataDir, 'incoming'), size)
  let server = await startServer(test, dataDir)
  await server.call('POST', '/workspaces', { workspace: { name: 'w' } })
  const store = { name: 'target', type: target.type, connectionParameters: target.parameters }
  assert.equal((await server.call('POST', '/workspaces/w/datastores', { dataStore: store })).status, 201)
  let [rows, wanted]: [number, number] = [sizes[1], sizes[0]]
  assert.equal(await finalState(server, await beginReplace(server, rows)), 'COMPLETE')
  const { tables } = await target.look(dataDir)
  for (let kill = 0; kill < kills; kill += 1) {
    const importId = await beginReplace(server, wanted)
    await delay(random() * loadMs)
    server.process.signal('SIGKILL')
    await server.process.ended
    const left = await target.look(dataDir)
    assert.ok([rows, wanted].includes(left.rows), `${left.rows} rows after kill ${kill}`)
    server = await startServer(test, dataDir)
    assert.equal(await finalState(server, importId), 'COMPLETE')
    const settled = await target.look(dataDir)
    assert.deepEqual(settled, { rows: wanted, tables })
    ;[rows, wanted] = [wanted, rows]
  }
  server.process.signal('SIGTERM')
  await server.process.ended
}

describe('a server that is killed at random moments of a load', { concurrency: true }, () => {
  it('leaves the old or the new rows in a GeoPackage and ends the import by itself', (test) =>
    killAgainAndAgain(test, geopackageTarget, 1))

  it('leaves the old or the new rows in PostGIS and ends the import by itself', async (test) =>
    killAgainAndAgain(test, await postgisTarget(), 2))
})
