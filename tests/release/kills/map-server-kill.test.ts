import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestApp } from '../../support/app.ts'
import { mapServers, openSockets } from '../../support/map-server-processes.ts'
import { until } from '../../support/until.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const map =
  'service=WMS&version=1.3.0&request=GetMap&styles=&crs=CRS:84&bbox=0,0,5,5&width=64&height=64&format=image/png'

// tests/contract/ows/wms-services.test.ts kills one process.
describe('WMS', () => {
  it('draws on while processes die again and again, and leaves none of them', async (test) => {
    const server = await createTestApp()
    test.after(() => server.close())
    await importPoints(server, { name: 'roads' })
    let isOver = false
    let killed = 0
    const kill = async (): Promise<void> => {
      for (; killed < 40; await sleep(25)) {
        const [one] = mapServers()
        if (one === undefined) continue
        process.kill(one, 'SIGKILL')
        killed += 1
      }
      isOver = true
    }
    const statuses: number[] = []
    const draw = async (): Promise<void> => {
      while (!isOver) {
        const reply = await server.app.inject({
          url: `/wms?${map}&layers=default:roads`,
          headers: server.admin,
        })
        statuses.push(reply.statusCode)
      }
    }
    await Promise.all([kill(), ...Array.from({ length: 16 }, draw)])
    const lost = statuses.filter((status) => status !== 200)
    assert.ok(
      lost.every((status) => status === 503),
      lost.join(),
    )
    // Each was drawn a second time by another process, which may have died too.
    assert.ok(lost.length <= killed, `${lost.length} of ${statuses.length} lost by ${killed} deaths`)
    test.diagnostic(`${lost.length} of ${statuses.length} maps lost by ${killed} deaths`)
    assert.ok(statuses.length > lost.length)
    const folders = openSockets(server.dataDir)
    assert.ok(folders.length <= 4, folders.join())
    await server.close()
    await until(async () => mapServers().length === 0)
  })
})
