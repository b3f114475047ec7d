import { after, before, describe, it } from 'node:test'
import { assertComplete, assertExact, beginImports, startFaultCluster } from '../../support/fault-cluster.ts'
import type { OwnCluster } from '../../support/postgres.ts'
import { startPostgres } from '../../support/postgres.ts'
import { startStandby } from '../../support/postgres-standby.ts'
import { until } from '../../support/until.ts'

let cluster: OwnCluster
before(async () => {
  cluster = await startPostgres({ isDurable: true })
})
after(() => cluster.stop())

describe('two servers of a catalogue whose PostgreSQL fails over to a synchronous standby', () => {
  it('finish three imports, each row once', async (t) => {
    const place = await startFaultCluster(t, cluster, { isSecondProxied: true })
    const standby = await startStandby(t, cluster.url('postgres'))
    const ids = await beginImports(place.first)
    await cluster.halt()
    await until(async () => (await place.second.call('GET', '/health/ready')).status === 503)
    standby.promote()
    place.proxy.redirect(standby.port)
    await assertComplete(place.second, ids)
    const databaseUrl = place.proxy.url(place.databaseUrl)
    await assertExact({ databaseUrl }, [place.first, place.second], ids.length)
  })
})
