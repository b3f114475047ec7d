import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'

type Headers = Record<string, string>
interface Options {
  headers?: Headers
  payload?: object
  remoteAddress?: string
}
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'

const password = 'long-enough'
let terrane: TestApp
before(async () => {
  terrane = await createTestApp()
})
after(() => terrane.close())

function send(method: Method, url: string, options: Options = {}) {
  return terrane.app.inject({ method, url, ...options })
}

async function createUser(name: string, role: string): Promise<void> {
  const payload = { user: { name, password, role } }
  const reply = await send('POST', '/rest/security/users', { headers: terrane.admin, payload })
  assert.equal(reply.statusCode, 201)
}

async function createToken(headers: Headers, extra: object = {}): Promise<{ id: number; value: string }> {
  const payload = { token: { name: 'script', ...extra } }
  const reply = await send('POST', '/rest/security/tokens', { headers, payload })
  assert.equal(reply.statusCode, 201)
  return reply.json().token
}

async function login(name: string): Promise<{ cookie: string; csrf: string }> {
  const reply = await send('POST', '/rest/security/session', { payload: { session: { name, password } } })
  assert.equal(reply.statusCode, 200)
  const cookie = String(reply.headers['set-cookie'])
  return { cookie: cookie.split(';', 1)[0] ?? '', csrf: reply.json().session.csrfToken }
}

describe('passwords', () => {
  it('prove the current password in a session too, and are slowed down when they guess it', async () => {
    await createUser('guesser', 'user')
    const { cookie, csrf } = await login('guesser')
    const headers = { cookie, 'x-csrf-token': csrf }
    const guess = (currentPassword: string) =>
      send('PUT', '/rest/security/self/password', {
        headers,
        payload: { currentPassword, newPassword: 'the-new-one' },
        remoteAddress: '192.0.2.44',
      })
    const statuses: number[] = []
    for (let count = 0; count < 12; count += 1) statuses.push((await guess(`guess-${count}`)).statusCode)
    assert.equal(statuses[0], 403)
    assert.equal(statuses.at(-1), 429)
  })

  it('that an administrator changes for themselves need the current one', async () => {
    await send('POST', '/rest/security/users', {
      headers: terrane.admin,
      payload: { user: { name: 'chief', password, role: 'admin' } },
    })
    const headers = basicAuth('chief', password)
    const change = (user: object, by: Headers = headers) =>
      send('PUT', '/rest/security/users/chief', { headers: by, payload: { user } })
    const newOne = { password: 'the-new-one' }
    assert.equal((await change(newOne)).statusCode, 400)
    assert.equal((await change({ ...newOne, currentPassword: 'guess-it' })).json().code, 'wrong-password')
    const bearer = { authorization: `Bearer ${(await createToken(headers)).value}` }
    const byToken = await change({ ...newOne, currentPassword: password }, bearer)
    assert.equal(byToken.json().code, 'password-needed')
    assert.equal((await change({ email: 'chief@example.org' })).statusCode, 200)
    assert.equal((await change({ ...newOne, currentPassword: password })).statusCode, 200)
    // It is their own change, not a reset: the token stays.
    assert.equal((await send('GET', '/rest/workspaces', { headers: bearer })).statusCode, 200)
    await send('DELETE', '/rest/security/users/chief', { headers: terrane.admin })
  })

  it('that an administrator resets revoke the tokens of the user, unless keepTokens is true', async () => {
    await createUser('forgetful', 'user')
    const bearerOf = async (headers: Headers) => ({
      authorization: `Bearer ${(await createToken(headers)).value}`,
    })
    const reset = (user: object) =>
      send('PUT', '/rest/security/users/forgetful', { headers: terrane.admin, payload: { user } })
    const status = async (headers: Headers) => (await send('GET', '/rest/workspaces', { headers })).statusCode
    const bearer = await bearerOf(basicAuth('forgetful', password))
    await reset({ email: 'forgetful@example.org' })
    assert.equal(await status(bearer), 200)
    await reset({ password: 'second-one', keepTokens: true })
    assert.equal(await status(bearer), 200)
    await reset({ password: 'third-one' })
    assert.equal(await status(bearer), 401)
    assert.equal(await status(await bearerOf(basicAuth('forgetful', 'third-one'))), 200)
  })
})
