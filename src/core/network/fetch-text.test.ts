import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { patienceMs } from '../../../tests/support/until.ts'
import { FetchFailure, fetchText } from './fetch-text.ts'

async function serve(test: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const limits = { timeoutMs: patienceMs, maxBytes: 1000 }

async function failureOf(work: Promise<unknown>): Promise<FetchFailure> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof FetchFailure, String(error))
  return error
}

describe('fetching a text', () => {
  it('gives the body as UTF-8, with Basic authentication where a user is given', async (test) => {
    const url = await serve(test, (request, response) =>
      response.end(`${request.headers.authorization} ${request.headers.accept} ü`),
    )
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
    assert.equal(await fetchText(url, limits), 'undefined */* ü')
    const given = await fetchText(url, { ...limits, user: 'ü', password: 'p:w', accept: 'text/plain' })
    assert.equal(given, `${basic('ü:p:w')} text/plain ü`)
    assert.match(await fetchText(url.replace('//', '//me:p%40w@'), limits), new RegExp(basic('me:p@w')))
  })

  it('says what is wrong, at which address, without user, password and query', async (test) => {
    const url = await serve(test, (request, response) =>
      response.writeHead(Number(request.url?.slice(1, 4))).end(),
    )
    for (const [status, words] of [
      [401, 'refuses the user or the password (status 401)'],
      [404, 'has nothing at this path (status 404)'],
      [503, 'answered with status 503'],
    ] as const) {
      const address = `${url.replace('//', '//name:secret@')}/${status}?token=secret`
      const failure = await failureOf(fetchText(address, limits))
      assert.equal(failure.message, `${url}/${status} ${words}`)
      assert.equal(failure.status, status)
    }
  })

  it('gives up a server that is not there, sends too much, or is too slow', async (test) => {
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const nobody = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`
    await new Promise((resolve) => gone.close(resolve))
    assert.match(
      (await failureOf(fetchText(nobody, limits))).message,
      /cannot be reached: nothing listens at the address/,
    )
    const large = await serve(test, (_, response) => response.end('x'.repeat(1001)))
    assert.match((await failureOf(fetchText(large, limits))).message, /more than 1000 bytes/)
    const slow = await serve(test, (_, response) => {
      response.write('x')
    })
    const late = await failureOf(fetchText(slow, { ...limits, timeoutMs: 100 }))
    assert.match(late.message, /gave no whole answer within 0.1 s/)
    const silent = await serve(test, () => undefined)
    assert.match((await failureOf(fetchText(silent, { ...limits, timeoutMs: 100 }))).message, /within 0.1 s/)
  })

  it('counts bytes after unpacking', async (test) => {
    const url = await serve(test, (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000))),
    )
    assert.match((await failureOf(fetchText(url, limits))).message, /more than 1000 bytes/)
  })

  it('ends when it is told to', async (test) => {
    const silent = await serve(test, () => undefined)
    const stop = new AbortController()
    const failure = failureOf(fetchText(silent, { ...limits, signal: stop.signal }))
    stop.abort()
    assert.match((await failure).message, /was given up/)
  })

  it('follows redirects within the host alone, and a few of them', async (test) => {
    const other = await serve(test, (_, response) => response.end('elsewhere'))
    const url = await serve(test, (request, response) => {
      const location = {
        '/a': '/b?c',
        '/away': other,
        '/odd': 'http://',
        '/round': '/round',
        '/file': 'file:///etc/passwd',
      }[request.url ?? '']
      if (location === undefined) response.end(`at ${request.url} as ${request.headers.authorization}`)
      else response.writeHead(302, { location }).end()
    })
    const user = { user: 'u', password: 'secret' }
    assert.match(await fetchText(`${url}/a`, { ...limits, ...user }), /^at \/b\?c as Basic /)
    const away = await failureOf(fetchText(`${url}/away`, { ...limits, ...user }))
    assert.equal(away.message, `${url}/away redirects to ${other}/: name that address`)
    for (const path of ['/odd', '/file'])
      assert.match((await failureOf(fetchText(url + path, limits))).message, /redirects to/)
    assert.match((await failureOf(fetchText(`${url}/round`, limits))).message, /again and again/)
  })

  it('takes http and https alone', async () => {
    for (const address of ['file:///etc/passwd', 'ftp://127.0.0.1/x', 'nothing', ''])
      assert.equal(
        (await failureOf(fetchText(address, limits))).message,
        'The address is none of http or https',
      )
  })
})
