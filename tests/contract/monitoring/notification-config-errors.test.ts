import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startNotifications } from '../../support/notification-client.ts'

const time = 'response.time.max_value'

describe('what is not there', () => {
  it('is 404 in the envelope', async (t) => {
    const client = await startNotifications(t)
    for (const id of ['999', 'x', '-1', '99999999999999999999']) {
      const { status, json } = await client.call('GET', `/api/notifications/config/${id}/`)
      assert.equal(status, 404, id)
      assert.equal(json.status, 'error')
    }
  })

  it('and unknown names are ignored and named', async (t) => {
    const client = await startNotifications(t)
    const reply = await client.call('POST', '/api/notifications/config/2/', {
      colour: 'red',
      severity: 'fatal',
    })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['terrane-ignored'], 'colour')
  })
})

describe('bodies without measure', () => {
  it('are refused, and the server goes on', async (t) => {
    const client = await startNotifications(t)
    const path = '/api/notifications/config/2/'
    const statusOf = async (body: unknown): Promise<number> => (await client.call('POST', path, body)).status
    assert.equal(await statusOf(`emails=${'a'.repeat(6 * 2 ** 20)}`), 413)
    assert.equal(await statusOf({ emails: 'a'.repeat(6 * 2 ** 20) }), 413)
    assert.equal(await statusOf(new Array(5000).fill('x=1').join('&')), 413)
    assert.equal(await statusOf({ emails: new Array(90_000).fill('a@b.org\n') }), 400)
    for (const value of ['1e999', 'Infinity', '-1', '9'.repeat(400), '0x10', '１'])
      assert.equal(await statusOf({ [time]: value }), 400, value)
    assert.equal(await statusOf([1, 2]), 400)
    assert.equal(await statusOf({ [time]: { a: 1 }, [`${time}.service`]: ['x', 'y'] }), 400)
    assert.equal((await client.call('GET', path)).status, 200)
  })
})
