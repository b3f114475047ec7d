import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { ApiArea } from '../../../src/api/app-types.ts'
import { createHttpServer } from '../../../src/api/server/server.ts'
import { startServer } from '../../../src/app/app.ts'
import { loadSettings } from '../../../src/core/config/settings.ts'
import { without } from '../../../src/core/values/defined.ts'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { silentLogger } from '../../support/silent-logger.ts'

let terrane: TestApp
before(async () => {
  terrane = await createTestApp({ env: { TERRANE_BASE_PATH: '/geo', TERRANE_TRUSTED_PROXIES: '10.0.0.1' } })
})
after(() => terrane.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS'

function send(
  method: Method,
  url: string,
  options: { headers?: Record<string, string>; payload?: string | object } = {},
) {
  return terrane.app.inject({ method, url, ...options, headers: { ...terrane.admin, ...options.headers } })
}

describe('paths', () => {
  it('stand under the base path, with or without a slash or .json behind, and nowhere else', async () => {
    for (const url of ['/geo/health', '/geo/health/', '/geo/rest/workspaces.json', '/geo/rest/workspaces/'])
      assert.equal((await send('GET', url)).statusCode, 200, url)
    for (const url of ['/health', '/geo/nothing', '/geo/rest/workspaces/x/y/z'])
      assert.equal((await send('GET', url)).statusCode, 404, url)
  })

  it('answer 404 as a problem that names the path as it was asked', async () => {
    const reply = await send('GET', '/geo/nothing?x=1')
    assert.match(String(reply.headers['content-type']), /^application\/problem\+json/)
    assert.deepEqual(reply.json(), {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'No such path: /geo/nothing',
      code: 'unknown-path',
      errors: ['No such path: /geo/nothing'],
    })
  })

  it('answer 405 with the methods that there are', async () => {
    const reply = await send('PUT', '/geo/rest/workspaces')
    assert.equal(reply.statusCode, 405)
    assert.equal(reply.headers.allow, 'GET, HEAD, POST')
    assert.equal(reply.json().code, 'method-not-allowed')
  })

  it('each say who may call them, or the server does not start', async () => {
    const area: ApiArea = (app) => {
      app.get('/open', () => 'secret')
    }
    await assert.rejects(createHttpServer(terrane, [area]), /Route GET \/open has no access rule/)
  })
})

describe('bodies', () => {
  const users = '/geo/rest/security/users'

  it('are JSON under any content type that means it, and chunked', async () => {
    const types = ['application/json; charset=UTF-8', 'text/json', 'text/plain', '', 'application/x+json']
    for (const [index, type] of types.entries()) {
      const payload = JSON.stringify({ user: { name: `type${index}`, password: 'long-enough' } })
      const reply = await send('POST', users, { headers: { 'content-type': type }, payload })
      assert.equal(reply.statusCode, 201, type)
    }
  })

  it('of another content type are refused with 415', async () => {
    const reply = await send('POST', users, {
      headers: { 'content-type': 'application/x-yaml' },
      payload: 'a: 1',
    })
    assert.equal(reply.statusCode, 415)
    assert.equal(reply.json().code, 'unsupported-media-type')
  })

  it('that are no JSON are refused with 400', async () => {
    const reply = await send('POST', users, {
      headers: { 'content-type': 'application/json' },
      payload: '{user:{}}',
    })
    assert.equal(reply.statusCode, 400)
    assert.equal(reply.json().code, 'malformed-json')
  })

  it('larger than 5 MiB or deeper than 100 levels are refused with 413', async () => {
    const large = `{"user":{"name":"${'x'.repeat(5 * 2 ** 20)}"}}`
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`
    for (const payload of [large, deep])
      assert.equal(
        (await send('POST', users, { headers: { 'content-type': 'application/json' }, payload })).statusCode,
        413,
      )
  })

  it('that are not valid name every wrong place, and do not turn numbers into text', async () => {
    const reply = await send('POST', users, {
      payload: { user: { name: 7, password: 'secret', role: 'boss' } },
    })
    assert.equal(reply.statusCode, 400)
    const { errors } = reply.json()
    assert.equal(errors.length, 3)
    assert.match(errors.join('\n'), /"user.name" must be string, found 7/)
    assert.match(errors.join('\n'), /"user.role" must be one of user, staff, admin, found "boss"/)
    assert.doesNotMatch(errors.join('\n'), /secret/)
  })

  it('may hold keys that are not known, which are named and ignored', async () => {
    const payload = { user: { name: 'extra', password: 'long-enough', nick: 'x', email: null }, 'ä b': 1 }
    const reply = await send('POST', `${users}?colour=red`, { payload })
    assert.equal(reply.statusCode, 201)
    assert.equal(reply.headers['terrane-ignored'], 'colour, user.nick, %C3%A4%20b')
  })
})

describe('addresses', () => {
  it('that cannot be decoded are a 400', async () => {
    const reply = await send('GET', '/geo/rest/workspaces/%E0%A4%A')
    assert.equal(reply.statusCode, 400)
    assert.equal(reply.json().code, 'malformed-path')
  })
})

describe('queries', () => {
  it('turn text into values, and refuse what is none', async () => {
    await send('POST', '/geo/rest/workspaces', { payload: { workspace: { name: 'coerced' } } })
    assert.equal((await send('DELETE', '/geo/rest/workspaces/coerced?recurse=perhaps')).statusCode, 400)
    assert.equal((await send('DELETE', '/geo/rest/workspaces/coerced?recurse=true')).statusCode, 200)
  })
})

describe('links', () => {
  const link = async (headers: Record<string, string>, remoteAddress = '127.0.0.1'): Promise<string> => {
    const reply = await terrane.app.inject({
      url: '/geo/rest/security/users/admin',
      headers: { ...terrane.admin, ...headers },
      remoteAddress,
    })
    return reply.json().user.href
  }

  it('use the host that the request names, and the base path', async () => {
    assert.equal(
      await link({ host: 'maps.example.org:81' }),
      'http://maps.example.org:81/geo/rest/security/users/admin',
    )
  })

  it('follow X-Forwarded headers of a trusted proxy only', async () => {
    const forwarded = { host: 'inner', 'x-forwarded-host': 'maps.example.org', 'x-forwarded-proto': 'https' }
    assert.match(await link(forwarded), /^http:\/\/inner\//)
    assert.match(await link(forwarded, '10.0.0.1'), /^https:\/\/maps\.example\.org\//)
  })

  it('do not take over a host header that is not a host', async () => {
    assert.match(await link({ host: 'evil.example"><script>' }), /^http:\/\/127\.0\.0\.1:/)
  })

  it('use the public address where it is set', async () => {
    const other = await createTestApp({ env: { TERRANE_PUBLIC_URL: 'https://maps.example.org/x/' } })
    const reply = await other.app.inject({
      url: '/rest/security/users',
      headers: { ...other.admin, host: 'inner' },
    })
    assert.equal(reply.json().users[0].href, 'https://maps.example.org/x/rest/security/users/admin')
    await other.close()
  })
})

describe('idempotency keys', () => {
  const create = (key: string, name: string) =>
    send('POST', '/geo/rest/workspaces', {
      headers: { 'idempotency-key': key },
      payload: { workspace: { name } },
    })

  it('give the first answer again, failures of the request included', async () => {
    for (const [key, name, status] of [
      ['k1', 'once', 201],
      ['k2', 'not/valid', 400],
    ] as const) {
      const first = await create(key, name)
      const second = await create(key, name)
      assert.equal(first.statusCode, status)
      assert.equal(second.statusCode, status)
      assert.equal(second.body, first.body)
      assert.equal(second.headers.location, first.headers.location)
      assert.equal(second.headers['content-type'], first.headers['content-type'])
      assert.equal(second.headers['idempotency-replayed'], 'true')
    }
  })

  it('are refused with another body', async () => {
    await create('k3', 'three')
    const reply = await create('k3', 'four')
    assert.equal(reply.statusCode, 409)
    assert.equal(reply.json().code, 'idempotency-key-reused')
    assert.equal((await send('GET', '/geo/rest/workspaces/four')).statusCode, 404)
  })

  it('let only one of many requests at once act', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => create('k4', 'parallel')))
    const statuses = replies.map((reply) => reply.statusCode)
    assert.ok(statuses.includes(201))
    assert.ok(replies.every((reply) => reply.statusCode === 201 || reply.json().code === 'request-under-way'))
  })

  it('of two users are two keys', async () => {
    const payload = { user: { name: 'keyholder', password: 'long-enough', role: 'staff' } }
    await send('POST', '/geo/rest/security/users', { payload })
    await create('k5', 'five')
    const authorization = `Basic ${Buffer.from('keyholder:long-enough').toString('base64')}`
    const reply = await send('POST', '/geo/rest/workspaces', {
      headers: { authorization, 'idempotency-key': 'k5' },
      payload: { workspace: { name: 'six' } },
    })
    assert.equal(reply.statusCode, 201)
  })
})

describe('entity tags', () => {
  it('let a client skip what it has, and refuse a change of what was changed meanwhile', async () => {
    await send('POST', '/geo/rest/workspaces', { payload: { workspace: { name: 'tagged' } } })
    const first = await send('GET', '/geo/rest/workspaces/tagged')
    const etag = String(first.headers.etag)
    assert.equal(
      (await send('GET', '/geo/rest/workspaces/tagged', { headers: { 'if-none-match': etag } })).statusCode,
      304,
    )
    const change = (isPublic: boolean) =>
      send('PUT', '/geo/rest/workspaces/tagged', {
        headers: { 'if-match': etag },
        payload: { workspace: { public: isPublic } },
      })
    assert.equal((await change(true)).statusCode, 200)
    const late = await change(false)
    assert.equal(late.statusCode, 412)
    assert.equal(late.json().code, 'changed-meanwhile')
  })
})

describe('description', () => {
  it('is OpenAPI 3.1 with every route, its failures and who may call', async () => {
    const document = (await send('GET', '/geo/openapi.json')).json()
    assert.match(document.openapi, /^3\.1/)
    assert.deepEqual(document.servers, [{ url: '/geo' }])
    const operation = document.paths['/rest/workspaces'].post
    assert.ok(operation.requestBody.content['application/json'].schema.properties.workspace)
    assert.ok(operation.responses['4XX'].content['application/problem+json'])
    assert.deepEqual(document.paths['/health'].get.security, [])
  })

  it('has a reference page that loads nothing from elsewhere, under the base path', async () => {
    const page = await terrane.app.inject({ url: '/geo/docs/' })
    assert.equal(page.statusCode, 200)
    const references = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '')
    assert.ok(references.length > 3)
    for (const url of references) {
      assert.match(url, /^\/geo\/docs\//)
      assert.equal((await terrane.app.inject({ url })).statusCode, 200, url)
    }
    assert.equal((await terrane.app.inject({ url: '/geo/docs/json' })).statusCode, 200)
  })
})

function environment(folder: string) {
  return {
    TERRANE_DATA: `${terrane.dataDir}/${folder}`,
    TERRANE_PORT: '0',
    TERRANE_ADMIN_PASSWORD: 'first-password',
  }
}

describe('server', () => {
  it('listens, answers, and closes with a connection kept alive', async () => {
    const env = without(environment('second'), 'TERRANE_ADMIN_PASSWORD')
    const settings = loadSettings({ ...env, TERRANE_BASE_PATH: '/g' })
    const reported: string[] = []
    const server = await startServer(settings, { log: silentLogger, notice: (text) => reported.push(text) })
    assert.match(reported.join(), /"admin" with the password [\w-]{16} /)
    assert.equal((await fetch(`${server.url}/health`)).status, 200)
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await server.close()
    socket.destroy()
    await assert.rejects(fetch(`${server.url}/health`))
  })

  it('reads chunked bodies', async () => {
    const server = await startServer(loadSettings(environment('chunked')), { log: silentLogger })
    const body = new ReadableStream({
      start(controller) {
        for (const part of ['{"session":{"name":', '"admin","password":"first-password"}}'])
          controller.enqueue(Buffer.from(part))
        controller.close()
      },
    })
    const request = { method: 'POST', body, duplex: 'half' as const }
    const reply = await fetch(`${server.url}/rest/security/session`, request)
    assert.equal(reply.status, 200)
    await reply.text()
    await server.close()
  })

  it('takes one Host header: two are refused, whatever their case', async () => {
    const server = await startServer(loadSettings(environment('hosts')), { log: silentLogger })
    const port = Number(new URL(server.url).port)
    try {
      for (const [second, status] of [
        ['', 200],
        ['Host: other.example.org\r\n', 400],
        ['hOsT: maps.example.org\r\n', 400],
      ] as const) {
        const socket = connect(port, '127.0.0.1')
        socket.write(`GET /health HTTP/1.1\r\nHost: maps.example.org\r\n${second}Connection: close\r\n\r\n`)
        const answer = await text(socket)
        assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
        if (status === 400) assert.match(answer, /"code":"repeated-host"/)
      }
    } finally {
      await server.close()
    }
  })

  it('refuses a data directory that another server uses', async () => {
    await assert.rejects(
      createTestApp({ dataDir: terrane.dataDir }),
      /in use by another Terrane.*TERRANE_DATA/,
    )
  })

  it('tells a request id and nothing else when it fails', async () => {
    const other = await createTestApp()
    await other.database.kysely.schema.dropTable('idempotency_keys').execute()
    const reply = await other.app.inject({
      method: 'POST',
      url: '/rest/workspaces',
      headers: { ...other.admin, 'idempotency-key': 'x' },
      payload: { workspace: { name: 'y' } },
    })
    assert.equal(reply.statusCode, 500)
    assert.match(reply.json().detail, new RegExp(`log entry of request ${reply.headers['x-request-id']}`))
    assert.doesNotMatch(reply.body, /idempotency_keys|sqlite|no such table/i)
    await other.close()
  })
})
