import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basicAuth, createTestApp, type TestApp } from '../../support/app.ts'
import { importPoints } from '../../support/versioned-layers.ts'

const password = 'otter granite umbrella'

describe('API tokens', () => {
  let server: TestApp
  before(async () => {
    server = await createTestApp()
    await importPoints(server, { name: 'first' })
    await importPoints(server, { name: 'second' })
    await send('POST', '/rest/security/users', { user: { name: 'anna', password, role: 'staff' } })
  })
  after(() => server.close())

  const send = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: object,
    headers: Record<string, string> = server.admin,
  ) => server.app.inject({ method, url, headers, ...(payload && { payload }) })
  const anna = basicAuth('anna', password)
  const makeToken = async (limits: object): Promise<{ value: string; bearer: Record<string, string> }> => {
    const reply = await send('POST', '/rest/security/tokens', { token: { name: 'test', ...limits } }, anna)
    assert.equal(reply.statusCode, 201, reply.body)
    const { value } = reply.json<{ token: { value: string } }>().token
    return { value, bearer: { authorization: `Bearer ${value}` } }
  }
  const status = async (...args: Parameters<typeof send>) => (await send(...args)).statusCode

  it('show their scopes, workspace, layers and last use', async () => {
    const { bearer } = await makeToken({ scopes: ['read', 'import'], workspace: 'default' })
    await send('GET', '/rest/workspaces', undefined, bearer)
    const { tokens } = (await send('GET', '/rest/security/tokens', undefined, anna)).json<{
      tokens: { scopes?: string[]; workspace?: string; lastUsed?: string }[]
    }>()
    const { scopes, workspace, lastUsed } = tokens.at(-1) ?? {}
    assert.deepEqual([scopes, workspace], [['read', 'import'], 'default'])
    assert.match(String(lastUsed), /^\d{4}-/)
  })

  it('with the scope read change nothing, with import only imports, with manage everything', async () => {
    const change = { layer: { title: 'New title' } }
    const expected: [scope: string, get: number, create: number, put: number][] = [
      ['read', 200, 403, 403],
      ['import', 200, 201, 403],
      ['manage', 200, 201, 200],
    ]
    for (const [scope, get, create, put] of expected) {
      const { bearer } = await makeToken({ scopes: [scope] })
      assert.equal(await status('GET', '/rest/layers/default:first', undefined, bearer), get, scope)
      assert.equal(await status('POST', '/rest/imports', {}, bearer), create, scope)
      assert.equal(await status('PUT', '/rest/layers/default:first', change, bearer), put, scope)
    }
    const refused = await send('POST', '/rest/imports', {}, (await makeToken({ scopes: ['read'] })).bearer)
    assert.equal(refused.json<{ code: string }>().code, 'scope-missing')
  })

  it('of a workspace change nothing in another one', async () => {
    await send('POST', '/rest/workspaces', { workspace: { name: 'other' } })
    const { bearer } = await makeToken({ workspace: 'other' })
    const change = (name: string) => ({ workspace: { name, public: false } })
    assert.equal(await status('PUT', '/rest/layers/default:first', { layer: { title: 'x' } }, bearer), 403)
    assert.equal(await status('POST', '/rest/workspaces', change('third'), bearer), 403)
    assert.equal(await status('PUT', '/rest/workspaces/other', change('other'), bearer), 200)
  })

  it('in an address need a list of layers, and read those alone', async () => {
    const all = await makeToken({})
    const refused = await send('GET', `/tiles/default:first?access_token=${all.value}`, undefined, {})
    assert.deepEqual(
      [refused.statusCode, refused.json<{ code: string }>().code],
      [401, 'token-not-for-addresses'],
    )
    const { value, bearer } = await makeToken({ layers: ['default:first'] })
    const read = (path: string) => status('GET', `${path}access_token=${value}`, undefined, {})
    assert.equal(await read('/tiles/default:first/0/0/0.mvt?'), 200)
    assert.equal(await read('/tiles/default:second/0/0/0.mvt?'), 404)
    const wfs = '/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames='
    assert.equal(await read(`${wfs}default:first&`), 200)
    assert.equal(await read(`${wfs}default:second&`), 400)
    const capabilities = await send(
      'GET',
      `/wms?service=WMS&request=GetCapabilities&access_token=${value}`,
      undefined,
      {},
    )
    assert.match(capabilities.body, /<Name>default:first</)
    assert.doesNotMatch(capabilities.body, /default:second/)
    assert.equal(await status('GET', '/rest/layers/default:second', undefined, bearer), 404)
    assert.equal(await status('DELETE', '/rest/layers/default:first', undefined, bearer), 403)
    assert.equal(await status('GET', '/rest/imports', undefined, bearer), 403)
  })

  it('for layers cannot have other scopes', async () => {
    const token = { name: 'test', layers: ['default:first'], scopes: ['manage'] }
    const reply = await send('POST', '/rest/security/tokens', { token }, anna)
    assert.equal(reply.statusCode, 400)
  })

  it('are revoked by a password that an administrator sets, unless they are to be kept, and by switching off', async () => {
    const set = (user: object) => send('PUT', '/rest/security/users/anna', { user })
    const kept = await makeToken({})
    await set({ password, keepTokens: true })
    assert.equal(await status('GET', '/rest/workspaces', undefined, kept.bearer), 200)
    await set({ password })
    assert.equal(await status('GET', '/rest/workspaces', undefined, kept.bearer), 401)
    const later = await makeToken({})
    await set({ enabled: false })
    await set({ enabled: true })
    assert.equal(await status('GET', '/rest/workspaces', undefined, later.bearer), 401)
  })

  it('are listed as sessions are, which their owner ends', async () => {
    const reply = await send('POST', '/rest/security/session', { session: { name: 'anna', password } }, {})
    const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? ''
    const { csrfToken } = reply.json<{ session: { csrfToken: string } }>().session
    const own = { cookie, 'x-csrf-token': csrfToken }
    const { sessions } = (await send('GET', '/rest/security/self/sessions', undefined, own)).json<{
      sessions: { id: string; current: boolean; via: string; address: string }[]
    }>()
    const [session] = sessions
    assert.deepEqual([session?.current, session?.via, session?.address], [true, 'password', '127.0.0.1'])
    assert.equal(await status('DELETE', `/rest/security/self/sessions/${session?.id}`, undefined, own), 200)
    assert.equal(await status('GET', '/rest/security/session', undefined, own), 401)
  })

  it('cannot replace a weak password of one’s own', async () => {
    const body = { currentPassword: password, newPassword: 'password1' }
    const reply = await send('PUT', '/rest/security/self/password', body, anna)
    assert.deepEqual([reply.statusCode, reply.json<{ code: string }>().code], [400, 'weak-password'])
  })
})
