import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestApp } from '../../support/app.ts'
import { basicAuth, createTestApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { ask } from '../../support/version-client.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const password = 'long-enough-password'

describe('an administrator who sees as another subject', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp({ env: { TERRANE_DEFAULT_READ: 'granted' } })
    for (const name of ['trees', 'roads', 'wells']) await importPoints(server, { name })
    await ask(server, 'PUT', '/rest/layers/default:wells', { layer: { public: true } })
    for (const name of ['anna', 'gone'])
      await ask(server, 'POST', '/rest/security/users', { user: { name, password } })
    await ask(server, 'PUT', '/rest/security/users/gone', { user: { enabled: false } })
    await ask(server, 'POST', '/rest/security/groups', { group: { name: 'Straßen', members: [] } })
    for (const permission of [
      { subject: { user: 'anna' }, resource: 'default:trees', actions: ['read'] },
      { subject: { group: 'Straßen' }, resource: 'default:roads', actions: ['read'] },
    ])
      await ask(server, 'POST', '/rest/security/permissions', { permission })
  })
  after(() => server.close())

  const get = (url: string, headers: Record<string, string>) =>
    server.app.inject({ url, headers: { ...server.admin, ...headers } })
  const seeing = (subject: string) => ({ 'terrane-see-as': subject })
  const codeOf = (reply: { body: string }): string => (JSON.parse(reply.body) as { code: string }).code
  const layersOf = async (headers: Record<string, string>): Promise<string[]> => {
    const reply = await server.app.inject({ url: '/rest/catalogue/layers', headers })
    assert.equal(reply.statusCode, 200, reply.body)
    return reply
      .json<{ layers: { name: string }[] }>()
      .layers.map(({ name }) => name)
      .toSorted()
  }
  const signIn = async (name: string, secret: string): Promise<{ cookie: string; token: string }> => {
    const reply = await server.app.inject({
      method: 'POST',
      url: '/rest/security/session',
      payload: { session: { name, password: secret } },
    })
    const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? ''
    return { cookie, token: reply.json<{ session: { csrfToken: string } }>().session.csrfToken }
  }

  it('gets the layers, and the missing ones, of a user, a member of a group and an anonymous caller', async () => {
    const group = `group:${encodeURIComponent('Straßen')}`
    for (const [subject, expected, hidden] of [
      ['user:anna', ['trees', 'wells'], 404],
      [group, ['roads', 'wells'], 404],
      ['anonymous', ['wells'], 401],
    ] as const) {
      assert.deepEqual(await layersOf({ ...server.admin, ...seeing(subject) }), expected, subject)
      const own = expected.includes('trees' as never) ? 'roads' : 'trees'
      assert.equal((await get(`/rest/layers/default:${own}`, seeing(subject))).statusCode, hidden, subject)
    }
    assert.deepEqual(await layersOf({ ...basicAuth('anna', password) }), ['trees', 'wells'])
    assert.deepEqual(await layersOf(server.admin), ['roads', 'trees', 'wells'])
    const explained = await get('/rest/security/access?resource=default:roads', seeing(group))
    const { access } = explained.json<{ access: { groups: string[]; user: string | null } }>()
    assert.deepEqual([access.user, access.groups], [null, ['Straßen']])
  })

  it('has responses that nobody stores, whatever the client has stored before', async () => {
    const stored = await get('/rest/layers/default:trees', {})
    const etag = String(stored.headers.etag)
    const again = await get('/rest/layers/default:trees', { ...seeing('user:anna'), 'if-none-match': etag })
    assert.equal(again.statusCode, 200)
    assert.equal(again.headers['cache-control'], 'no-store')
    assert.equal(again.headers.etag, undefined)
  })

  it('changes nothing, and reaches no accounts, tokens, sessions or audit log', async () => {
    const change = await server.app.inject({
      method: 'PUT',
      url: '/rest/layers/default:trees',
      headers: { ...server.admin, ...seeing('user:anna') },
      payload: { layer: { title: 'Changed' } },
    })
    assert.deepEqual([change.statusCode, codeOf(change)], [403, 'see-as-reads-only'])
    for (const url of [
      '/rest/security/tokens',
      '/rest/security/self/sessions',
      '/rest/security/self/factors',
      '/rest/security/users',
      '/rest/security/permissions',
      '/rest/audit',
    ]) {
      const reply = await get(url, seeing('user:anna'))
      assert.deepEqual([reply.statusCode, codeOf(reply)], [403, 'see-as-not-here'], url)
    }
  })

  it('is an administrator, and names a subject that exists', async () => {
    const url = '/rest/layers'
    const anna = await server.app.inject({
      url,
      headers: { ...basicAuth('anna', password), ...seeing('anonymous') },
    })
    assert.equal(anna.statusCode, 403)
    assert.equal((await server.app.inject({ url, headers: seeing('anonymous') })).statusCode, 401)
    for (const subject of ['user:nobody', 'user:gone', 'group:nobody', 'staff', 'user:', ''])
      assert.equal(codeOf(await get(url, seeing(subject))), 'unknown-subject', subject)
  })

  it('may name the subject by a cookie of the session, which is nothing to others', async () => {
    const admin = await signIn('admin', 'test-admin-password')
    const anna = await signIn('anna', password)
    const as = (session: string, subject: string) => ({ cookie: `${session}; terrane_see_as=${subject}` })
    assert.deepEqual(await layersOf(as(admin.cookie, 'user:anna')), ['trees', 'wells'])
    // A subject that was deleted meanwhile: what is public.
    assert.deepEqual(await layersOf(as(admin.cookie, 'user:nobody')), ['wells'])
    assert.deepEqual(await layersOf(as(anna.cookie, 'user:admin')), ['trees', 'wells'])
    assert.deepEqual(await layersOf({ cookie: 'terrane_see_as=user:admin' }), ['wells'])
    const session = await server.app.inject({
      url: '/rest/security/session',
      headers: as(admin.cookie, 'anonymous'),
    })
    assert.equal(session.json<{ session: { user: string } }>().session.user, 'admin')
    const out = await server.app.inject({
      method: 'DELETE',
      url: '/rest/security/session',
      headers: { ...as(admin.cookie, 'anonymous'), 'x-csrf-token': admin.token },
    })
    assert.equal(out.statusCode, 200, out.body)
  })

  it('is in the audit log, once an hour for each subject, as are refused changes', async () => {
    const entriesOf = async (query: string) => {
      const reply = await get(`/rest/audit?${query}`, {})
      return reply.json<{ entries: { user: string; resource: string; outcome: string }[] }>().entries
    }
    await get('/rest/layers', seeing('user:anna'))
    await until(async () =>
      (await entriesOf('action=see-as')).some(({ resource }) => resource === 'user:anna'),
    )
    const entries = await entriesOf('action=see-as')
    const ofAnna = entries.filter(({ resource }) => resource === 'user:anna')
    assert.deepEqual(
      ofAnna.map(({ user }) => user),
      ['admin'],
    )
    assert.ok(entries.some(({ resource }) => resource === 'group:Straßen'))
    const refused = (await entriesOf('action=layer.change')).filter(({ outcome }) => outcome === 'refused')
    assert.deepEqual(
      refused.map(({ user }) => user),
      ['admin'],
    )
  })
})
