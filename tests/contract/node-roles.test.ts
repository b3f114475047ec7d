import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basicAuth, createTestApp, type TestApp } from '../support/app.ts'
import { createCatalogDatabase } from '../support/catalog-database.ts'
import { temporaryData } from '../support/terrane-process.ts'
import { until } from '../support/until.ts'
import { importPoints, type Points } from '../support/versioned-layers.ts'

const points: Points = [
  ['a', 7, 51],
  ['b', 8, 52],
]

describe('servers with one role each', () => {
  let serving: TestApp
  let working: TestApp
  const closers: (() => unknown)[] = []

  before(async () => {
    const env = { TERRANE_DATABASE_URL: await createCatalogDatabase() }
    const dataDir = temporaryData({ after: (close) => void closers.push(close) })
    serving = await createTestApp({ env: { ...env, TERRANE_ROLES: 'serve' }, dataDir })
    working = await createTestApp({ env: { ...env, TERRANE_ROLES: 'work' }, dataDir })
  })

  after(async () => {
    await working.close()
    await serving.close()
    for (const close of closers.reverse()) await close()
  })

  async function get(server: TestApp, url: string) {
    return server.app.inject({ url, headers: server.admin })
  }

  it('are listed with their roles', async () => {
    const { nodes } = (await get(serving, '/rest/nodes')).json<{ nodes: { roles: string[] }[] }>()
    assert.deepEqual(
      nodes.map(({ roles }) => roles),
      [['serve'], ['work']],
    )
  })

  it('answer requests, or only /health and /metrics', async () => {
    assert.equal((await get(serving, '/rest/layers')).statusCode, 200)
    assert.equal((await get(working, '/health')).statusCode, 200)
    assert.equal((await get(working, '/metrics')).statusCode, 200)
    for (const url of ['/rest/layers', '/ogc/collections', '/', '/healthy', '/metrics/x']) {
      const reply = await get(working, url)
      assert.deepEqual([reply.statusCode, reply.json<{ code: string }>().code], [404, 'unknown-path'], url)
    }
  })

  it('import and make files of what is requested at another server', async () => {
    await importPoints(serving, { name: 'shared', points })
    assert.equal(working.importer.workload().running, 0)
    const reply = await serving.app.inject({
      method: 'POST',
      url: '/rest/layers/default:shared/exports',
      headers: serving.admin,
      payload: { export: { format: 'pmtiles', maxZoom: 2 } },
    })
    assert.equal(reply.statusCode, 202, reply.body)
    const { id } = reply.json<{ download: { id: string } }>().download
    const state = async (): Promise<string> =>
      (await get(serving, `/rest/downloads/${id}`)).json<{ download: { state: string } }>().download.state
    await until(async () => (await state()) === 'COMPLETE')
    assert.equal((await get(serving, `/rest/downloads/${id}/file`)).statusCode, 200)
  })

  it('hear of changes at others once, also of those made while they were not connected', async () => {
    const heard: string[] = []
    const stop = working.events.onEveryServer('layer.published', ({ layer }) => void heard.push(layer))
    const own = working.events.on('layer.published', () => assert.fail('it is not a change of this server'))
    const { kysely } = serving.database
    const publish = (layer: string) =>
      serving.events.record(kysely, {
        name: 'layer.published',
        fact: { workspace: 'default', layer, mode: 'REPLACE', rows: 1 },
      })
    await publish('first')
    await until(() => heard.length === 1)
    const { sql } = await import('kysely')
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'terrane broadcast'`.execute(kysely)
    await publish('second')
    await until(() => heard.length === 2)
    await publish('third')
    await until(() => heard.length === 3)
    assert.deepEqual(heard, ['first', 'second', 'third'])
    stop()
    own()
  })

  it('count failed logins together', async () => {
    const other = await createTestApp({
      env: { TERRANE_DATABASE_URL: serving.settings.databaseUrl?.reveal() ?? '' },
      dataDir: serving.dataDir,
    })
    try {
      const logIn = (server: TestApp) =>
        server.app.inject({ url: '/rest/layers', headers: basicAuth('admin', 'wrong') })
      const codes: number[] = []
      for (const server of [serving, other, serving, other, serving, other, serving, other])
        codes.push((await logIn(server)).statusCode)
      assert.deepEqual(codes.slice(0, 5), [401, 401, 401, 401, 401])
      assert.ok(codes.includes(429), codes.join())
    } finally {
      await other.close()
    }
  })
})
