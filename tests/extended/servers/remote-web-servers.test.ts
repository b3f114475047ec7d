import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { Failure } from '../../../src/core/errors/errors.ts'
import { fetchInto, isFailure } from '../../support/remote-fetch.ts'
import { startWebServer } from '../../support/web-server.ts'

const text = 'abcdefghij'.repeat(2000)

describe('names of files', () => {
  for (const [disposition, path, expected] of [
    ['attachment; filename="towns.zip"', '/get?id=1', 'towns.zip'],
    ["attachment; filename=x.zip; filename*=UTF-8''%C3%BCber.zip", '/get', 'über.zip'],
    ['attachment; filename="../../etc/cron.d/x"', '/get', 'x'],
    ['attachment; filename=".."', '/get', 'data'],
    [undefined, '/pub/a%20b.csv?x=/y', 'a b.csv'],
    [undefined, '/pub/..%2f..%2fetc%2fpasswd', 'passwd'],
    [undefined, '/', 'data'],
  ] as const) {
    it(`are safe: ${disposition ?? path}`, async (test) => {
      const base = await startWebServer(test, (_request, reply) => {
        reply.writeHead(200, disposition === undefined ? {} : { 'content-disposition': disposition }).end('x')
      })
      assert.deepEqual((await fetchInto(test, base + path)).names, [expected])
    })
  }

  it('get the ending that their first bytes tell', async (test) => {
    const base = await startWebServer(test, (_request, reply) => void reply.end('PK\u0003\u0004...'))
    assert.deepEqual((await fetchInto(test, `${base}/download?id=7`)).names, ['download.zip'])
    assert.deepEqual((await fetchInto(test, `${base}/book.xlsx`)).names, ['book.xlsx'])
  })

  it('get the ending of their media type', async (test) => {
    const base = await startWebServer(test, (_request, reply) => {
      reply.writeHead(200, { 'content-type': 'application/zip; x=y' }).end('x')
    })
    assert.deepEqual((await fetchInto(test, `${base}/wfs?request=GetFeature`)).names, ['wfs.zip'])
  })
})

describe('redirects', () => {
  const to = (target: string) => (_request: IncomingMessage, reply: ServerResponse) =>
    void reply.writeHead(302, { location: target }).end('moved')

  it('are followed at most five times', async (test) => {
    const base = await startWebServer(test, (request, reply) => {
      const count = Number(request.url?.slice(1))
      if (count >= 5) reply.end(text)
      else reply.writeHead(307, { location: `/${count + 1}` }).end()
    })
    assert.equal((await fetchInto(test, `${base}/0`)).text, text)
    const loop = await startWebServer(test, to('/again'))
    await assert.rejects(fetchInto(test, `${loop}/x`), isFailure('remote-failed', /more than 5 times/))
  })

  for (const target of [
    'http://127.0.0.2/x',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/x',
    'http://2130706434/x',
    'http://0x7f000002/',
    'http://[::ffff:127.0.0.2]/',
    'http://user@127.0.0.2/',
    '//127.0.0.2/x',
  ]) {
    it(`to ${target} are refused like a location there`, async (test) => {
      const base = await startWebServer(test, to(target))
      const isRefused = isFailure('remote-address-refused', /TERRANE_REMOTE_ALLOW/)
      await assert.rejects(fetchInto(test, `${base}/x`), isRefused)
    })
  }

  for (const target of ['file:///etc/passwd', 'ftp://127.0.0.1/x', 'gopher://127.0.0.1/x']) {
    it(`to ${target} are refused`, async (test) => {
      const base = await startWebServer(test, to(target))
      const isRefused = (error: unknown): boolean =>
        error instanceof Failure && /not followed|cannot be used/.test(error.message)
      await assert.rejects(fetchInto(test, `${base}/x`), isRefused)
    })
  }

  it('to another origin get no credentials', async (test) => {
    const seen: (string | undefined)[] = []
    const other = await startWebServer(test, ({ headers }, reply) => {
      seen.push(headers.authorization)
      reply.writeHead(401, { 'www-authenticate': 'Basic realm="x", NTLM, Digest nonce="x"' }).end()
    })
    const base = await startWebServer(test, to(`${other.replace('//', '//a:b@')}/x`))
    for (const credentials of [
      { username: 'u', password: 'p' },
      { username: 'u', password: 'p', domain: 'D' },
    ]) {
      const fetching = fetchInto(test, `${base}/x`, { credentials })
      await assert.rejects(fetching, isFailure('remote-failed', /credentials are not sent/))
    }
    assert.deepEqual(seen, [undefined, undefined])
  })

  it('within the origin keep them', async (test) => {
    const base = await startWebServer(test, ({ url, headers }, reply) => {
      if (url === '/x') reply.writeHead(301, { location: '/y' }).end()
      else reply.end(headers.authorization)
    })
    const { text: output } = await fetchInto(test, `${base.replace('//', '//u:p@')}/x`)
    assert.equal(output, `Basic ${Buffer.from('u:p').toString('base64')}`)
  })
})

describe('credentials', () => {
  it('are given as NTLM asks for them, over one connection', async (test) => {
    const steps: string[] = []
    const sockets = new Set<unknown>()
    const head = Buffer.alloc(56)
    head.write('NTLMSSP\0', 'latin1')
    head.writeUInt32LE(2, 8)
    const base = await startWebServer(test, (request, reply) => {
      sockets.add(request.socket)
      const [, token] = /^NTLM (.*)$/.exec(request.headers.authorization ?? '') ?? []
      const kind = token === undefined ? 0 : Buffer.from(token, 'base64').readUInt32LE(8)
      steps.push(String(kind))
      if (kind === 3) reply.end(text)
      else {
        const challenge = kind === 1 ? `NTLM ${head.toString('base64')}` : 'NTLM'
        reply.writeHead(401, { 'www-authenticate': challenge }).end('no')
      }
    })
    const credentials = { username: 'u', password: 'p', domain: 'D' }
    assert.equal((await fetchInto(test, `${base}/x`, { credentials })).text, text)
    assert.deepEqual(steps, ['0', '1', '3'])
    assert.equal(sockets.size, 1)
  })

  it('are asked for no more than a few times', async (test) => {
    let count = 0
    const base = await startWebServer(test, (_request, reply) => {
      count += 1
      reply.writeHead(401, { 'www-authenticate': `NTLM TlRM, Digest nonce="${count}", Basic realm=x` }).end()
    })
    for (const credentials of [
      { username: 'u', password: 'p' },
      { username: 'u', domain: 'D', password: 'p' },
    ]) {
      count = 0
      const fetching = fetchInto(test, `${base}/x`, { credentials })
      await assert.rejects(fetching, isFailure('remote-failed', /rejects this username/))
      assert.ok(count <= 3, String(count))
    }
  })
})

describe('a fetch', () => {
  it('ends when its signal aborts, and leaves nothing', async (test) => {
    const abort = new AbortController()
    const base = await startWebServer(test, (_request, reply) => {
      reply.write('x', () => abort.abort(new Error('deleted')))
    })
    await assert.rejects(fetchInto(test, `${base}/x`, { signal: abort.signal }), /deleted/)
  })

  it('of a shapefile takes what lies beside it, and no pages for what does not', async (test) => {
    const base = await startWebServer(test, ({ url }, reply) => {
      if (/\.(shp|shx|dbf)\?k=1$/.test(url ?? '')) reply.end('x')
      else if (/\.prj/.test(url ?? '')) reply.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
      else reply.writeHead(404).end()
    })
    const { names } = await fetchInto(test, `${base}/a/roads.shp?k=1`)
    assert.deepEqual(names, ['roads.dbf', 'roads.shp', 'roads.shx'])
  })

  it('tells how far it is', async (test) => {
    const base = await startWebServer(test, (_request, reply) => void reply.end(text))
    const { reported } = await fetchInto(test, `${base}/x`)
    assert.equal(reported.at(-1), text.length)
  })
})
