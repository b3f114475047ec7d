import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { fixedClock } from '../../support/fixed-clock.ts'

type Headers = Record<string, string>
interface Options {
  headers?: Headers
  payload?: object
  remoteAddress?: string
}
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'

const clock = fixedClock('2026-01-01T00:00:00Z')
const password = 'long-enough'
let terrane: TestApp
before(async () => {
  terrane = await createTestApp({ clock, env: { TERRANE_CORS_ORIGINS: 'https://maps.example.org' } })
  for (const role of ['user', 'staff', 'admin']) await createUser(`one-${role}`, role)
})
after(() => terrane.close())

function send(method: Method, url: string, options: Options = {}) {
  return terrane.app.inject({ method, url, ...options })
}

function asUser(role: string): Headers {
  return basicAuth(`one-${role}`, password)
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

describe('authentication', () => {
  it('asks for a login by Basic, and tells a wrong password no more than an unknown user', async () => {
    const missing = await send('GET', '/rest/workspaces')
    assert.equal(missing.statusCode, 401)
    assert.match(String(missing.headers['www-authenticate']), /^Basic realm="terrane"/)
    const wrong = await send('GET', '/rest/workspaces', { headers: basicAuth('one-user', 'no-such-thing') })
    const unknown = await send('GET', '/rest/workspaces', { headers: basicAuth('nobody', 'no-such-thing') })
    assert.equal(wrong.statusCode, 401)
    assert.equal(wrong.body, unknown.body)
  })

  it('refuses headers that are no credentials', async () => {
    for (const authorization of ['Basic', 'Basic %%%', 'Digest x', 'Bearer', 'Basic bm9jb2xvbg=='])
      assert.equal((await send('GET', '/rest/workspaces', { headers: { authorization } })).statusCode, 401)
  })

  it('takes passwords with colons and letters beyond ASCII', async () => {
    const payload = { user: { name: 'jürgen', password: 'päss:wörd', role: 'user' } }
    await send('POST', '/rest/security/users', { headers: terrane.admin, payload })
    const reply = await send('GET', '/rest/workspaces', { headers: basicAuth('jürgen', 'päss:wörd') })
    assert.equal(reply.statusCode, 200)
  })

  it('stores no password in clear', async () => {
    const { password_hash: hash } = await terrane.database.kysely
      .selectFrom('users')
      .select('password_hash')
      .where('name', '=', 'one-user')
      .executeTakeFirstOrThrow()
    assert.match(hash, /^scrypt\$/)
    assert.doesNotMatch(hash, /long-enough/)
  })

  it('lets everyone see health and the API description', async () => {
    for (const url of ['/health', '/openapi.json', '/docs'])
      assert.equal((await send('GET', url)).statusCode, 200, url)
  })
})

describe('roles', () => {
  const workspace = (name: string) => ({ payload: { workspace: { name } } })
  const cases: [string, Method, string, (role: string) => Options, Record<string, number>][] = [
    ['lists', 'GET', '/rest/layers', () => ({}), { anonymous: 401, user: 200, staff: 200, admin: 200 }],
    [
      'changes of the configuration',
      'POST',
      '/rest/workspaces',
      (role) => workspace(`of-${role}`),
      { anonymous: 401, user: 403, staff: 201, admin: 201 },
    ],
    [
      'the connection of a store',
      'GET',
      '/rest/workspaces/default/datastores/none',
      () => ({}),
      { anonymous: 401, user: 403, staff: 404, admin: 404 },
    ],
    [
      'users',
      'GET',
      '/rest/security/users',
      () => ({}),
      { anonymous: 401, user: 403, staff: 403, admin: 200 },
    ],
    [
      'own tokens',
      'GET',
      '/rest/security/tokens',
      () => ({}),
      { anonymous: 401, user: 200, staff: 200, admin: 200 },
    ],
  ]
  for (const [what, method, url, options, expected] of cases) {
    for (const [role, status] of Object.entries(expected)) {
      it(`answer ${status} to ${role} for ${what}`, async () => {
        const headers = role === 'anonymous' ? {} : asUser(role)
        const reply = await send(method, url, { ...options(role), headers })
        assert.equal(reply.statusCode, status)
        if (status === 403) assert.equal(reply.json().code, 'not-allowed')
      })
    }
  }

  it('let anonymous people read a public workspace, not its neighbours, and change nothing', async () => {
    const payload = { workspace: { name: 'open', public: true } }
    await send('POST', '/rest/workspaces', { headers: terrane.admin, payload })
    for (const url of ['/rest/workspaces/open', '/rest/workspaces/open/layers'])
      assert.equal((await send('GET', url)).statusCode, 200, url)
    assert.equal((await send('GET', '/rest/layers/open:nothing')).statusCode, 404)
    for (const url of [
      '/rest/workspaces/default',
      '/rest/workspaces/none',
      '/rest/layers/none:x',
      '/rest/layers/open',
    ])
      assert.equal((await send('GET', url)).statusCode, url === '/rest/layers/open' ? 404 : 401, url)
    assert.equal((await send('DELETE', '/rest/workspaces/open')).statusCode, 401)
  })
})

describe('users', () => {
  it('can be listed, read, changed and deleted, without their passwords', async () => {
    await createUser('temp', 'user')
    const url = '/rest/security/users/temp'
    const headers = terrane.admin
    const change = { user: { role: 'staff', email: 'temp@example.org', password: 'another-one' } }
    assert.equal((await send('PUT', url, { headers, payload: change })).statusCode, 200)
    const read = await send('GET', url, { headers })
    const { href, ...user } = read.json().user
    assert.deepEqual(user, { name: 'temp', email: 'temp@example.org', role: 'staff', enabled: true })
    assert.match(href, /\/rest\/security\/users\/temp$/)
    assert.equal((await send('DELETE', url, { headers })).statusCode, 200)
    assert.equal((await send('GET', url, { headers })).statusCode, 404)
    assert.equal(
      (await send('GET', '/rest/workspaces', { headers: basicAuth('temp', 'another-one') })).statusCode,
      401,
    )
  })

  it('have names of their own, passwords of some length, and known roles', async () => {
    const bad: [object, number][] = [
      [{ name: 'one-user', password }, 409],
      [{ name: 'a:b', password }, 400],
      [{ name: 'short', password: 'short' }, 400],
      [{ name: 'boss', password, role: 'boss' }, 400],
      [{ password }, 400],
    ]
    for (const [user, status] of bad) {
      const reply = await send('POST', '/rest/security/users', { headers: terrane.admin, payload: { user } })
      assert.equal(reply.statusCode, status, JSON.stringify(user))
    }
  })

  it('are believed the new password and not the old one as soon as it is changed', async () => {
    await createUser('changer', 'user')
    const old = basicAuth('changer', password)
    const { cookie } = await login('changer')
    assert.equal((await send('GET', '/rest/workspaces', { headers: old })).statusCode, 200)
    const change = (body: object, headers: Headers = old) =>
      send('PUT', '/rest/security/self/password', { headers, payload: body })
    const newPassword = 'the-new-one'
    assert.equal((await change({ newPassword })).statusCode, 400)
    const wrong = await change({ currentPassword: 'not-this-one', newPassword })
    assert.deepEqual([wrong.statusCode, wrong.json().code], [403, 'wrong-password'])
    assert.equal((await send('GET', '/rest/workspaces', { headers: old })).statusCode, 200)
    assert.equal((await change({ currentPassword: password, newPassword })).statusCode, 200)
    assert.equal((await send('GET', '/rest/workspaces', { headers: old })).statusCode, 401)
    assert.equal((await send('GET', '/rest/workspaces', { headers: { cookie } })).statusCode, 401)
    const fresh = basicAuth('changer', 'the-new-one')
    assert.equal((await send('GET', '/rest/workspaces', { headers: fresh })).statusCode, 200)
  })

  it('always keep one administrator', async () => {
    const other = await createTestApp()
    const url = '/rest/security/users/admin'
    const demote = { method: 'PUT' as const, url, headers: other.admin, payload: { user: { role: 'user' } } }
    assert.equal((await other.app.inject(demote)).statusCode, 409)
    assert.equal((await other.app.inject({ method: 'DELETE', url, headers: other.admin })).statusCode, 409)
    await other.close()
  })
})

describe('tokens', () => {
  it('stand for their user until they are revoked, and are shown once', async () => {
    const { id, value } = await createToken(asUser('staff'))
    const bearer = { authorization: `Bearer ${value}` }
    const payload = { workspace: { name: 'by-token' } }
    assert.equal((await send('POST', '/rest/workspaces', { headers: bearer, payload })).statusCode, 201)
    assert.equal((await send('GET', '/rest/security/users', { headers: bearer })).statusCode, 403)
    const list = await send('GET', '/rest/security/tokens', { headers: asUser('staff') })
    assert.equal(list.body.includes(value), false)
    const url = `/rest/security/tokens/${id}`
    assert.equal((await send('DELETE', url, { headers: asUser('user') })).statusCode, 404)
    assert.equal((await send('DELETE', url, { headers: asUser('staff') })).statusCode, 200)
    assert.equal((await send('GET', '/rest/workspaces', { headers: bearer })).statusCode, 401)
  })

  it('are kept as a digest only', async () => {
    const { value } = await createToken(asUser('user'))
    const rows = await terrane.database.kysely.selectFrom('tokens').selectAll().execute()
    assert.equal(JSON.stringify(rows).includes(value), false)
  })

  it('end when they were said to', async () => {
    const { value } = await createToken(asUser('user'), { expires: '2026-01-01T01:00:00Z' })
    const headers = { authorization: `Bearer ${value}` }
    assert.equal((await send('GET', '/rest/workspaces', { headers })).statusCode, 200)
    clock.advance(3600_000)
    assert.equal((await send('GET', '/rest/workspaces', { headers })).statusCode, 401)
  })

  it('do not suffice to make tokens or to change the password', async () => {
    const { value } = await createToken(asUser('user'))
    const headers = { authorization: `Bearer ${value}` }
    const token = await send('POST', '/rest/security/tokens', {
      headers,
      payload: { token: { name: 'more' } },
    })
    assert.equal(token.statusCode, 403)
    const payload = { currentPassword: password, newPassword: 'taken-over' }
    assert.equal((await send('PUT', '/rest/security/self/password', { headers, payload })).statusCode, 403)
  })
})

describe('sessions', () => {
  it('carry reads by cookie, and changes only with the CSRF token', async () => {
    const { cookie, csrf } = await login('one-staff')
    assert.equal((await send('GET', '/rest/workspaces', { headers: { cookie } })).statusCode, 200)
    const change = (name: string, headers: Headers) =>
      send('POST', '/rest/workspaces', { headers: { cookie, ...headers }, payload: { workspace: { name } } })
    assert.equal((await change('s1', {})).statusCode, 403)
    assert.equal((await change('s1', { 'x-csrf-token': 'guess' })).json().code, 'csrf-token-missing')
    assert.equal((await change('s1', { 'x-csrf-token': csrf })).statusCode, 201)
  })

  it('have a cookie that scripts and other sites do not get', async () => {
    const reply = await send('POST', '/rest/security/session', {
      payload: { session: { name: 'one-user', password } },
    })
    assert.match(String(reply.headers['set-cookie']), /HttpOnly; SameSite=Lax$/)
  })

  it('end by logout and by time', async () => {
    for (const end of ['logout', 'time']) {
      const { cookie, csrf } = await login('one-user')
      if (end === 'time') clock.advance(12 * 3600_000)
      else {
        const headers = { cookie, 'x-csrf-token': csrf }
        assert.equal((await send('DELETE', '/rest/security/session', { headers })).statusCode, 200)
      }
      assert.equal((await send('GET', '/rest/workspaces', { headers: { cookie } })).statusCode, 401, end)
    }
  })
})

describe('foreign pages', () => {
  const create = (headers: Headers) =>
    send('POST', '/rest/workspaces', {
      headers: { ...terrane.admin, host: 'terrane.example.org', ...headers },
      payload: { workspace: { name: `page${Math.random()}` } },
    })

  it('may not change anything', async () => {
    const foreign: Headers[] = [
      { origin: 'https://evil.example.org' },
      { origin: 'null' },
      { origin: 'https://evil.example.org', 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign)
      assert.equal((await create(headers)).json().code, 'foreign-origin', JSON.stringify(headers))
  })

  it('are told from own pages, programs and named origins', async () => {
    const own: Headers[] = [
      {},
      { origin: 'http://terrane.example.org', 'sec-fetch-site': 'same-origin' },
      { origin: 'https://maps.example.org', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of own) assert.equal((await create(headers)).statusCode, 201, JSON.stringify(headers))
  })

  it('get CORS headers only when their origin is named', async () => {
    const preflight = (origin: string) =>
      send('OPTIONS', '/rest/workspaces', { headers: { origin, 'access-control-request-method': 'POST' } })
    const named = await preflight('https://maps.example.org')
    assert.equal(named.statusCode, 204)
    assert.equal(named.headers['access-control-allow-origin'], 'https://maps.example.org')
    assert.match(String(named.headers['access-control-allow-headers']), /Authorization/)
    const other = await preflight('https://evil.example.org')
    assert.equal(other.headers['access-control-allow-origin'], undefined)
  })
})

describe('guessing', () => {
  const guess = (name: string, word: string, remoteAddress: string) =>
    send('GET', '/rest/workspaces', { headers: basicAuth(name, word), remoteAddress })

  it('is slowed down for the address and account, and for no other address', async () => {
    for (let count = 0; count < 5; count += 1)
      assert.equal((await guess('one-user', `guess-${count}`, '192.0.2.1')).statusCode, 401)
    const slowed = await guess('one-user', password, '192.0.2.1')
    assert.equal(slowed.statusCode, 429)
    assert.equal(slowed.headers['retry-after'], '1')
    assert.equal((await guess('one-user', password, '192.0.2.2')).statusCode, 200)
    assert.equal((await guess('one-staff', password, '192.0.2.1')).statusCode, 200)
    clock.advance(1000)
    assert.equal((await guess('one-user', password, '192.0.2.1')).statusCode, 200)
  })

  it('of tokens and at the login is slowed down too', async () => {
    const headers = { authorization: 'Bearer trn_guess' }
    const statuses: number[] = []
    for (let count = 0; count < 51; count += 1)
      statuses.push(
        (await send('GET', '/rest/workspaces', { headers, remoteAddress: '192.0.2.3' })).statusCode,
      )
    assert.equal(statuses.at(-1), 429)
    const payload = { session: { name: 'one-user', password: 'wrong' } }
    for (let count = 0; count < 6; count += 1)
      statuses.push(
        (
          await send('POST', '/rest/security/session', {
            payload: { session: { ...payload.session, password: `w${count}` } },
            remoteAddress: '192.0.2.4',
          })
        ).statusCode,
      )
    assert.equal(statuses.at(-1), 429)
  })

  it('does not count many right logins at once', async () => {
    await createUser('busy', 'user')
    const replies = await Promise.all(Array.from({ length: 30 }, () => guess('busy', password, '192.0.2.5')))
    assert.ok(replies.every((reply) => reply.statusCode === 200))
  })
})

describe('answers', () => {
  it('carry headers against sniffing and framing, failures too', async () => {
    for (const url of ['/health', '/rest/workspaces', '/nothing']) {
      const { headers } = await send('GET', url)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
      assert.match(String(headers['permissions-policy']), /geolocation=\(self\).*camera=\(\)/)
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    }
  })
})
