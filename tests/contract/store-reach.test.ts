import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { before, describe, it } from 'node:test'
import { defined, without } from '../../src/core/values/defined.ts'
import type { TestApp } from '../support/app.ts'
import { basicAuth, createTestApp } from '../support/app.ts'
import { fileDatabase, storeParameters } from '../support/postgis-store.ts'
import { importPoints } from '../support/versioned-layers.ts'

const stores = '/rest/workspaces/default/datastores'
const password = 'long-enough-password'

async function start(test: TestContext, env: Record<string, string> = {}) {
  const server: TestApp = await createTestApp({ env })
  test.after(() => server.close())
  const user = { name: 'someone', password, role: 'staff' }
  await server.app.inject({
    method: 'POST',
    url: '/rest/security/users',
    headers: server.admin,
    payload: { user },
  })
  const send = (
    who: 'admin' | 'staff',
    method: 'POST' | 'PUT' | 'GET',
    url: string,
    payload?: Record<string, unknown>,
  ) =>
    server.app.inject({
      method,
      url,
      headers: who === 'admin' ? server.admin : basicAuth('someone', password),
      ...defined({ payload }),
    })
  const make = (who: 'admin' | 'staff', name: string, connectionParameters: Record<string, string>) =>
    send(who, 'POST', stores, { dataStore: { name, type: 'PostGIS', connectionParameters } })
  return { server, send, make }
}

describe('PostGIS stores of staff', () => {
  let parameters: Record<string, string>
  before(async () => {
    parameters = storeParameters(await fileDatabase())
  })

  it('do not tell what listens on this host or in private networks', async (test) => {
    const { make } = await start(test)
    const listening = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => listening.once('listening', resolve))
    const open = String((listening.address() as AddressInfo).port)
    listening.close()
    const hosts = [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0.0.0.0',
      '::1',
      '::ffff:127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '192.168.1.1',
      '/tmp',
    ]
    for (const host of hosts) {
      const replies = await Promise.all([
        make('staff', 'probe', { ...parameters, host }),
        make('staff', 'probe', { ...parameters, host, port: '1' }),
        make('staff', 'probe', { ...parameters, host, port: open }),
        make('staff', 'probe', { ...parameters, host, 'SSL mode': 'require' }),
      ])
      for (const reply of replies) {
        assert.equal(reply.statusCode, 400, `${host}: ${reply.body}`)
        assert.equal(reply.json<{ code: string }>().code, 'address-refused', `${host}: ${reply.body}`)
        assert.equal(reply.body, replies[0].body)
      }
    }
    const rest = without(parameters, 'host')
    assert.equal((await make('staff', 'probe', rest)).json<{ code: string }>().code, 'address-refused')
  })

  it('connect within TERRANE_REMOTE_ALLOW, load and are read', async (test) => {
    const { server, make, send } = await start(test, { TERRANE_REMOTE_ALLOW: '127.0.0.0/8' })
    const made = await make('staff', 'own', { ...parameters, host: '127.0.0.1' })
    assert.equal(made.statusCode, 201, made.body)
    await importPoints(server, { store: 'own', name: 'reached' })
    const items = await send('staff', 'GET', '/ogc/collections/default:reached/items')
    assert.equal(items.json<{ numberMatched: number }>().numberMatched, 2, items.body)
  })

  it('stay where an administrator has led them', async (test) => {
    const { make, send, server } = await start(test)
    assert.equal((await make('admin', 'given', parameters)).statusCode, 201)
    await importPoints(server, { store: 'given', name: 'led' })
    const change = (who: 'admin' | 'staff', connectionParameters: Record<string, string>) =>
      send(who, 'PUT', `${stores}/given`, { dataStore: { connectionParameters, description: 'd' } })
    const passwd = parameters.passwd ?? ''
    const moves: Record<string, string>[] = [{ host: '127.0.0.2' }, { port: '1' }, { host: 'example.org' }]
    for (const moved of moves) {
      const reply = await change('staff', { ...moved, passwd })
      assert.deepEqual([reply.statusCode, reply.json<{ code: string }>().code], [403, 'store-of-admin'])
    }
    const plain = await send('staff', 'PUT', `${stores}/given`, { dataStore: { description: 'd' } })
    assert.equal(plain.statusCode, 200)
    const kept = await change('staff', { ...parameters, sslmode: 'disable' })
    assert.equal(kept.statusCode, 200, kept.body)
    const items = await send('staff', 'GET', '/ogc/collections/default:led/items')
    assert.equal(items.statusCode, 200, items.body)
    assert.equal((await change('admin', { host: '127.0.0.1', passwd })).statusCode, 200)
  })
})
