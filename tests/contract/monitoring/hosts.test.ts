import assert from 'node:assert/strict'
import { readFileSync, statfsSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import type { HostWatch } from '../../support/host-series.ts'
import { seriesKinds, seriesPlace, watchHost } from '../../support/host-series.ts'
import { startNodeExporter } from '../../support/prometheus.ts'
import { startWebServer } from '../../support/web-server.ts'

const start = Date.parse('2026-03-01T00:00:10Z')
const minute = 60_000
/** The user `prom` with the password `exporter-password`. */
const user = { name: 'prom', hash: '$2b$04$abcdefghijklmnopqrstuuWjNi3bSu1aPsJxoRqWpQN2vGtNLdvVq' }

async function sumsOf(watch: HostWatch, metric: string): Promise<number[]> {
  return (await watch.rows(metric)).map(({ sum }) => sum)
}

async function only(watch: HostWatch, metric: string, label = 'value'): Promise<number> {
  const rows = (await watch.rows(metric)).filter((row) => row.label === label)
  assert.equal(rows.length, 1, `${metric} ${label}`)
  return rows[0]?.sum ?? Number.NaN
}

function near(actual: number, expected: number, share: number): void {
  assert.ok(Math.abs(actual - expected) <= share * Math.abs(expected), `${actual} is not near ${expected}`)
}

/** Asserts the values that both ways of watching this machine must agree on. */
async function assertIsThisMachine(watch: HostWatch): Promise<void> {
  const { bsize, blocks, bavail } = statfsSync('/')
  assert.equal(await only(watch, 'mem.all'), totalmem())
  const [free, used] = [await only(watch, 'mem.free'), await only(watch, 'mem.usage')]
  assert.equal(free + used, totalmem())
  near(await only(watch, 'mem.usage.percent'), (100 * used) / totalmem(), 1e-6)
  assert.equal(await only(watch, 'storage.total', '/'), blocks * bsize)
  near(await only(watch, 'storage.free', '/'), bavail * bsize, 0.05)
  near(await only(watch, 'uptime'), Number.parseFloat(readFileSync('/proc/uptime', 'utf8')), 0.01)
  assert.ok((await only(watch, 'load.1m')) < 1000)
}

/** A node exporter whose counters the test sets. */
async function startCounters(test: TestContext) {
  const counters = { received: 1000, sent: 500, busy: 100, idle: 900, boot: 1000, time: 5000 }
  const url = await startWebServer(test, (_, response) =>
    response.end(`node_network_receive_bytes_total{device="eth0"} ${counters.received}
node_network_transmit_bytes_total{device="eth0"} ${counters.sent}
node_cpu_seconds_total{cpu="0",mode="user"} ${counters.busy}
node_cpu_seconds_total{cpu="0",mode="idle"} ${counters.idle}
node_boot_time_seconds ${counters.boot}
node_time_seconds ${counters.time}
`),
  )
  const pass = (received: number): void => {
    Object.assign(counters, { received: counters.received + received, time: counters.time + 60 })
  }
  return { source: { kind: 'node-exporter', url } as const, counters, pass }
}

for (const kind of seriesKinds) {
  describe(`hosts in a series in ${kind}`, () => {
    it('are this machine by /proc', async (test) => {
      const watch = await watchHost(await seriesPlace(test, kind), { kind: 'own' })
      await watch.collect(start)
      await assertIsThisMachine(watch)
      assert.deepEqual(await watch.rows('cpu.usage'), [])
      await watch.collect(start + minute)
      const used = await only(watch, 'cpu.usage', 'count')
      assert.ok(used >= 0 && used < 100 * cpus().length, String(used))
      await watch.close()
    })

    it('are this machine by a node exporter that wants a password', async (test) => {
      const url = await startNodeExporter(test, { user })
      const source = { kind: 'node-exporter', url, user: user.name, password: 'exporter-password' } as const
      const watch = await watchHost(await seriesPlace(test, kind), source)
      await watch.collect(start)
      await assertIsThisMachine(watch)
      assert.deepEqual(await watch.rows('network.in'), [])
      await watch.collect(start + minute)
      const lines = readFileSync('/proc/net/dev', 'utf8').split('\n').slice(2)
      const interfaces = lines
        .map((line) => line.split(':')[0]?.trim() ?? '')
        .filter((name) => /^(e|w)/.test(name))
      const labels = (await watch.rows('network.in')).map(({ label }) => label)
      for (const name of interfaces) assert.ok(labels.includes(name), name)
      assert.ok(!labels.includes('lo'))
      await watch.close()
    })

    it('neither lose nor double an amount when the reader is restarted between readings', async (test) => {
      const { source, pass } = await startCounters(test)
      const place = await seriesPlace(test, kind)
      for (let reading = 0; reading < 4; reading += 1) {
        const watch = await watchHost(place, source)
        await watch.collect(start + reading * minute)
        await watch.close()
        pass(600)
      }
      const watch = await watchHost(place, source)
      assert.deepEqual(await sumsOf(watch, 'network.in'), [600, 600, 600])
      assert.deepEqual(await sumsOf(watch, 'network.in.rate'), [10, 10, 10])
      await watch.close()
    })

    it('put what passed in a gap into the minute of the reading after it', async (test) => {
      const { source, counters, pass } = await startCounters(test)
      const watch = await watchHost(await seriesPlace(test, kind), source)
      await watch.collect(start)
      pass(7200)
      counters.time += 7140
      await watch.collect(start + 120 * minute)
      const [row, ...more] = await watch.rows('network.in')
      assert.deepEqual(more, [])
      assert.equal(row?.sum, 7200)
      assert.equal(row?.period, (start - 10_000) / 1000 + 7200)
      assert.deepEqual(await sumsOf(watch, 'network.in.rate'), [1])
      await watch.close()
    })

    it('count from 0 after a restart of the host, and never less than nothing', async (test) => {
      const { source, counters } = await startCounters(test)
      const watch = await watchHost(await seriesPlace(test, kind), source)
      await watch.collect(start)
      Object.assign(counters, { received: 70, sent: 800, busy: 3, idle: 9, boot: 5050, time: 5062 })
      await watch.collect(start + minute)
      assert.deepEqual(await sumsOf(watch, 'network.in'), [70])
      assert.deepEqual(await sumsOf(watch, 'network.out'), [800])
      assert.deepEqual(await sumsOf(watch, 'cpu.usage'), [3])
      assert.deepEqual(await sumsOf(watch, 'cpu.usage.percent'), [25])
      await watch.close()
    })

    it('count once what two servers read at the same time', async (test) => {
      const { source, pass } = await startCounters(test)
      const place = await seriesPlace(test, kind)
      const watches = [await watchHost(place, source), await watchHost(place, source)]
      for (let reading = 0; reading < 4; reading += 1) {
        await Promise.all(watches.map((watch) => watch.collect(start + reading * minute)))
        pass(600)
      }
      const [watch] = watches
      const sums = watch === undefined ? [] : await sumsOf(watch, 'network.in')
      assert.equal(
        sums.reduce((all, one) => all + one, 0),
        1800,
      )
      for (const one of watches) await one.close()
    })
  })
}
