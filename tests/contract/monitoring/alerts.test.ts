import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import type { Batch } from '../../../src/monitoring/series/series.ts'
import { createSeriesWriter } from '../../../src/monitoring/series/series-writer.ts'
import { fedLimits, placeOf } from '../../support/fed-monitoring.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { databases } from '../../support/monitoring-client.ts'
import type { NotificationClient } from '../../support/notification-client.ts'
import { createCheck, startNotifications, threshold, toForm } from '../../support/notification-client.ts'
import { testCluster } from '../../support/postgres.ts'

before(async () => {
  await testCluster()
})

type Clock = ReturnType<typeof fixedClock>

/** Advances the clock by a minute, then collects, computes, evaluates and sends everything. */
async function passMinute({ server }: NotificationClient, clock: Clock): Promise<void> {
  clock.advance(60_000)
  await server.monitoring?.catchUp()
  await server.notifications.deliver()
}

async function ask({ server }: NotificationClient, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1)
    assert.equal((await server.app.inject({ url: '/rest/layers', headers: server.admin })).statusCode, 200)
}

const count = 'request.count.max_value'

for (const [database, envOf] of Object.entries(databases)) {
  describe(`from requests to alerts (${database})`, () => {
    it('too many requests are counted, found by the check, mailed, shown, and told to be over', async (t) => {
      const mail = await startMailServer(t)
      const clock = fixedClock('2026-11-21T12:00:10Z')
      const env = {
        ...(await envOf()),
        TERRANE_SMTP_URL: mail.url,
        TERRANE_PUBLIC_URL: 'https://maps.example.org',
      }
      const client = await startNotifications(t, { env, clock })
      const id = await createCheck(
        client,
        'Many requests',
        threshold({ option: 'max_value', max: null, description: 'Number of requests is higher than' }),
      )
      const form = toForm({ [count]: '3', emails: 'ops@example.org', active: 'on', severity: 'fatal' })
      assert.equal((await client.call('POST', `/api/notifications/config/${id}/`, form)).status, 200)
      await ask(client, 3)
      await passMinute(client, clock)
      assert.deepEqual((await client.call('GET', '/api/status/')).json.data, [], 'as many as are allowed')

      await ask(client, 4)
      await passMinute(client, clock)
      assert.equal(mail.mails.length, 1)
      assert.deepEqual(mail.mails[0]?.to, ['ops@example.org'])
      assert.equal(mail.mails[0]?.subject, 'Terrane at maps.example.org: fatal: Many requests')
      assert.match(
        mail.mails[0]?.text ?? '',
        /Number of requests: 4 from 12:01 to 12:02 UTC; at most 3 is expected/,
      )

      const status = await client.call('GET', '/api/status/')
      const [failing, ...others] = status.json.data as unknown as {
        check: { id: number }
        problems: object[]
      }[]
      assert.deepEqual(others, [])
      assert.equal(failing?.check.id, id)
      const problem = {
        name: 'request.count',
        severity: 'fatal',
        message: 'Number of requests is higher than 3',
        offending_value: '4.0000',
        threshold_value: '3.0000',
        description: 'Number of requests: 4 from 12:01 to 12:02 UTC; at most 3 is expected.',
        spotted_at: '2026-11-21T12:02:10.000Z',
        valid_from: '2026-11-21T12:01:00.000Z',
        valid_to: '2026-11-21T12:02:00.000Z',
        check_url: `https://maps.example.org/monitoring/api/notifications/config/${id}/`,
        check_id: id,
      }
      assert.deepEqual(failing?.problems, [problem])
      const list = (await client.call('GET', '/api/notifications/')).json.data
      assert.equal(list.notifications.find((one) => one.id === id)?.last_send, '2026-11-21T12:02:10.000Z')
      const config = await client.call('GET', `/api/notifications/config/${id}/`)
      assert.equal(config.json.data.notification.last_send, '2026-11-21T12:02:10.000Z')
      assert.deepEqual([list.problems, list.health_level, list.notices], [[problem], 'fatal', []])
      const log = await client.call('GET', `/api/notifications/config/${id}/deliveries/`)
      assert.deepEqual(
        log.json.data.deliveries.map(({ kind, receiver, state, attempts }) => [
          kind,
          receiver,
          state,
          attempts,
        ]),
        [['alert', 'ops@example.org', 'sent', 1]],
      )

      await passMinute(client, clock)
      assert.equal(mail.mails[1]?.subject, 'Terrane at maps.example.org: resolved: Many requests')
      const after = await client.call('GET', '/api/status/')
      assert.deepEqual(after.json.data, [])
      assert.equal((await client.call('GET', '/api/notifications/')).json.data.health_level, 'ok')
    })

    it('an idle server fails the check that wants requests, and one that never had any is late', async (t) => {
      const clock = fixedClock('2026-11-21T12:00:10Z')
      const client = await startNotifications(t, { env: await envOf(), clock })
      const config = '/api/notifications/config/1/'
      assert.equal((await client.call('POST', config, { active: true })).status, 200)
      await passMinute(client, clock)
      const messages = async (): Promise<string[]> =>
        (await client.call('GET', '/api/notifications/')).json.data.problems.map(({ message }) => message)
      assert.deepEqual(await messages(), [
        'Number of handled requests is lower than 1',
        'No request was handled for at least 2 minutes',
      ])
      await ask(client, 2)
      await passMinute(client, clock)
      assert.deepEqual(await messages(), [])
      for (let minute = 0; minute < 3; minute += 1) await passMinute(client, clock)
      const [few, late] = (await client.call('GET', '/api/notifications/')).json.data.problems
      assert.equal(few?.offending_value, '0.0000')
      assert.equal(late?.offending_value, '190.0000')
      assert.match(late?.description ?? '', /nothing since 3 minutes 10 seconds/)
    })

    it('compares the fullest disk of each host, and names it', async (t) => {
      const clock = fixedClock('2026-11-21T12:00:10Z')
      const client = await startNotifications(t, { env: await envOf(), clock })
      const services = await client.server.services.list()
      const host = services.find(({ type }) => type === 'hostapp')
      assert.ok(host)
      await client.server.services.update(host.id, { isActive: false })
      const other = await client.server.services.create({
        ...host,
        name: 'other-host',
        type: 'hostmapserver',
        isActive: true,
        source: { kind: 'node-exporter', url: 'http://127.0.0.1:1/metrics' },
      })
      const sample = (label: string, value: number) => ({
        serviceId: other.id,
        created: clock.now().getTime(),
        metric: 'storage.usage.percent',
        label,
        value,
      })
      await feed(client, { samples: [sample('/', 40), sample('/data', 97.5), sample('/var', 93)] }, clock)
      await passMinute(client, clock)
      const [problem, ...rest] = (await client.call('GET', '/api/notifications/')).json.data.problems
      assert.deepEqual(rest, [])
      assert.equal(problem?.message, 'Storage in use is more than 90 %')
      assert.equal(problem?.offending_value, '97.5000')
      assert.match(problem?.description ?? '', /of other-host for "\/data": 97\.5 % \(and 1 more\)/)
    })
  })
}

async function feed({ server }: NotificationClient, batch: Batch, clock: Clock): Promise<void> {
  const database = await openSeriesDatabase(placeOf(server))
  const writer = createSeriesWriter(database, fedLimits)
  await writer.append(batch)
  while ((await writer.settle(clock.now().getTime() + 60_000)).hasMore);
  await writer.close()
}
