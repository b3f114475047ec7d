import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { fillDisk } from '../../support/fill-disk.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { Victim } from '../../support/hostile.ts'
import { smallDisk, startVictim } from '../../support/hostile.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { readRequestLog } from '../../support/request-log.ts'

const diskMegabytes = 24

/** Waits until `/health` reports this status of monitoring. */
async function untilHealth(victim: Victim, status: string): Promise<string[]> {
  for (;;) {
    const { json } = await victim.send('GET', '/health')
    assert.equal(String(json.status), 'ok')
    if (String(json.monitoring?.status) === status) return json.monitoring?.problems as unknown as string[]
    await sleep(100)
  }
}

async function untilOk(app: TestApp): Promise<void> {
  for (;;) {
    await app.monitoring?.catchUp()
    if (app.monitoring?.health().status === 'ok') return
    await sleep(100)
  }
}

describe('monitoring on a full disk', () => {
  it('says so, fails no request, and records all of them once there is room', async (test) => {
    const disk = await smallDisk(test, diskMegabytes)
    if (disk === undefined) return
    const victim = await startVictim(test, disk)
    const browse = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) {
        assert.equal((await victim.send('GET', '/ogc/collections')).status, 200)
      }
    }
    await browse(3)
    await untilHealth(victim, 'ok')
    const makeRoom = fillDisk(victim.dataDir)
    const agent = 'x'.repeat(400)
    for (let at = 0; at < 300; at += 1) {
      const reply = await fetch(`${victim.server.url}/ogc`, { headers: { 'user-agent': `${at} ${agent}` } })
      assert.equal(reply.status, 200)
      await reply.text()
    }
    const problems = await untilHealth(victim, 'degraded')
    assert.ok(problems.includes('Requests wait to be recorded'), problems.join())
    await browse(4)
    makeRoom()
    await untilHealth(victim, 'ok')
    await victim.log()
    const requests = await readRequestLog({ path: join(victim.dataDir, 'monitoring.sqlite') })
    const count = (path: string): number => requests.filter(({ texts }) => texts.path === path).length
    assert.equal(count('/ogc/collections'), 7)
    assert.equal(count('/ogc'), 300)
  })
})

describe('monitoring while PostgreSQL is away', () => {
  it('says so, fails no request, and records all of them once it is back', async (test) => {
    const cluster = await testCluster()
    const url = await cluster.createDatabase()
    const name = new URL(url).pathname.slice(1)
    const app = await createTestApp({ env: { TERRANE_MONITORING: 'on', TERRANE_DATABASE_URL: url } })
    test.after(() => app.close())
    const setOpen = async (isOpen: boolean): Promise<void> => {
      const server = cluster.url('postgres')
      await runSql(server, `alter database ${name} with allow_connections ${isOpen}`)
      if (!isOpen)
        await runSql(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          name,
        ])
    }
    const browse = async (): Promise<void> => {
      for (let at = 0; at < 5; at += 1) assert.equal((await app.app.inject('/nowhere')).statusCode, 404)
    }
    await browse()
    await untilOk(app)
    await setOpen(false)
    await browse()
    await app.monitoring?.catchUp()
    const { monitoring, status } = (await app.app.inject('/health')).json()
    assert.equal(status, 'ok')
    assert.equal(monitoring.status, 'degraded')
    assert.ok(monitoring.problems.includes('Requests wait to be recorded'), monitoring.problems.join())
    assert.doesNotMatch(JSON.stringify(monitoring), new RegExp(new URL(url).password))
    await browse()
    await setOpen(true)
    await untilOk(app)
    const requests = await readRequestLog({ url })
    assert.equal(requests.filter(({ texts }) => texts.path === '/nowhere').length, 15)
  })
})

describe('monitoring when the clock jumps', () => {
  it('goes on, and counts each request in the minute that the clock said', async (test) => {
    const clock = fixedClock('2026-11-21T12:00:10Z')
    const app = await createTestApp({ env: { TERRANE_MONITORING: 'on' }, clock })
    test.after(() => app.close())
    const step = async (milliseconds: number): Promise<void> => {
      clock.advance(milliseconds)
      await app.app.inject('/nowhere')
      await app.monitoring?.catchUp()
      assert.deepEqual(app.monitoring?.health(), { status: 'ok', problems: [] })
    }
    await step(0)
    await step(86_400_000)
    await step(-90_000_000)
    await step(3_600_000)
    clock.advance(60_000)
    await app.monitoring?.catchUp()
    const requests = await readRequestLog({ path: join(app.dataDir, 'monitoring.sqlite') })
    assert.equal(requests.length, 4)
    const reply = await app.app.inject({
      url: '/monitoring/api/metric_data/request.count/?valid_from=2026-11-21T12:00:00Z&valid_to=2026-11-21T12:01:00Z',
      headers: app.admin,
    })
    assert.equal(reply.json().data.data[0].data[0].val, '2.0000', reply.body)
  })
})
