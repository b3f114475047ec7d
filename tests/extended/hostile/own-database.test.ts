import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Gate } from '../../support/gate.ts'
import { startGate } from '../../support/gate.ts'
import type { Victim } from '../../support/hostile.ts'
import { startVictim } from '../../support/hostile.ts'
import { runSql, startPostgres, testCluster } from '../../support/postgres.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { patience } from '../../support/until.ts'

const rows = 150_000

/** Starts a server whose catalogue and default store are in a PostgreSQL behind a gate. */
async function startBehindGate(
  test: TestContext,
  url: string,
): Promise<{ victim: Victim; gate: Gate; password: string }> {
  const address = new URL(url)
  const gate = await startGate(test, Number(address.port))
  const { password } = address
  address.port = String(gate.port)
  const victim = await startVictim(test, temporaryData(test), { TERRANE_DATABASE_URL: address.href })
  return { victim, gate, password }
}

async function prepareLoad(victim: Victim): Promise<number> {
  const id = await victim.newImport()
  const lines = Array.from({ length: rows }, (_, at) =>
    JSON.stringify({
      type: 'Feature',
      properties: { at },
      geometry: { type: 'Point', coordinates: [at % 180, at % 90] },
    }),
  )
  const uploaded = await victim.upload(id, [{ name: 'many.ndjson', content: lines.join('\n') }])
  assert.equal(uploaded.status, 201, uploaded.text)
  return id
}

async function whenLoading(victim: Victim, id: number): Promise<void> {
  for (const hasTime = patience(); hasTime(); ) {
    const { json } = await victim.call('GET', `/${id}/tasks/0/progress`)
    if (Number(json.progress) > 0) return
    await sleep(2)
  }
  assert.fail('the load did not begin')
}

/** Begins a run and waits until it loads. */
async function runUntilItLoads(victim: Victim, id: number): Promise<void> {
  const begun = await victim.call('POST', `/${id}?async=true`)
  assert.ok(begun.status < 300, begun.text)
  await whenLoading(victim, id)
}

/** The import's end, however often it has to be run. */
async function finish(victim: Victim, id: number): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { state } = await victim.server.importIn(id, ['COMPLETE', 'COMPLETE_ERROR', 'PENDING'])
    if (String(state) === 'COMPLETE') return
    await victim.call('POST', `/${id}`)
  }
  assert.fail('the import did not become COMPLETE')
}

async function assertLoadedOnce(victim: Victim): Promise<void> {
  const items = await victim.send('GET', '/ogc/collections/default:many/items?limit=1')
  assert.equal(items.status, 200, items.text)
  assert.equal(items.json.numberMatched, rows)
  const { json } = await victim.send('GET', '/ogc/collections')
  assert.equal((json.collections as unknown as object[]).length, 1, JSON.stringify(json))
}

describe('a server whose own database goes away in the middle of a load', () => {
  it('answers 503 with what to do, lives, and ends the import once it is back, without a restart', async (test) => {
    const cluster = await testCluster()
    const { victim, gate, password } = await startBehindGate(test, await cluster.createDatabase())
    const id = await prepareLoad(victim)
    const run = victim.call('POST', `/${id}`)
    await whenLoading(victim, id)
    gate.shut()
    const ended = await run
    assert.equal(ended.status, 503, ended.text)
    for (const [method, path] of [
      ['GET', `/rest/imports/${id}`],
      ['POST', '/rest/imports'],
      ['GET', '/ogc/collections'],
      ['POST', '/rest/workspaces'],
    ] as const) {
      const refused = await victim.send(method, path)
      assert.equal(refused.status, 503, `${method} ${path}: ${refused.text}`)
      assert.equal(refused.json.code, 'database-away')
      assert.match(refused.text, /database of the server cannot be reached: try again/)
      assert.doesNotMatch(refused.text, /127\.0\.0\.1|ECONN/)
    }
    assert.equal((await fetch(`${victim.server.url}/health`)).status, 200)
    await gate.open()
    await finish(victim, id)
    await assertLoadedOnce(victim)
    assert.doesNotMatch(await victim.log(), new RegExp(password))
  })

  it('takes connections anew after PostgreSQL lost a process to SIGKILL, idle and under load', async (test) => {
    const cluster = await startPostgres({ isDurable: true })
    test.after(() => cluster.stop())
    const url = await cluster.createDatabase()
    const victim = await startVictim(test, temporaryData(test), { TERRANE_DATABASE_URL: url })
    /** Returns when PostgreSQL has ended its other processes too, recovered, and takes connections. */
    const killOne = async (): Promise<void> => {
      const witness = new Client({ connectionString: cluster.url('postgres') })
      await witness.connect()
      const ended = new Promise((resolve) => witness.once('end', resolve).on('error', resolve))
      const name = new URL(url).pathname.slice(1)
      const sql = `select pid from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`
      const [found] = await runSql(cluster.url('postgres'), sql)
      process.kill(Number(found?.pid), 'SIGKILL')
      await ended
      await whenBack(url)
    }
    const id = await prepareLoad(victim)
    await killOne()
    await runUntilItLoads(victim, id)
    await killOne()
    await finish(victim, id)
    await assertLoadedOnce(victim)
  })
})

async function whenBack(url: string): Promise<void> {
  for (const hasTime = patience(); hasTime(); ) {
    try {
      await runSql(url, 'select 1')
      return
    } catch {
      await sleep(50)
    }
  }
  assert.fail('PostgreSQL did not come back')
}
