import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { defined } from '../../../src/core/values/defined.ts'
import { fetchInto, isFailure, startRawServer } from '../../support/remote-fetch.ts'
import { startWebServer } from '../../support/web-server.ts'

const text = 'abcdefghij'.repeat(2000)

/** Starts a server that breaks off its first responses half way and records the requests. */
async function breaking(
  test: TestContext,
  options: { times: number; etag?: (count: number) => string; ignoresRanges?: boolean; wrongStart?: boolean },
) {
  const requested: (string | undefined)[] = []
  const base = await startWebServer(test, (request, reply) => {
    const count = requested.push(request.headers.range)
    const etag = options.etag?.(count)
    const isSame = etag !== undefined && request.headers['if-range'] === etag
    const [, start = '0'] = /bytes=(\d+)-/.exec(request.headers.range ?? '') ?? []
    const from = isSame && options.ignoresRanges !== true ? Number(start) : 0
    const body = Buffer.from(text).subarray(from)
    const shown = options.wrongStart === true ? from - 1 : from
    reply.writeHead(from > 0 ? 206 : 200, {
      'content-length': body.length,
      ...defined({ etag }),
      ...(from > 0 ? { 'content-range': `bytes ${shown}-${text.length - 1}/${text.length}` } : {}),
    })
    if (count > options.times) reply.end(body)
    else reply.write(body.subarray(0, body.length / 2), () => reply.destroy())
  })
  return { base, requested }
}

describe('a broken connection', () => {
  it('is taken up where it broke', async (test) => {
    const { base, requested } = await breaking(test, { times: 2, etag: () => '"one"' })
    const fetched = await fetchInto(test, `${base}/a.csv`)
    assert.equal(fetched.text, text)
    assert.equal(requested.length, 3)
    assert.equal(requested[0], undefined)
    assert.match(requested[1] ?? '', /^bytes=[1-9]\d*-$/)
  })

  it('begins anew where the file has changed meanwhile', async (test) => {
    const { base, requested } = await breaking(test, { times: 1, etag: (count) => `"${count}"` })
    assert.equal((await fetchInto(test, `${base}/a.csv`)).text, text)
    assert.equal(requested.length, 2)
  })

  it('begins anew where the server ignores ranges, or tells no version', async (test) => {
    const ignoring = await breaking(test, { times: 1, etag: () => '"one"', ignoresRanges: true })
    assert.equal((await fetchInto(test, `${ignoring.base}/a.csv`)).text, text)
    const silent = await breaking(test, { times: 1 })
    assert.equal((await fetchInto(test, `${silent.base}/a.csv`)).text, text)
    assert.deepEqual(silent.requested, [undefined, undefined])
  })

  it('is an error after as many tries as are allowed', async (test) => {
    const { base, requested } = await breaking(test, { times: 100 })
    await assert.rejects(
      fetchInto(test, `${base}/a.csv`),
      isFailure('remote-failed', /a\.csv could not be fetched: the connection was lost/),
    )
    assert.equal(requested.length, 3)
  })

  it('is an error where the server sends another range than requested', async (test) => {
    const { base } = await breaking(test, { times: 1, etag: () => '"one"', wrongStart: true })
    await assert.rejects(
      fetchInto(test, `${base}/a.csv`),
      isFailure('remote-failed', /another range than requested/),
    )
  })
})

describe('a server that misbehaves', () => {
  it('and never ends its body is stopped at the limit of uploads', async (test) => {
    const base = await startWebServer(test, (_request, reply) => {
      const more = (): void => {
        while (!reply.destroyed && reply.write(Buffer.alloc(1 << 16)));
        if (!reply.destroyed) reply.once('drain', more)
      }
      more()
    })
    await assert.rejects(fetchInto(test, `${base}/a.csv`), isFailure('remote-too-large', /1048576 bytes/))
  })

  it('and announces too much is refused before it sends', async (test) => {
    const base = await startWebServer(test, (_request, reply) => {
      reply.writeHead(200, { 'content-length': 1 << 30 }).write('x')
    })
    await assert.rejects(
      fetchInto(test, `${base}/a.csv`),
      isFailure('remote-too-large', /TERRANE_MAX_UPLOAD/),
    )
  })

  it('and sends by drops is stopped when the time is up', async (test) => {
    const base = await startWebServer(test, (_request, reply) => {
      const timer = setInterval(() => reply.write('x'), 20)
      reply.once('close', () => clearInterval(timer))
    })
    const limits = { totalMs: 400 }
    await assert.rejects(
      fetchInto(test, `${base}/a`, { limits }),
      isFailure('remote-timeout', /0\.4 seconds/),
    )
  })

  it('and goes silent is given up, in the head and in the body', async (test) => {
    const limits = { stallMs: 150, tries: 2 }
    for (const answer of [
      () => undefined,
      (_request: IncomingMessage, reply: ServerResponse) => void reply.write('x'),
    ]) {
      const base = await startWebServer(test, answer)
      await assert.rejects(
        fetchInto(test, `${base}/a`, { limits }),
        isFailure('remote-failed', /no data arrived for 0\.1|no data arrived for 0\.2/),
      )
    }
  })

  for (const [scheme, why] of [
    ['http', 'remote-failed'],
    ['https', 'remote-failed'],
    ['ftp', 'remote-failed'],
    ['ftps', 'remote-failed'],
    ['sftp', 'remote-failed'],
  ] as const) {
    it(`and takes a connection without a word is given up (${scheme})`, async (test) => {
      const port = await startRawServer(test, (socket) => void socket.resume())
      const fetching = fetchInto(test, `${scheme}://127.0.0.1:${port}/a`, {
        limits: { stallMs: 200, tries: 1 },
      })
      await assert.rejects(fetching, isFailure(why, /no data arrived for 0\.2 seconds/))
    })

    it(`and speaks another protocol is an error (${scheme})`, async (test) => {
      const port = await startRawServer(test, (socket) => void socket.end(Buffer.alloc(70_000, 'x\u0000\n')))
      const fetching = fetchInto(test, `${scheme}://127.0.0.1:${port}/a`, {
        limits: { stallMs: 3000, tries: 1 },
      })
      await assert.rejects(fetching, isFailure(why, /could not be fetched/))
    })
  }

  it('and takes a connection without a word is given up (s3)', async (test) => {
    const port = await startRawServer(test, (socket) => void socket.resume())
    const s3Endpoint = `http://127.0.0.1:${port}`
    for (const address of ['s3://bucket/a.csv', 's3://bucket/folder/']) {
      const fetching = fetchInto(test, address, { s3Endpoint, limits: { stallMs: 200, tries: 1 } })
      await assert.rejects(fetching, isFailure('remote-failed', /no data arrived for 0\.2 seconds/))
    }
  })

  it('and floods its header is refused', async (test) => {
    const port = await startRawServer(test, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(1e5)}`)
    })
    await assert.rejects(
      fetchInto(test, `http://127.0.0.1:${port}/a`),
      isFailure('remote-failed', /Header overflow/),
    )
  })

  it('and packs a bomb into its content encoding is refused', async (test) => {
    const bomb = gzipSync(Buffer.alloc(64 << 20))
    const base = await startWebServer(test, (_request, reply) => {
      reply.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    const limits = { maxBytes: 1 << 30 }
    await assert.rejects(fetchInto(test, `${base}/a`, { limits }), isFailure('remote-failed', /200 times/))
  })

  it('and repeats the password in its words does not get it into the message', async (test) => {
    const port = await startRawServer(test, (socket) => {
      socket.write('220 ready\r\n')
      socket.on('data', (data) => {
        const isPassword = data.toString().startsWith('PASS')
        socket.write(isPassword ? `530 ${data.toString().slice(5).trim()} is wrong\r\n` : '331 go on\r\n')
      })
    })
    await assert.rejects(
      fetchInto(test, `ftp://user:hunter2@127.0.0.1:${port}/a`),
      isFailure('remote-failed', /530 \*{8} is wrong/),
    )
  })
})

describe('content encodings', () => {
  it('are taken off, but for files that are packed themselves', async (test) => {
    const base = await startWebServer(test, (_request, reply) => {
      reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
    })
    assert.equal((await fetchInto(test, `${base}/a.csv`)).text, text)
    const packed = await fetchInto(test, `${base}/a.csv.gz`)
    assert.deepEqual(packed.names, ['a.csv.gz'])
    assert.notEqual(packed.text, text)
  })

  it('that are not known are an error', async (test) => {
    const base = await startWebServer(test, (_request, reply) => {
      reply.writeHead(200, { 'content-encoding': 'sdch' }).end('x')
    })
    await assert.rejects(fetchInto(test, `${base}/a.csv`), isFailure('remote-failed', /encoding "sdch"/))
  })
})
