import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseMonitoringOptions } from '../../../src/cli/monitoring-options.ts'
import { showStatus } from '../../../src/cli/monitoring-status.ts'
import { createRestClient } from '../../../src/cli/rest-client.ts'
import { basicAuthorization } from '../../../src/core/network/node-http.ts'
import { adminPassword } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { NotificationClient } from '../../support/notification-client.ts'
import { startNotifications } from '../../support/notification-client.ts'

async function runStatus({ server }: NotificationClient): Promise<{ code: number; output: string }> {
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
  const client = createRestClient(url, { authorization: basicAuthorization('admin', adminPassword) })
  const output: string[] = []
  const options = parseMonitoringOptions(['status'])
  const code = await showStatus({ client, options, env: {}, say: (text) => output.push(text) }, [])
  return { code, output: output.join('\n') }
}

for (const dialect of ['contract', 'geoserver']) {
  describe(`terrane monitoring status in the dialect ${dialect}`, () => {
    const options = { env: { TERRANE_DIALECT: dialect }, clock: fixedClock('2026-11-21T12:00:10Z') }

    it('tells problems and fails', async (t) => {
      const client = await startNotifications(t, options)
      await client.call('POST', '/api/notifications/config/1/', {
        active: true,
        'request.count.max_timeout': 120,
        severity: 'fatal',
      })
      const { code, output } = await runStatus(client)
      assert.equal(code, 1, output)
      assert.match(output, /^checks: fatal, /)
      assert.match(output, /fatal +request\.count /)
    })

    it('tells that every check holds', async (t) => {
      const { output } = await runStatus(await startNotifications(t, options))
      assert.match(output, /^checks: ok, /)
    })
  })
}
