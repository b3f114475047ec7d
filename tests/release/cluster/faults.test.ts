import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import {
  assertComplete,
  assertExact,
  beginImports,
  keepAsking,
  leaseSeconds,
  startFaultCluster,
} from '../../support/fault-cluster.ts'
import { fillDisk } from '../../support/fill-disk.ts'
import { smallDisk } from '../../support/hostile.ts'
import { listOf } from '../../support/importer-client.ts'
import type { OwnCluster } from '../../support/postgres.ts'
import { startPostgres } from '../../support/postgres.ts'
import { startServer } from '../../support/server.ts'
import { runTerrane } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const fakeTime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
const hourAhead = { LD_PRELOAD: fakeTime, FAKETIME: '+3600s', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
/** Request limit of the servers, with the time limit of a query on a dead connection. */
const limitMs = 80_000

let cluster: OwnCluster
before(async () => {
  // Durable: the server is ended at once, and must keep what was committed.
  cluster = await startPostgres({ isDurable: true })
})
after(() => cluster.stop())

describe('two servers of a catalogue, with three imports on the first', () => {
  it('finish them when the first is killed', async (t) => {
    const place = await startFaultCluster(t, cluster)
    const ids = await beginImports(place.first)
    await place.first.kill()
    await assertComplete(place.second, ids)
    await assertExact(place, [place.second], ids.length)
  })

  it('finish them once when the first is paused and resumes after the second took over', async (t) => {
    const place = await startFaultCluster(t, cluster)
    const ids = await beginImports(place.first)
    place.first.process.signal('SIGSTOP')
    await assertComplete(place.second, ids)
    place.first.process.signal('SIGCONT')
    await until(async () => (await place.first.call('GET', '/health/ready')).status === 200)
    const more = await beginImports(place.first)
    await assertComplete(place.first, more)
    await assertExact(place, [place.first, place.second], ids.length + more.length)
  })

  for (const state of ['cut', 'half-open'] as const) {
    it(`finish them when the database of the first is ${state}, and no request exceeds its limit`, async (t) => {
      const place = await startFaultCluster(t, cluster)
      const ids = await beginImports(place.first)
      const asking = [keepAsking(t, place.first, '/rest/layers'), keepAsking(t, place.second, '/rest/layers')]
      place.proxy.set(state)
      const notReady = until(async () => (await place.first.call('GET', '/health/ready')).status === 503)
      await notReady
      assert.equal((await place.first.call('GET', '/health/live')).status, 200)
      await assertComplete(place.second, ids)
      place.proxy.set('open')
      await until(async () => (await place.first.call('GET', '/health/ready')).status === 200)
      const [first, second] = await Promise.all(asking.map(({ stop }) => stop()))
      assert.ok((first?.longestMs ?? 0) < limitMs, `${first?.longestMs} ms`)
      assert.ok((second?.longestMs ?? 0) < limitMs, `${second?.longestMs} ms`)
      for (const one of [first, second])
        assert.deepEqual(
          [...(one?.statuses ?? [])].filter((status) => ![200, 503].includes(status)),
          [],
        )
      await assertExact(place, [place.first, place.second], ids.length)
    })
  }

  it('finish them over a database that answers late', async (t) => {
    const place = await startFaultCluster(t, cluster)
    place.proxy.set({ delayMs: 30 })
    const ids = await beginImports(place.first)
    await assertComplete(place.second, ids)
    await assertExact(place, [place.first, place.second], ids.length)
  })

  it('finish them with a clock that is an hour off, report it, and take over in time', async (t) => {
    assert.ok(existsSync(fakeTime), 'install the package libfaketime')
    const place = await startFaultCluster(t, cluster, { envOfFirst: hourAhead })
    const { json } = await place.second.call('GET', '/rest/nodes')
    const skewed = listOf(json.nodes).filter(({ problems }) => listOf(problems).length > 0)
    assert.equal(skewed.length, 1)
    assert.ok(Math.abs(Number(skewed[0]?.['clockSkewSeconds']) - 3600) < 60, JSON.stringify(skewed))
    const doctor = await runTerrane(t, ['doctor'], {
      ...place.env,
      TERRANE_DATA: place.dataDir,
      ...hourAhead,
    })
    assert.match(
      doctor.stdout,
      /this clock differs by 3\d\d\d\.\d s .*3\d\d\d s ahead of that of the database/,
    )
    const ids = await beginImports(place.first)
    const isRenewed = place.second.importIn(ids[0] ?? 0, ['COMPLETE'])
    await place.first.kill()
    await isRenewed
    await assertComplete(place.second, ids)
    await assertExact(place, [place.second], ids.length)
  })

  it('finish them when the scratch disk of the first is full', async (t) => {
    const disk = await smallDisk(t, 16)
    if (disk === undefined) return
    const place = await startFaultCluster(t, cluster, { envOfFirst: { TMPDIR: disk } })
    const free = fillDisk(disk)
    const ids = await beginImports(place.first)
    await assertComplete(place.second, ids)
    free()
    await assertExact(place, [place.first, place.second], ids.length)
  })

  it('finish them when PostgreSQL restarts', async (t) => {
    const place = await startFaultCluster(t, cluster)
    const ids = await beginImports(place.first)
    await cluster.halt()
    await until(async () => (await place.second.call('GET', '/health/ready')).status === 503)
    await cluster.resume()
    await assertComplete(place.second, ids)
    await assertExact(place, [place.first, place.second], ids.length)
  })

  it('give them back when the first stops, which first says that it is not ready', async (t) => {
    const place = await startFaultCluster(t, cluster, { envOfFirst: { TERRANE_DRAIN_SECONDS: '3600' } })
    const ids = await beginImports(place.first)
    place.first.process.signal('SIGTERM')
    await until(async () => (await place.first.call('GET', '/health/ready')).status === 503)
    assert.equal((await place.first.call('GET', '/rest/layers')).status, 200)
    place.first.process.signal('SIGKILL')
    await assertComplete(place.second, ids)
    const third = await startServer(t, place.dataDir, place.env)
    const more = await beginImports(third)
    const stopped = third.stop()
    await assertComplete(place.second, more)
    await stopped
    await assertExact(place, [place.second], ids.length + more.length)
    assert.ok(leaseSeconds > 0)
  })
})
