import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { requestAt, startFed } from '../../support/fed-monitoring.ts'
import { fixedClock } from '../../support/fixed-clock.ts'
import type { MailServer } from '../../support/mail-server.ts'
import { startMailServer } from '../../support/mail-server.ts'
import type { MonitoringClient } from '../../support/monitoring-client.ts'
import { databases, makeRoles, monitoringClient, startMonitoring } from '../../support/monitoring-client.ts'

interface Subscription {
  id: number
  emails: string[]
  by: string
  createdBy: string
  deliveries: { month: string; state: string; error: string | null }[]
}

const month = 31 * 86_400_000

/** A server with requests in October and November, on November 21. */
async function startReporting(test: TestContext, env: Record<string, string>, mail: MailServer) {
  const fed = await startFed(test, {
    ...env,
    TERRANE_SMTP_URL: mail.url,
    TERRANE_PUBLIC_URL: 'http://maps.example.org',
  })
  const { app } = fed.services
  const resources = [{ type: 'layer' as const, name: '=ws:roads' }]
  const events = ['2026-10-05T08:00:00Z', '2026-11-05T08:00:00Z', '2026-11-06T08:00:00Z'].map((time) =>
    requestAt(time, { serviceId: app, resources, usageClass: 'downloads', visitor: time }),
  )
  await fed.feed({ events })
  return fed
}

async function subscribe(client: MonitoringClient, more: object = {}): Promise<Subscription> {
  const subscription = { emails: ['gis@example.org'], compare: 'previous', ...more }
  const answer = await client.call('POST', '/api/report/subscriptions', { subscription })
  assert.equal(answer.status, 201, answer.text)
  return (JSON.parse(answer.text) as { subscription: Subscription }).subscription
}

async function listed(client: MonitoringClient): Promise<Subscription[]> {
  const answer = await client.call('GET', '/api/report/subscriptions')
  return (JSON.parse(answer.text) as { subscriptions: Subscription[] }).subscriptions
}

for (const [database, environment] of Object.entries(databases)) {
  describe(`monthly reports by mail on ${database}`, () => {
    it('are sent once a month, in HTML and plain with the report as CSV, also late after a downtime', async (test) => {
      const mail = await startMailServer(test)
      const fed = await startReporting(test, await environment(), mail)
      const { reportMails } = fed.server
      const { id } = await subscribe(fed)
      await reportMails.run()
      assert.equal(mail.mails.length, 0, 'the month has not ended')
      fed.clock.advance(Date.parse('2026-12-02T05:59:00Z') - fed.clock.now().getTime())
      await reportMails.run()
      assert.equal(mail.mails.length, 0, 'a log may come a day late')
      fed.clock.advance(120_000)
      for (let times = 0; times < 3; times += 1) await reportMails.run()
      assert.equal(mail.mails.length, 1)
      const [sent] = mail.mails
      assert.deepEqual(sent?.to, ['gis@example.org'])
      assert.equal(sent?.subject, 'Usage of maps.example.org in 2026-11')
      for (const body of [sent?.text ?? '', sent?.html ?? '']) {
        assert.match(body, /=ws:roads/)
        assert.match(body, /2026-11/)
        assert.match(body, new RegExp(`/monitoring/api/report/subscriptions/${id}`))
      }
      assert.match(sent?.html ?? '', /<tfoot>/)
      assert.match(sent?.raw ?? '', /filename=.?usage-2026-11\.csv/)
      const csv = /filename=.?usage-2026-11\.csv.?\r\n(?:[^\r]+\r\n)*\r\n([A-Za-z0-9+/=\r\n]+)--/.exec(
        sent?.raw ?? '',
      )?.[1]
      assert.match(Buffer.from(csv ?? '', 'base64').toString(), /^key,[\s\S]*\r\n'=ws:roads,,,2,2,2,0/)
      fed.clock.advance(2 * month)
      await reportMails.run()
      await reportMails.run()
      assert.deepEqual(
        mail.mails.slice(1).map(({ subject }) => subject.slice(-7)),
        ['2026-12', '2027-01'],
      )
      assert.deepEqual(
        (await listed(fed))[0]?.deliveries.map(({ month: about, state }) => [about, state]),
        [
          ['2027-01', 'sent'],
          ['2026-12', 'sent'],
          ['2026-11', 'sent'],
        ],
      )
      assert.equal((await fed.call('DELETE', `/api/report/subscriptions/${id}`)).status, 204)
      assert.equal((await fed.call('DELETE', `/api/report/subscriptions/${id}`)).status, 404)
      fed.clock.advance(month)
      await reportMails.run()
      assert.equal(mail.mails.length, 3)
    })

    it('are tried again when the mail server refuses them, and reach each receiver once', async (test) => {
      const mail = await startMailServer(test)
      mail.refusal = Object.assign(new Error('mailbox is full'), { responseCode: 452 })
      const fed = await startReporting(test, await environment(), mail)
      await subscribe(fed, { emails: ['a@example.org', 'b@example.org'], language: 'de' })
      fed.clock.advance(12 * 86_400_000)
      await fed.server.reportMails.run()
      assert.equal(mail.mails.length, 0)
      assert.match((await listed(fed))[0]?.deliveries[0]?.error ?? '', /mailbox is full/)
      mail.refusal = undefined
      fed.clock.advance(3600_000)
      await fed.server.reportMails.run()
      await fed.server.reportMails.run()
      assert.deepEqual(mail.mails.map(({ to }) => to[0]).sort(), ['a@example.org', 'b@example.org'])
      assert.match(mail.mails[0]?.subject ?? '', /^Zugriffe auf maps\.example\.org im Monat 2026-11$/)
    })
  })
}

describe('monthly reports', () => {
  it('are sent once by two servers on one PostgreSQL, and by one that starts later', async (test) => {
    const mail = await startMailServer(test)
    const env = await databases.PostgreSQL()
    const fed = await startReporting(test, env, mail)
    const settings = { ...env, TERRANE_SMTP_URL: mail.url, TERRANE_PUBLIC_URL: 'http://maps.example.org' }
    await subscribe(fed)
    fed.clock.advance(12 * 86_400_000)
    const clock = fixedClock(fed.clock.now().toISOString())
    const other = await startMonitoring(test, { clock, env: settings })
    await Promise.all(
      [fed.server, other.server, fed.server, other.server].map(({ reportMails }) => reportMails.run()),
    )
    assert.equal(mail.mails.length, 1)
    const third = await startMonitoring(test, { clock, env: settings })
    await third.server.reportMails.run()
    assert.equal(mail.mails.length, 1)
  })

  it('are managed by staff, with clear faults', async (test) => {
    const fed = await startFed(test)
    const roles = await makeRoles(fed.server)
    const client = monitoringClient(fed.server)
    const post = (body: object, headers = {}) =>
      client.call('POST', '/api/report/subscriptions', body, headers)
    assert.equal((await post({ emails: ['a@example.org'] }, roles.user)).status, 403)
    assert.equal((await client.call('GET', '/api/report/subscriptions', undefined, roles.user)).status, 403)
    assert.equal((await post({ emails: [] }, roles.staff)).status, 400)
    assert.equal((await post({ emails: ['no address'] }, roles.staff)).status, 400)
    assert.equal((await post({ emails: ['a@example.org'], by: 'moon' }, roles.staff)).status, 400)
    const created = await post({ emails: ['a@example.org'] }, roles.staff)
    assert.equal(created.status, 201)
    assert.match(created.text, /TERRANE_SMTP_URL/)
    const { createdBy, by, emails } = (JSON.parse(created.text) as { subscription: Subscription })
      .subscription
    assert.deepEqual([createdBy, by, emails], ['one-staff', 'layer', ['a@example.org']])
  })
})
