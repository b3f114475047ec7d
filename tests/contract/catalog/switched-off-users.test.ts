import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'

type Headers = Record<string, string>

const password = 'long-enough'
let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
})
after(() => terrane.close())

function send(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  options: { headers?: Headers; payload?: object } = {},
) {
  return terrane.app.inject({ method, url, ...options })
}

async function createUser(name: string, role: string): Promise<void> {
  const payload = { user: { name, password, role } }
  const reply = await send('POST', '/rest/security/users', { headers: terrane.admin, payload })
  assert.equal(reply.statusCode, 201)
}

async function createToken(headers: Headers): Promise<{ id: number; value: string }> {
  const payload = { token: { name: 'script' } }
  return (await send('POST', '/rest/security/tokens', { headers, payload })).json().token
}

async function login(name: string): Promise<{ cookie: string }> {
  const reply = await send('POST', '/rest/security/session', { payload: { session: { name, password } } })
  assert.equal(reply.statusCode, 200)
  return { cookie: String(reply.headers['set-cookie']).split(';', 1)[0] ?? '' }
}

describe('users who are switched off', () => {
  const path = '/rest/security/users/one-off'
  const change = (user: object, headers: Headers = terrane.admin) =>
    send('PUT', path, { headers, payload: { user } })

  it('are let in by nothing that they have, at once, and by the password again when they are switched on', async () => {
    await createUser('one-off', 'staff')
    const basic = basicAuth('one-off', password)
    const bearer = { authorization: `Bearer ${(await createToken(basic)).value}` }
    const { cookie } = await login('one-off')
    const codes = async () =>
      Promise.all(
        [basic, bearer, { cookie }].map(async (headers) => {
          const reply = await send('GET', '/rest/workspaces', { headers })
          return reply.statusCode === 200 ? 'in' : reply.json().code
        }),
      )
    assert.deepEqual(await codes(), ['in', 'in', 'in'])
    const off = await change({ enabled: false })
    assert.equal(off.json().user.enabled, false)
    assert.deepEqual(await codes(), ['user-switched-off', 'wrong-credentials', 'login-needed'])
    const payload = { session: { name: 'one-off', password } }
    assert.equal((await send('POST', '/rest/security/session', { payload })).json().code, 'user-switched-off')
    // With a wrong password, the response is the same as for an unknown user.
    const wrong = await send('GET', '/rest/workspaces', { headers: basicAuth('one-off', 'no-such-thing') })
    assert.equal(wrong.json().code, 'wrong-credentials')
    await change({ email: 'off@example.org' })
    assert.equal((await send('GET', path, { headers: terrane.admin })).json().user.enabled, false)
    await change({ enabled: true })
    assert.deepEqual(await codes(), ['in', 'wrong-credentials', 'login-needed'])
  })

  it('are made so, and are never the last administrator', async () => {
    const user = { name: 'one-late', password, role: 'admin', enabled: false }
    await send('POST', '/rest/security/users', { headers: terrane.admin, payload: { user } })
    const reply = await send('GET', '/rest/workspaces', { headers: basicAuth('one-late', password) })
    assert.equal(reply.json().code, 'user-switched-off')
    const last = { headers: terrane.admin, payload: { user: { enabled: false } } }
    const refused = await send('PUT', '/rest/security/users/admin', last)
    assert.equal(refused.json().code, 'last-admin')
    assert.equal((await send('DELETE', '/rest/security/users/admin', last)).json().code, 'last-admin')
    await send('DELETE', '/rest/security/users/one-late', { headers: terrane.admin })
  })

  it('have tokens and logins that an administrator sees without their values, and ends', async () => {
    const basic = basicAuth('one-off', password)
    await createUser('one-staff', 'staff')
    await createUser('one-user', 'user')
    const made = await createToken(basic)
    const bearer = { authorization: `Bearer ${made.value}` }
    const { cookie } = await login('one-off')
    const list = await send('GET', `${path}/tokens`, { headers: terrane.admin })
    assert.ok(list.json().tokens.some(({ id }: { id: number }) => id === made.id))
    assert.equal(list.body.includes(made.value), false)
    const place = `${path}/tokens/${made.id}`
    for (const [method, url] of [
      ['GET', `${path}/tokens`],
      ['DELETE', place],
      ['DELETE', `${path}/sessions`],
    ] as const)
      assert.equal((await send(method, url, { headers: basicAuth('one-staff', password) })).statusCode, 403)
    // A token belongs to the URL of its own user only.
    const other = `/rest/security/users/one-user/tokens/${made.id}`
    assert.equal((await send('DELETE', other, { headers: terrane.admin })).json().code, 'unknown-token')
    assert.equal((await send('DELETE', place, { headers: terrane.admin })).statusCode, 200)
    assert.equal((await send('GET', '/rest/workspaces', { headers: bearer })).statusCode, 401)
    assert.equal((await send('GET', '/rest/workspaces', { headers: { cookie } })).statusCode, 200)
    assert.equal((await send('DELETE', `${path}/sessions`, { headers: terrane.admin })).statusCode, 200)
    assert.equal((await send('GET', '/rest/workspaces', { headers: { cookie } })).statusCode, 401)
    const nobody = await send('GET', '/rest/security/users/nobody/tokens', { headers: terrane.admin })
    assert.equal(nobody.json().code, 'unknown-user')
  })
})
