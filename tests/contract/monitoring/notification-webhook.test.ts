import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { describe, it } from 'node:test'
import type { NewReceiver } from '../../../src/monitoring/notify/records/receiver-repository.ts'
import type { WatchedChecks } from '../../support/watched-checks.ts'
import { ownDatabasePlace, watchChecks } from '../../support/watched-checks.ts'
import { startWebServer } from '../../support/web-server.ts'

interface Posted {
  method: string
  headers: IncomingHttpHeaders
  body: string
}

function recorder(posted: Posted[], status: () => number): RequestListener {
  return async (request, reply) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    posted.push({ method: request.method ?? '', headers: request.headers, body })
    reply.writeHead(status(), { location: '/elsewhere' }).end('thanks')
  }
}

function toWebhook(watched: WatchedChecks, target: string): NewReceiver {
  return { kind: 'webhook', target, secret: watched.seal('a secret of ours') }
}

describe('webhooks', () => {
  it('are posted JSON that is signed with the secret, for a problem and for its end', async (t) => {
    const posted: Posted[] = []
    const url = await startWebServer(
      t,
      recorder(posted, () => 204),
    )
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'))
    const id = await watched.add([toWebhook(watched, `${url}/hook?x=1`)])
    watched.set(9)
    await watched.pass(1)
    watched.set(1)
    await watched.pass(1)
    const [alert, recovery] = posted
    assert.ok(alert && recovery)
    assert.equal(alert.method, 'POST')
    const [, timestamp = '', signature] =
      /^t=(\d+),v1=([\da-f]{64})$/.exec(String(alert.headers['terrane-signature'])) ?? []
    assert.equal(Number(timestamp), Date.parse('2026-11-21T12:01:00Z') / 1000)
    const expected = createHmac('sha256', 'a secret of ours')
      .update(`${timestamp}.${alert.body}`)
      .digest('hex')
    assert.equal(signature, expected)
    const [delivery] = (await watched.deliveries(id)).toReversed()
    assert.equal(alert.headers['terrane-delivery'], String(delivery?.id))
    assert.deepEqual(JSON.parse(alert.body), {
      event: 'alert',
      delivery: delivery?.id,
      host: 'maps.example.org',
      check: {
        id,
        name: 'Too many requests',
        description: 'More than the server is made for',
        severity: 'error',
        url: `http://maps.example.org/geo/monitoring/api/notifications/config/${id}/`,
      },
      failing_since: '2026-11-21T12:01:00.000Z',
      spotted_at: '2026-11-21T12:01:00.000Z',
      problems: [
        {
          name: 'request.count',
          severity: 'error',
          message: 'Number of requests is higher than 5',
          description: 'Number of requests: 9 from 12:00 to 12:01 UTC; at most 5 is expected.',
          offending_value: '9.0000',
          threshold_value: '5.0000',
          valid_from: '2026-11-21T12:00:00.000Z',
          valid_to: '2026-11-21T12:01:00.000Z',
        },
      ],
    })
    assert.equal(JSON.parse(recovery.body).event, 'recovery')
  })

  it('that answer anything but success are tried again; a redirect is not followed', async (t) => {
    const posted: Posted[] = []
    let status = 302
    const url = await startWebServer(
      t,
      recorder(posted, () => status),
    )
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'))
    const id = await watched.add([toWebhook(watched, `${url}/hook`)])
    watched.set(9)
    await watched.pass(1)
    assert.match((await watched.deliveries(id))[0]?.error ?? '', /it answers 302/)
    status = 500
    await watched.pass(1)
    assert.match((await watched.deliveries(id))[0]?.error ?? '', /it answers 500/)
    status = 200
    await watched.pass(2)
    assert.equal((await watched.deliveries(id))[0]?.state, 'sent')
    assert.equal(posted.length, 3)
  })

  it('that never answer, or break off, hold up nobody', async (t) => {
    const silent = await startWebServer(t, () => undefined)
    const breaking = await startWebServer(t, (request) => request.socket.destroy())
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'), { attemptMs: 300 })
    const id = await watched.add([toWebhook(watched, silent), toWebhook(watched, breaking)])
    watched.set(9)
    await watched.pass(1)
    for (const one of await watched.deliveries(id)) {
      assert.equal(one.state, 'pending')
      assert.match(one.error ?? '', /no answer within|socket hang up|ECONNRESET/)
    }
  })

  it('at private addresses are not reached unless TERRANE_REMOTE_ALLOW names them', async (t) => {
    const posted: Posted[] = []
    const url = await startWebServer(
      t,
      recorder(posted, () => 200),
    )
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'), { allow: [] })
    const id = await watched.add([
      toWebhook(watched, url),
      toWebhook(watched, url.replace('127.0.0.1', 'localhost')),
    ])
    watched.set(9)
    await watched.pass(1)
    assert.equal(posted.length, 0)
    for (const one of await watched.deliveries(id)) assert.match(one.error ?? '', /TERRANE_REMOTE_ALLOW/)
  })

  it('never show their secret in the log of deliveries', async (t) => {
    const url = await startWebServer(t, (request, reply) => {
      reply.writeHead(500, String(request.headers['terrane-signature'])).end('a secret of ours')
    })
    const watched = await watchChecks(t, await ownDatabasePlace(t, 'sqlite'))
    const id = await watched.add([toWebhook(watched, url)])
    watched.set(9)
    await watched.pass(1)
    assert.doesNotMatch(JSON.stringify(await watched.deliveries(id)), /a secret of ours/)
  })
})
