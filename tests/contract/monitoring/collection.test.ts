import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fixedClock } from '../../support/fixed-clock.ts'
import { startMonitoring } from '../../support/monitoring-client.ts'
import { temporaryData } from '../../support/terrane-process.ts'

const start = '2026-11-21T12:00:10.000Z'
const line = '198.51.100.78 - - [21/Nov/2026:12:00:05 +0000] "GET /wms HTTP/1.1" 200 10 "-" "-"\n'

describe('a service that cannot be read', () => {
  it('tells why, keeps its last check, stops no other, and recovers by itself', async (test) => {
    const clock = fixedClock(start)
    const { server, call } = await startMonitoring(test, { clock })
    const path = join(temporaryData(test), 'access.log')
    const made = await call('POST', '/api/services/', {
      name: 'maps',
      type: 'mapserver',
      host: 'localhost',
      source: { kind: 'log', path },
    })
    assert.equal(made.status, 200, made.text)
    const read = async (): Promise<{ problem: string | null; last_check: string | null }> => {
      await server.monitoring?.catchUp()
      return (await call('GET', `/api/services/${made.json.data?.id}/`)).json.data as never
    }
    const broken = await read()
    assert.match(String(broken.problem), /access\.log/)
    assert.equal(broken.last_check, null)
    assert.deepEqual(server.monitoring?.health(), { status: 'ok', problems: [] })
    const others = (await server.services.list()).filter(({ name }) => name !== 'maps')
    for (const { name, lastCheck } of others) assert.equal(lastCheck, start, name)
    writeFileSync(path, line)
    clock.advance(60_000)
    const corrected = await read()
    assert.equal(corrected.problem, null)
    assert.equal(corrected.last_check, '2026-11-21T12:01:10.000Z')
  })
})
