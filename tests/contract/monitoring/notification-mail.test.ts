import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startMailServer, startOddMailServer } from '../../support/mail-server.ts'
import { runSql, testCluster } from '../../support/postgres.ts'
import { patienceMs } from '../../support/until.ts'
import { databaseKinds, ownDatabasePlace, toAddress, watchChecks } from '../../support/watched-checks.ts'

before(async () => {
  await testCluster()
})

for (const kind of databaseKinds) {
  describe(`mail about checks (${kind})`, () => {
    it('tells each receiver by a mail of its own, once in the grace period, and tells when the check holds again', async (t) => {
      const server = await startMailServer(t)
      const watched = await watchChecks(t, await ownDatabasePlace(t, kind), { smtpUrl: server.url })
      const id = await watched.add([toAddress('a@example.org'), toAddress('b@example.org')])
      watched.set(9)
      await watched.pass(1)
      assert.deepEqual(server.mails.map(({ to }) => to).sort(), [['a@example.org'], ['b@example.org']])
      const [mail] = server.mails
      assert.ok(mail)
      assert.equal(mail.from, 'terrane@maps.example.org')
      assert.equal(mail.subject, 'Terrane at maps.example.org: error: Too many requests')
      for (const body of [mail.text, mail.html]) {
        assert.match(body, /Number of requests is higher than 5/)
        assert.match(body, /Number of requests: 9 from 12:00 to 12:01 UTC; at most 5 is expected\./)
        assert.match(
          body,
          new RegExp(`http://maps.example.org/geo/monitoring/api/notifications/config/${id}/`),
        )
      }
      assert.equal((await watched.get(id)).lastSend, '2026-11-21T12:01:00.000Z')

      await watched.pass(1)
      await watched.pass(8)
      assert.equal(server.mails.length, 2, 'inside the grace period nothing is sent')
      await watched.pass(1)
      assert.equal(server.mails.length, 4)

      watched.set(5)
      await watched.pass(1)
      assert.equal(server.mails.length, 6)
      assert.equal(server.mails[5]?.subject, 'Terrane at maps.example.org: resolved: Too many requests')
      assert.match(server.mails[5]?.text ?? '', /for 11 minutes/)
      assert.equal((await watched.get(id)).failingSince, undefined)
      await watched.pass(20)
      assert.equal(server.mails.length, 6)
    })

    it('is sent as a test to each receiver at once, and what became of each is told; nothing else changes', async (t) => {
      const server = await startMailServer(t)
      const watched = await watchChecks(t, await ownDatabasePlace(t, kind), { smtpUrl: server.url })
      const id = await watched.add([toAddress('a@example.org'), toAddress('b@example.org')])
      const signal = AbortSignal.timeout(patienceMs)
      assert.deepEqual(await watched.notifications.test(id, signal), [
        { receiver: 'a@example.org' },
        { receiver: 'b@example.org' },
      ])
      assert.deepEqual(server.mails.map(({ to }) => to).sort(), [['a@example.org'], ['b@example.org']])
      assert.equal(server.mails[0]?.subject, 'Terrane at maps.example.org: test: Too many requests')
      assert.match(server.mails[0]?.text ?? '', /Nothing is wrong/)
      assert.deepEqual([(await watched.get(id)).lastSend, await watched.deliveries(id)], [undefined, []])
      server.refusal = Object.assign(new Error('mailbox is full'), { responseCode: 452 })
      for (const { error } of await watched.notifications.test(id, signal))
        assert.match(error ?? '', /mailbox is full/)
      await assert.rejects(watched.notifications.test(999, signal), { code: /unknown/ })
    })

    it('sends nothing for a check that is switched off', async (t) => {
      const server = await startMailServer(t)
      const watched = await watchChecks(t, await ownDatabasePlace(t, kind), { smtpUrl: server.url })
      await watched.add([toAddress('a@example.org')], { isActive: false })
      watched.set(9)
      await watched.pass(1)
      assert.equal(server.mails.length, 0)
      assert.deepEqual(await watched.notifications.problems(), [])
    })

    it('tries a refused mail again after longer and longer times, and does not count it as sent', async (t) => {
      const server = await startMailServer(t)
      server.refusal = Object.assign(new Error('mailbox is full'), { responseCode: 452 })
      const watched = await watchChecks(t, await ownDatabasePlace(t, kind), { smtpUrl: server.url })
      const id = await watched.add([toAddress('a@example.org')])
      watched.set(9)
      await watched.pass(1)
      const [failed] = await watched.deliveries(id)
      assert.equal(failed?.state, 'pending')
      assert.equal(failed?.attempts, 1)
      assert.match(failed?.error ?? '', /mailbox is full/)
      assert.equal((await watched.get(id)).lastSend, undefined)
      const [problems] = await watched.notifications.problems()
      assert.deepEqual(
        problems?.problems.map(({ metric }) => metric),
        ['request.count', 'notification.delivery'],
      )

      await watched.pass(1)
      await watched.pass(1)
      assert.equal((await watched.deliveries(id))[0]?.attempts, 2, 'the second pause is two minutes')
      server.refusal = undefined
      await watched.pass(1)
      assert.equal(server.mails.length, 1)
      const [sent, ...others] = await watched.deliveries(id)
      assert.equal(sent?.state, 'sent')
      assert.equal(sent?.attempts, 3)
      assert.deepEqual(others, [])
      assert.equal((await watched.get(id)).lastSend, '2026-11-21T12:04:00.000Z')
    })

    it('gives a mail up in the end, and the problem that goes on is told anew', async (t) => {
      const server = await startMailServer(t)
      server.refusal = new Error('no')
      const watched = await watchChecks(t, await ownDatabasePlace(t, kind), { smtpUrl: server.url })
      const id = await watched.add([toAddress('a@example.org')])
      watched.set(9)
      for (const minutes of [1, 1, 2, 5, 10, 30, 60, 120]) await watched.pass(minutes)
      assert.deepEqual(
        (await watched.deliveries(id)).map(({ state, attempts }) => [state, attempts]),
        [['failed', 8]],
      )
      server.refusal = undefined
      await watched.pass(1)
      assert.equal(server.mails.length, 1)
    })

    it('does not send an alert late, when the check holds again already, but tells of its end', async (t) => {
      const server = await startMailServer(t)
      server.refusal = new Error('no')
      const watched = await watchChecks(t, await ownDatabasePlace(t, kind), { smtpUrl: server.url })
      const id = await watched.add([toAddress('a@example.org')])
      watched.set(9)
      await watched.pass(1)
      server.refusal = undefined
      watched.set(1)
      await watched.pass(1)
      assert.equal(server.mails.length, 1)
      const [recovery, delivery] = await watched.deliveries(id)
      assert.deepEqual([recovery?.kind, recovery?.state], ['recovery', 'sent'])
      assert.equal(delivery?.state, 'dropped')
      assert.match(String(delivery?.error), /^the check holds again; before: .*\bno\b/)
    })

    it('keeps what was not delivered over a restart', async (t) => {
      const server = await startMailServer(t)
      server.refusal = new Error('no')
      const place = await ownDatabasePlace(t, kind)
      const first = await watchChecks(t, place, { smtpUrl: server.url })
      await first.add([toAddress('a@example.org')])
      first.set(9)
      await first.pass(1)
      await first.close()
      server.refusal = undefined
      const second = await watchChecks(t, place, { smtpUrl: server.url, clock: first.clock })
      second.set(9)
      await second.pass(1)
      assert.equal(server.mails.length, 1)
    })

    it('sends to the address that a user has now', async (t) => {
      const server = await startMailServer(t)
      const watched = await watchChecks(t, await ownDatabasePlace(t, kind), { smtpUrl: server.url })
      const user = { role: 'user', password_hash: '', created_at: '', updated_at: '' }
      await watched.database.kysely
        .insertInto('users')
        .values({ name: 'ann', email: 'new@example.org', ...user })
        .execute()
      const id = await watched.add([{ kind: 'user', target: 'ann', userName: 'ann', secret: '' }])
      watched.set(9)
      await watched.pass(1)
      assert.deepEqual(server.mails[0]?.to, ['new@example.org'])
      await watched.database.kysely.deleteFrom('users').where('name', '=', 'ann').execute()
      await watched.pass(30)
      assert.equal(server.mails.length, 1, 'a user that is gone is told nothing')
      assert.equal((await watched.deliveries(id)).length, 1)
    })
  })
}

describe('several servers on one database', () => {
  it('tell each receiver once', async (t) => {
    const server = await startMailServer(t)
    const place = await ownDatabasePlace(t, 'postgres')
    const first = await watchChecks(t, place, { smtpUrl: server.url })
    const second = await watchChecks(t, place, { smtpUrl: server.url, clock: first.clock })
    await first.add([toAddress('a@example.org'), toAddress('b@example.org')])
    for (const one of [first, second]) one.set(9)
    first.clock.advance(60_000)
    await Promise.all([first, second].map((one) => one.pass(0)))
    assert.equal(server.mails.length, 2)
    for (const one of [first, second]) one.set(0)
    first.clock.advance(60_000)
    await Promise.all([first, second].map((one) => one.pass(0)))
    assert.equal(server.mails.length, 4)
  })

  it('take over a mail at which the other was killed', async (t) => {
    const server = await startMailServer(t)
    const place = await ownDatabasePlace(t, 'postgres')
    const watched = await watchChecks(t, place, { smtpUrl: server.url })
    const id = await watched.add([toAddress('a@example.org')])
    server.refusal = new Error('no')
    watched.set(9)
    await watched.pass(1)
    server.refusal = undefined
    // Leases are compared with the time of the database.
    const leaseFor = (minutes: number): Promise<unknown> =>
      runSql(
        'url' in place ? place.url.reveal() : '',
        `update notification_deliveries set leased_until = to_char(now() at time zone 'utc'
           + interval '${minutes} minutes', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
      )
    await leaseFor(10)
    await watched.pass(1)
    assert.equal(server.mails.length, 0, 'another server is at it')
    await leaseFor(-1)
    await watched.pass(1)
    assert.equal(server.mails.length, 1)
    assert.equal((await watched.deliveries(id))[0]?.state, 'sent')
  })
})

describe('mail servers that misbehave', () => {
  const options = { attemptMs: 300 }

  it('that never greet hold up nobody else, and are tried again', async (t) => {
    const silent = await startOddMailServer(t, {})
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'), {
      ...options,
      smtpUrl: silent.url,
    })
    const id = await watched.add([toAddress('a@example.org'), toAddress('b@example.org')])
    watched.set(9)
    watched.clock.advance(60_000)
    await watched.notifications.evaluate(watched.clock.now())
    assert.equal((await watched.deliveries(id)).length, 2, 'evaluating does not wait for the mail server')
    await watched.notifications.deliver()
    for (const one of await watched.deliveries(id)) {
      assert.equal(one.state, 'pending')
      assert.match(one.error ?? '', /no answer within 0.3 s/)
    }
  })

  it('that end the conversation, speak something else or without end, are an error of the delivery', async (t) => {
    const behaviours = [
      { ends: true },
      { greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n', ends: true },
      { greeting: '220-and so on\r\n'.repeat(200_000) },
      { greeting: '2'.repeat(2_000_000) },
    ]
    for (const behaviour of behaviours) {
      const odd = await startOddMailServer(t, behaviour)
      const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'), {
        ...('ends' in behaviour ? {} : options),
        smtpUrl: odd.url,
      })
      const id = await watched.add([toAddress('a@example.org')])
      watched.set(9)
      await watched.pass(1)
      const [delivery] = await watched.deliveries(id)
      assert.equal(delivery?.state, 'pending')
      const says = 'ends' in behaviour ? /^mail server 127\.0\.0\.1:\d+: / : /^mail server |no answer within/
      assert.match(delivery?.error ?? '', says)
    }
  })

  it('that do not take the password are named without it', async (t) => {
    const server = await startMailServer(t, {
      onAuth: (auth, _session, done) => done(new Error(`wrong: ${auth.username} ${auth.password}`)),
      allowInsecureAuth: true,
    })
    const smtpUrl = `smtp://terrane:very%20secret@127.0.0.1:${server.port}`
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'), { smtpUrl })
    const id = await watched.add([toAddress('a@example.org')])
    watched.set(9)
    await watched.pass(1)
    const [delivery] = await watched.deliveries(id)
    assert.match(delivery?.error ?? '', /wrong: terrane \*\*\*/)
    assert.doesNotMatch(JSON.stringify(delivery), /very|secret/)
  })

  it('whose certificate nobody vouches for are not told the password', async (t) => {
    const passwords: unknown[] = []
    const server = await startMailServer(t, {
      secure: true,
      onAuth: (auth, _session, done) => {
        passwords.push(auth.password)
        done(null, { user: 'terrane' })
      },
    })
    const smtpUrl = `smtps://terrane:secret@127.0.0.1:${server.port}`
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'), { smtpUrl })
    const id = await watched.add([toAddress('a@example.org')])
    watched.set(9)
    await watched.pass(1)
    assert.match((await watched.deliveries(id))[0]?.error ?? '', /certificate/i)
    assert.deepEqual(passwords, [])
  })

  it('cannot be made to take another header or receiver by names and addresses', async (t) => {
    const server = await startMailServer(t)
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'), { smtpUrl: server.url })
    const address = 'a@example.org\r\nBcc: evil@example.org'
    const values = {
      name: 'ann',
      email: address,
      role: 'user',
      password_hash: '',
      created_at: '',
      updated_at: '',
    }
    await watched.database.kysely.insertInto('users').values(values).execute()
    await watched.add(
      [{ kind: 'user', target: 'ann', userName: 'ann', secret: '' }, toAddress('b@example.org')],
      { name: 'x\r\nBcc: evil@example.org' },
    )
    watched.set(9)
    await watched.pass(1)
    assert.deepEqual(
      server.mails.flatMap(({ to }) => to),
      ['b@example.org'],
    )
    assert.ok(server.mails.every(({ headers }) => headers.every((line) => !/^bcc:/i.test(line))))
  })

  it('are missing: nothing waits to be sent, and that is said', async (t) => {
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'))
    const id = await watched.add([toAddress('a@example.org')])
    watched.set(9)
    await watched.pass(1)
    assert.deepEqual(watched.notifications.notices(), ['No mail is sent: TERRANE_SMTP_URL is not set'])
    assert.deepEqual(await watched.deliveries(id), [])
    assert.equal((await watched.notifications.problems()).length, 1)
  })
})
