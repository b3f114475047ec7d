import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Channel } from '../../src/monitoring/notify/channels/channel.ts'
import { channels } from '../../src/monitoring/notify/channels/channels.ts'
import type { NotificationClient } from '../support/notification-client.ts'
import { createCheck, startNotifications } from '../support/notification-client.ts'
import type { ListeningReceiver, TestReceiver, TestReceivers } from '../support/receivers/receiver.ts'
import type { WatchedChecks } from '../support/watched-checks.ts'
import { ownDatabasePlace, testOutlets, watchChecks } from '../support/watched-checks.ts'

/** Starts the receivers of a channel, from the module named after the channel. */
async function receiversOf({ name }: Channel): Promise<TestReceivers> {
  const file = new URL(`../support/receivers/${name}.ts`, import.meta.url)
  assert.ok(existsSync(file), `tests/support/receivers/${name}.ts tells how a receiver is started`)
  return import(file.href)
}

/** Creates a check that fails above 5 and notifies a receiver of the channel. */
async function watch(
  test: Parameters<typeof watchChecks>[0],
  { field }: Channel,
  { line, options }: TestReceiver,
): Promise<{ watched: WatchedChecks; id: number; secrets: string[] }> {
  const watched = await watchChecks(test, await ownDatabasePlace(test, 'sqlite'), options)
  const id = await watched.add([])
  const changed = await watched.notifications.checks.change(
    id,
    { [field.name]: line },
    { isForm: false, accept: () => undefined },
  )
  const secrets = Object.values(changed.secrets).flatMap((made) => Object.values(made))
  return { watched, id, secrets: [...secrets, ...line.split(/\s+/).slice(1)] }
}

for (const channel of channels) {
  const { name, field } = channel
  describe(`channel ${name}, in a configuration`, () => {
    let client: NotificationClient
    before(async () => {
      client = await startNotifications({ after: () => undefined })
    })
    after(() => client.server.close())

    /** Returns the lines of the field as the API shows them. */
    async function shown(id: number): Promise<unknown> {
      const { data } = (await client.call('GET', `/api/notifications/config/${id}/`)).json
      return Object.entries(data).find(([key]) => key === field.name)?.[1]
    }

    it('takes its example, shows it, and keeps receiver and secret when that is sent back', async () => {
      const id = await createCheck(client, `${name} round`)
      const path = `/api/notifications/config/${id}/`
      const rows = () =>
        client.server.database.kysely
          .selectFrom('notification_receivers')
          .selectAll()
          .where('check_id', '=', id)
          .execute()
      assert.deepEqual(await shown(id), [])
      assert.equal((await client.call('POST', path, { [field.name]: field.example })).status, 200)
      const lines = await shown(id)
      assert.ok(Array.isArray(lines) && lines.length === 1)
      const first = await rows()
      assert.ok(first.every(({ kind }) => channel.kinds.includes(kind)))
      const again = await client.call('POST', path, { [field.name]: lines })
      assert.equal(again.status, 200)
      assert.deepEqual([await shown(id), await rows()], [lines, first])
      const inForm = await client.call('POST', path, new URLSearchParams({ [field.name]: '' }).toString())
      assert.equal(inForm.status, 200)
      assert.deepEqual([await shown(id), await rows()], [[], []])
    })

    it('tells a secret that it makes once, and keeps it sealed', async () => {
      const id = await createCheck(client, `${name} secrets`)
      const path = `/api/notifications/config/${id}/`
      const { json } = await client.call('POST', path, { [field.name]: field.example })
      const made = Object.entries(json.data).find(([key]) => key === field.secretsName)?.[1] ?? {}
      const secrets = Object.values(made as Record<string, string>)
      const again = await client.call('POST', path, { [field.name]: field.example })
      const texts = [
        again.text,
        (await client.call('GET', path)).text,
        (await client.call('GET', '/api/notifications/')).text,
        JSON.stringify(
          await client.server.database.kysely.selectFrom('notification_receivers').selectAll().execute(),
        ),
      ]
      for (const secret of secrets) for (const text of texts) assert.ok(!text.includes(secret))
    })

    it('is an area of text with its caption in the form, and stands in the description of the interface', async () => {
      const id = await createCheck(client, `${name} form`)
      const { form } = (await client.call('GET', `/api/notifications/config/${id}/`)).json.data
      assert.ok(form.includes(`<label for="id_${field.name}">${field.caption}:</label>`))
      assert.ok(form.includes(`<textarea name="${field.name}"`))
      const { paths } = (await client.server.app.inject('/openapi.json')).json()
      const named = (schema: unknown): boolean => JSON.stringify(schema).includes(`"${field.name}"`)
      const config = paths['/monitoring/api/notifications/config/{id}']
      const creation = paths['/monitoring/api/notifications'].post
      for (const part of [config.get.responses, config.post.requestBody, creation.requestBody])
        assert.ok(named(part))
    })

    it('refuses more lines than it takes', async () => {
      const id = await createCheck(client, `${name} lines`)
      const lines = Array.from({ length: field.maxLines + 1 }, (_, index) => `${field.example}${index}`)
      const { status, json } = await client.call('POST', `/api/notifications/config/${id}/`, {
        [field.name]: lines,
      })
      assert.deepEqual(
        [status, json.errors],
        [400, { [field.name]: [`Enter at most ${field.maxLines} addresses.`] }],
      )
    })
  })

  describe(`channel ${name}, sending`, () => {
    let receivers: TestReceivers
    before(async () => {
      receivers = await receiversOf(channel)
    })

    it('tells a receiver of a problem and of its end, with what is wrong and in numbers', async (t) => {
      const receiver = await receivers.startReceiver(t)
      const { watched, id } = await watch(t, channel, receiver)
      watched.set(9)
      await watched.pass(1)
      assert.deepEqual(
        (await watched.deliveries(id)).map(({ state, error }) => [state, error]),
        [['sent', undefined]],
      )
      watched.set(1)
      await watched.pass(1)
      const [alert = '', recovery = '', ...others] = receiver.received()
      assert.deepEqual(others, [])
      for (const text of [alert, recovery]) assert.match(text, /Too many requests/)
      assert.match(alert, /Number of requests: 9 from 12:00 to 12:01 UTC; at most 5 is expected/)
      assert.notEqual(recovery, alert)
    })

    it('gives a reason where a receiver takes nothing, without secrets, and tries again', async (t) => {
      const receiver: ListeningReceiver = await receivers.startReceiver(t)
      const { watched, id, secrets } = await watch(t, channel, receiver)
      await receiver.refuse()
      watched.set(9)
      await watched.pass(1)
      const [delivery] = await watched.deliveries(id)
      assert.equal(delivery?.state, 'pending')
      assert.match(delivery?.error ?? '', /\S{3}/)
      for (const secret of secrets) assert.ok(!JSON.stringify(delivery).includes(secret))
      assert.deepEqual(receiver.received(), [])
    })

    it('gives up within two seconds when it is told to', async (t) => {
      const silent = await receivers.startSilentReceiver(t)
      const { watched, id } = await watch(t, channel, silent)
      const { check, receivers: found } = await watched.notifications.checks.get(id)
      const [receiver] = found
      assert.ok(receiver)
      const sender = channel.open(testOutlets(silent.options, watched.clock))
      assert.ok('send' in sender)
      const at = watched.clock.now().toISOString()
      const { id: checkId, name: checkName, description: checkDescription, severity } = check
      const message = {
        kind: 'alert' as const,
        checkId,
        checkName,
        checkDescription,
        severity,
        spottedAt: at,
        failingSince: at,
        problems: [],
      }
      const parcel = { receiver, secret: 'a-secret-of-ours', message, deliveryId: 1, graceSeconds: 600 }
      const stop = new AbortController()
      const sent = sender.send(parcel, stop.signal)
      setTimeout(() => stop.abort(new Error('the test stops it')), 50)
      await assert.rejects(sent)
    })

    it('says why it cannot be used on a server that has no settings for it', async (t) => {
      const receiver = await receivers.startReceiver(t)
      const { watched, id } = await watch(t, channel, { line: receiver.line })
      const opened = channel.open(testOutlets({}, watched.clock))
      watched.set(9)
      await watched.pass(1)
      const deliveries = await watched.deliveries(id)
      if ('send' in opened) assert.equal(deliveries.length, 1)
      else {
        assert.match(opened.reason, /\S{3}/)
        assert.ok(watched.notifications.notices().includes(opened.notice))
        assert.deepEqual(deliveries, [], 'nothing waits to be sent')
      }
    })
  })
}

describe('the registry of channels', () => {
  it('has no name, kind or key twice', () => {
    const fields = channels.flatMap(({ field: { name, secretsName } }) => [name, secretsName ?? []].flat())
    for (const names of [channels.map(({ name }) => name), channels.flatMap(({ kinds }) => kinds), fields])
      assert.equal(new Set(names).size, names.length)
  })
})
