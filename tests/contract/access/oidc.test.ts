import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Clock, systemClock } from '../../../src/core/time/clock.ts'
import { adminPassword, basicAuth, createTestApp, type TestApp } from '../../support/app.ts'
import {
  clientId,
  clientSecret,
  type IssuerShape,
  redirectHost,
  startIssuer,
  type TestIssuer,
  tenant,
} from '../../support/oidc-issuer.ts'
import { until } from '../../support/until.ts'

const groupId = '0d3f1f6e-1111-4111-8111-111111111111'
const adminGroupId = '0d3f1f6e-2222-4222-8222-222222222222'

const shapes: Record<IssuerShape, { env: Record<string, string>; claims: object; admin: object }> = {
  keycloak: {
    env: { TERRANE_OIDC_GROUPS_CLAIM: 'realm_access.roles', TERRANE_OIDC_ADMIN_GROUP: 'gis-admins' },
    claims: {
      preferred_username: 'anna',
      email: 'anna@city.example',
      email_verified: true,
      realm_access: { roles: ['editors'] },
    },
    admin: { preferred_username: 'chief', realm_access: { roles: ['editors', 'gis-admins'] } },
  },
  entra: {
    env: { TERRANE_OIDC_SUBJECT_CLAIM: 'oid', TERRANE_OIDC_ADMIN_GROUP: adminGroupId },
    claims: {
      preferred_username: 'anna@city.example',
      oid: '11111111-0000-4000-8000-000000000000',
      tid: tenant,
      groups: [groupId],
    },
    admin: { preferred_username: 'chief', oid: '2', tid: tenant, groups: [groupId, adminGroupId] },
  },
}

async function startServer(
  issuer: string,
  env: Record<string, string> = {},
  clock: Clock = systemClock,
): Promise<TestApp> {
  return createTestApp({
    clock,
    env: {
      TERRANE_PUBLIC_URL: redirectHost,
      TERRANE_OIDC_ISSUER: issuer,
      TERRANE_OIDC_CLIENT_ID: clientId,
      TERRANE_OIDC_CLIENT_SECRET: clientSecret,
      ...env,
    },
  })
}

function cookieOf(reply: { headers: Record<string, unknown> }, name: string): string | undefined {
  const list = [reply.headers['set-cookie'] ?? []].flat().map(String)
  return list
    .map((one) => one.split(';')[0] ?? '')
    .find((one) => one.startsWith(`${name}=`) && one.length > name.length + 1)
}

function clientOf(server: TestApp, issuer: TestIssuer) {
  const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers })
  /** The parts of a sign-in up to the return from the provider. */
  const toProvider = async (): Promise<{ returned: string; cookie: string }> => {
    const start = await get('/rest/security/oidc/start?to=/app/import')
    assert.equal(start.statusCode, 302, start.body)
    const cookie = cookieOf(start, 'terrane_sign_in') ?? assert.fail('no cookie')
    const returned = await issuer.follow(String(start.headers.location))
    return { returned: returned.slice(redirectHost.length), cookie }
  }
  const signIn = async () => {
    const { returned, cookie } = await toProvider()
    const reply = await get(returned, { cookie })
    const session = cookieOf(reply, 'terrane_session')
    return { reply, session, returned, cookie }
  }
  /** Signs in, which must not succeed, and returns the code and the text. */
  const refusal = async (): Promise<string> => {
    const { reply, session } = await signIn()
    assert.equal(session, undefined, 'there is a session')
    assert.equal(reply.statusCode, 401, reply.body)
    const { code, detail } = reply.json<{ code: string; detail: string }>()
    return `${code}: ${detail}`
  }
  return { get, toProvider, signIn, refusal }
}

for (const [name, shape] of Object.entries(shapes) as [IssuerShape, (typeof shapes)['entra']][])
  describe(`OpenID Connect with claims of ${name}`, () => {
    let issuer: TestIssuer
    let server: TestApp
    before(async () => {
      issuer = await startIssuer(name)
      issuer.accounts.set('anna', { claims: { ...shape.claims } })
      issuer.accounts.set('chief', { claims: { ...shape.admin } })
      server = await startServer(issuer.url, shape.env)
    })
    after(async () => {
      await server.close()
      await issuer.close()
    })

    it('signs in with PKCE, and follows the groups and the admin group of the provider', async () => {
      const client = clientOf(server, issuer)
      const start = await client.get('/rest/security/oidc/start')
      assert.match(String(start.headers.location), /code_challenge_method=S256/)
      const { reply, session = '' } = await client.signIn()
      assert.equal(reply.headers.location, `${redirectHost}/app/sign-in?to=%2Fapp%2Fimport`)
      const shown = (await client.get('/rest/security/session', { cookie: session })).json<{
        session: { user: string; role: string }
      }>()
      const user = name === 'entra' ? 'anna@city.example' : 'anna'
      assert.deepEqual([shown.session.user, shown.session.role], [user, 'user'])
      const groups = await server.accounts.groups.list()
      const expected = name === 'entra' ? groupId : 'editors'
      assert.deepEqual(
        groups.map((group) => [group.name, group.members]),
        [[expected, [{ user, source: 'oidc' }]]],
      )
      issuer.account = 'chief'
      await client.signIn()
      assert.equal((await server.accounts.users.get('chief')).role, 'admin')
      issuer.accounts.set('chief', { claims: { ...shape.admin, groups: [], realm_access: { roles: [] } } })
      await client.signIn()
      assert.equal((await server.accounts.users.get('chief')).role, 'user')
      issuer.account = 'anna'
    })

    it('takes bearer access tokens of the issuer for its audience alone', async () => {
      const { get } = clientOf(server, issuer)
      const now = Math.floor(Date.now() / 1000)
      const good = { iss: issuer.url, sub: 'anna', aud: clientId, iat: now, exp: now + 60, ...shape.claims }
      const statusOf = async (token: string) =>
        (await get('/rest/workspaces', { authorization: `Bearer ${token}` })).statusCode
      assert.equal(await statusOf(issuer.sign(good)), 200)
      const wrong = {
        audience: { ...good, aud: 'another' },
        issuer: { ...good, iss: 'https://elsewhere.example' },
        end: { ...good, exp: now - 120 },
        start: { ...good, nbf: now + 120 },
        'ID token': { ...good, nonce: 'n' },
      }
      for (const [what, claims] of Object.entries(wrong))
        assert.equal(await statusOf(issuer.sign(claims)), 401, what)
      const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${issuer.sign(good).split('.')[1]}.`
      assert.equal(await statusOf(unsigned), 401)
      assert.equal(await statusOf(`${issuer.sign(good).slice(0, -8)}AAAAAAAA`), 401)
    })
  })

describe('OpenID Connect', () => {
  let issuer: TestIssuer
  let server: TestApp
  before(async () => {
    issuer = await startIssuer('keycloak')
    issuer.accounts.set('anna', { claims: { ...shapes.keycloak.claims, sid: 'one' } })
    server = await startServer(issuer.url)
  })
  after(async () => {
    await server.close()
    await issuer.close()
  })

  it('refuses ID tokens with a wrong audience, issuer, clock or nonce, with the reason', async () => {
    const { refusal } = clientOf(server, issuer)
    const now = Math.floor(Date.now() / 1000)
    const wrong: [claims: object, text: RegExp][] = [
      [{ aud: 'another' }, /sign-in-refused: .*aud/],
      [{ iss: 'https://elsewhere.example' }, /sign-in-refused: .*iss/],
      [{ exp: now - 3600 }, /sign-in-refused: .*exp/],
      [{ nonce: 'another' }, /sign-in-refused: .*nonce/],
    ]
    for (const [claims, text] of wrong) {
      issuer.tamper = (all) => ({ ...all, ...claims })
      assert.match(await refusal(), text)
    }
    issuer.tamper = undefined
  })

  it('refuses a replayed code, a foreign state, and a return that was not begun here', async () => {
    const { get, signIn, toProvider } = clientOf(server, issuer)
    const { returned, cookie, session } = await signIn()
    assert.ok(session)
    const codes: string[] = []
    const failed = async (url: string, headers: Record<string, string>) => {
      const reply = await get(url, headers)
      assert.equal(reply.statusCode, 401, reply.body)
      assert.equal(cookieOf(reply, 'terrane_session'), undefined)
      codes.push(reply.json<{ code: string }>().code)
    }
    await failed(returned, { cookie })
    const other = await toProvider()
    await failed(returned, { cookie: other.cookie })
    await failed((await toProvider()).returned, {})
    const replay = await toProvider()
    const code = new URL(returned, redirectHost).searchParams.get('code') ?? ''
    await failed(replay.returned.replace(/code=[^&]+/, `code=${code}`), { cookie: replay.cookie })
    assert.deepEqual(codes, ['sign-in-expired', 'sign-in-refused', 'sign-in-expired', 'sign-in-refused'])
  })

  it('shows failures to browsers on the sign-in page', async () => {
    const reply = await clientOf(server, issuer).get('/rest/security/oidc/callback?code=x', {
      accept: 'text/html',
    })
    assert.equal(reply.headers.location, `${redirectHost}/app/sign-in?failure=sign-in-expired`)
  })

  it('does not give an account the user of its name, unless verified e-mail addresses link them', async () => {
    const create = (user: object) =>
      server.app.inject({
        method: 'POST',
        url: '/rest/security/users',
        headers: server.admin,
        payload: { user },
      })
    await create({ name: 'bert', password: 'otter granite', email: 'Bert@City.example' })
    issuer.account = 'bert'
    const claims = { preferred_username: 'bert', email: 'bert@city.example', email_verified: true }
    issuer.accounts.set('bert', { claims })
    const { signIn } = clientOf(server, issuer)
    const first = await signIn()
    assert.equal(first.reply.json<{ code: string }>().code, 'account-exists')
    const linking = await startServer(issuer.url, { TERRANE_OIDC_LINK: 'email' })
    try {
      await linking.accounts.users.create({
        name: 'bert',
        password: 'x'.repeat(12),
        email: 'Bert@City.example',
      })
      issuer.accounts.set('bert', { claims: { ...claims, email_verified: false } })
      const unverified = await clientOf(linking, issuer).signIn()
      assert.equal(unverified.session, undefined)
      issuer.accounts.set('bert', { claims })
      assert.ok((await clientOf(linking, issuer).signIn()).session)
      assert.equal((await linking.accounts.users.list()).length, 2)
    } finally {
      await linking.close()
      issuer.account = 'anna'
    }
  })

  it('ends sessions by back-channel logout, and names the address that ends the session of the provider', async () => {
    const { get, signIn } = clientOf(server, issuer)
    const { session = '' } = await signIn()
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer.url,
      aud: clientId,
      sub: 'anna',
      iat: now,
      exp: now + 60,
      jti: 'one',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    }
    const post = (token: string) =>
      server.app.inject({
        method: 'POST',
        url: '/rest/security/oidc/logout',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: `logout_token=${token}`,
      })
    assert.equal((await post(issuer.sign({ ...claims, events: {} }))).statusCode, 400)
    assert.equal((await get('/rest/security/session', { cookie: session })).statusCode, 200)
    assert.equal((await post(issuer.sign(claims))).statusCode, 200)
    assert.equal((await get('/rest/security/session', { cookie: session })).statusCode, 401)
    const again = (await signIn()).session ?? ''
    const { csrfToken } = (await get('/rest/security/session', { cookie: again })).json<{
      session: { csrfToken: string }
    }>().session
    const out = await server.app.inject({
      method: 'DELETE',
      url: '/rest/security/session',
      headers: { cookie: again, 'x-csrf-token': csrfToken },
    })
    const { providerUrl } = out.json<{ logout: { providerUrl: string } }>().logout
    assert.match(providerUrl, /session\/end\?.*id_token_hint=/)
  })

  it('follows a new signing key of the provider', async () => {
    issuer.rotate()
    // The server reads the keys at most every five seconds.
    await until(async () => (await clientOf(server, issuer).signIn()).session !== undefined)
  })
})

describe('a user who is removed at the provider', () => {
  it('loses sessions and tokens at the next check', async (t) => {
    const issuer = await startIssuer('keycloak')
    t.after(() => issuer.close())
    issuer.accounts.set('anna', { claims: { ...shapes.keycloak.claims } })
    let now = Date.now()
    const clock = { now: () => new Date(now) }
    const server = await startServer(issuer.url, {}, clock)
    t.after(() => server.close())
    const { get, signIn } = clientOf(server, issuer)
    const { session = '' } = await signIn()
    const token = (await server.accounts.tokens.create('anna', { caption: 'nightly' })).text
    const statuses = async () => [
      (await get('/rest/security/session', { cookie: session })).statusCode,
      (await get('/rest/workspaces', { authorization: `Bearer ${token}` })).statusCode,
    ]
    now += 61 * 60_000
    await server.providerChecks.run()
    assert.deepEqual(await statuses(), [200, 200])
    issuer.accounts.delete('anna')
    await server.providerChecks.run()
    assert.deepEqual(await statuses(), [200, 200], 'not due yet')
    now += 61 * 60_000
    await server.providerChecks.run()
    assert.deepEqual(await statuses(), [401, 401])
    const [entry] = await server.auditLog.list({ action: 'access.remove' }, 1)
    assert.equal(entry?.user, 'anna')
  })
})

describe('an OpenID Connect provider that cannot be asked', () => {
  it('with a certificate that nobody trusts is named, and local passwords go on', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'terrane-tls-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const files = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') }
    execFileSync(
      'openssl',
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout ${files.key} -out ${files.cert}`.split(
        ' ',
      ),
      { stdio: 'ignore' },
    )
    const issuer = await startIssuer('keycloak', {
      tls: { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8') },
    })
    t.after(() => issuer.close())
    const server = await startServer(issuer.url)
    t.after(() => server.close())
    const start = await server.app.inject({ url: '/rest/security/oidc/start' })
    assert.equal(start.statusCode, 503)
    assert.match(start.json<{ detail: string }>().detail, /self-signed certificate/)
    const local = await server.app.inject({
      url: '/rest/workspaces',
      headers: basicAuth('admin', adminPassword),
    })
    assert.equal(local.statusCode, 200)
  })

  it('that is away is a 503, and no sign-in by password waits for it', async (t) => {
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as { port: number }
    gone.close()
    const server = await startServer(`http://127.0.0.1:${port}/realms/city`)
    t.after(() => server.close())
    const start = await server.app.inject({ url: '/rest/security/oidc/start' })
    assert.deepEqual([start.statusCode, start.json<{ code: string }>().code], [503, 'provider-unavailable'])
    const local = await server.app.inject({
      url: '/rest/workspaces',
      headers: basicAuth('admin', adminPassword),
    })
    assert.equal(local.statusCode, 200)
  })
})
