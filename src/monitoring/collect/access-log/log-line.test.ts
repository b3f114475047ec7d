import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { LineFault, LogLine } from './log-line.ts'
import { LogLineParser } from './log-line.ts'

function parse(line: string | Buffer): LogLine | LineFault {
  const bytes = Buffer.isBuffer(line) ? line : Buffer.from(line)
  return new LogLineParser().parse(bytes, 0, bytes.length)
}

function parsed(line: string | Buffer): LogLine {
  const result = parse(line)
  assert.ok(typeof result !== 'string', `${result}: ${line}`)
  return result
}

const time = '[10/Oct/2025:13:55:36 +0200]'
/** The line of a request, otherwise ordinary. */
function withRequest(request: string): string {
  return `192.0.2.7 - - ${time} "${request}" 200 5 "-" "-"`
}

describe('LineParser', () => {
  it('reads the combined format', () => {
    const line = `192.0.2.7 - jo ${time} "GET /ows?service=WMS&layers=a HTTP/1.1" 200 512 "https://maps.example.org/" "QGIS/3.40"`
    assert.deepEqual(parsed(line), {
      created: Date.UTC(2025, 9, 10, 11, 55, 36),
      client: '192.0.2.7',
      user: 'jo',
      host: null,
      method: 'GET',
      path: '/ows',
      query: 'service=WMS&layers=a',
      status: 200,
      sizeBytes: 512,
      milliseconds: null,
      contentType: null,
      referer: 'https://maps.example.org/',
      userAgent: 'QGIS/3.40',
    })
  })

  it('reads the common format, without user agent', () => {
    const { status, userAgent, path } = parsed(`192.0.2.7 - - ${time} "GET /a HTTP/1.0" 304 -`)
    assert.deepEqual({ status, userAgent, path }, { status: 304, userAgent: null, path: '/a' })
  })

  it('takes dashes for nothing', () => {
    const line = parsed(`192.0.2.7 - - ${time} "GET /a HTTP/1.1" - - "-" "-"`)
    const { user, status, sizeBytes, userAgent } = line
    assert.deepEqual(
      { user, status, sizeBytes, userAgent },
      { user: null, status: 0, sizeBytes: 0, userAgent: null },
    )
  })

  it('reads IPv6 addresses and host names of clients', () => {
    for (const client of ['2001:db8::1', '::1', '::ffff:192.0.2.7', 'client.example.org', 'dead.beef']) {
      const line = parsed(`${client} - - ${time} "GET / HTTP/1.1" 200 1 "-" "-"`)
      assert.deepEqual([line.client, line.host], [client, null])
    }
  })

  it('reads a virtual host in front, without its port', () => {
    for (const host of ['maps.example.org', 'maps.example.org:443']) {
      const line = parsed(`${host} 2001:db8::1 - jo ${time} "GET / HTTP/1.1" 200 1`)
      assert.deepEqual([line.host, line.client, line.user], ['maps.example.org', '2001:db8::1', 'jo'])
    }
  })

  it('reads user names with blanks and brackets, and none that pretends to be a date', () => {
    const user = `jo ann ${time} x`
    assert.equal(parsed(`192.0.2.7 - ${user} ${time} "GET / HTTP/1.1" 200 1`).user, user)
  })

  it('reads escapes of nginx and Apache', () => {
    const nginx = String.raw`192.0.2.7 - - ${time} "GET /caf\xC3\xA9?a=\x22b\x5C HTTP/1.1" 200 1 "a\x22b" "A \x22B\x22"`
    assert.deepEqual(
      [parsed(nginx).path, parsed(nginx).query, parsed(nginx).userAgent],
      ['/café', 'a="b\\', 'A "B"'],
    )
    const apache = String.raw`192.0.2.7 - - ${time} "GET /a\\b HTTP/1.1" 200 1 "\"x\" y" "A \"B\" \\" 1500`
    assert.deepEqual([parsed(apache).path, parsed(apache).userAgent], ['/a\\b', 'A "B" \\'])
    assert.equal(parsed(apache).milliseconds, 1.5)
  })

  it('reads texts that are no UTF-8 as Latin 1, and no control characters', () => {
    const line = Buffer.from(withRequest('GET /caf\u00e9/%20 HTTP/1.1'), 'latin1')
    assert.equal(parsed(line).path, '/café/%20')
    assert.equal(parsed(withRequest(String.raw`GET /a\x00b\n HTTP/1.1`)).path, '/a b ')
  })

  const requests: [request: string, expected: [method: string, path: string, query: string]][] = [
    ['GET /a HTTP/1.1', ['GET', '/a', '']],
    ['GET /a', ['GET', '/a', '']],
    ['GET /a b?c d HTTP/1.1', ['GET', '/a b', 'c d']],
    ['GET /a HTTP/2.0', ['GET', '/a', '']],
    ['PROPFIND /a HTTP/1.1', ['PROPFIND', '/a', '']],
    ['M-SEARCH * HTTP/1.1', ['M-SEARCH', '*', '']],
    ['GET http://maps.example.org/a?b HTTP/1.1', ['GET', '/a', 'b']],
    ['GET https://maps.example.org HTTP/1.1', ['GET', '/', '']],
    ['get /a HTTP/1.1', ['GET', '/a', '']],
    ['-', ['', '', '']],
    ['', ['', '', '']],
    [String.raw`\x16\x03\x01\x02\x00\x01\x00`, ['', '', '']],
    ['CONNECT example.org:443 HTTP/1.1', ['', '', '']],
    ['AMETHODTHATISMUCHTOOLONGTOBEONE / HTTP/1.1', ['', '', '']],
  ]
  for (const [request, expected] of requests) {
    it(`reads the request line "${request}"`, () => {
      const { method, path, query } = parsed(withRequest(request))
      assert.deepEqual([method, path, query], expected)
    })
  }

  const times: [text: string, expected: string | LineFault][] = [
    ['01/Jan/2025:00:00:00 +0000', '2025-01-01T00:00:00.000Z'],
    ['29/Feb/2024:23:59:59 -0330', '2024-03-01T03:29:59.000Z'],
    ['31/dec/2024:23:59:60 +0000', '2024-12-31T23:59:59.000Z'],
    ['01/Jan/2025:05:30:00 +0530', '2025-01-01T00:00:00.000Z'],
    ['29/Feb/2025:00:00:00 +0000', 'no date such as 10/Oct/2025:13:55:36 +0200'],
    ['10/Foo/2025:00:00:00 +0000', 'no date such as 10/Oct/2025:13:55:36 +0200'],
    ['10/Oct/2025:24:00:00 +0000', 'no date such as 10/Oct/2025:13:55:36 +0200'],
    ['10/Oct/2025:00:00:00 +9900', 'no date such as 10/Oct/2025:13:55:36 +0200'],
    ['1a/Oct/2025:00:00:00 +0000', 'no date such as 10/Oct/2025:13:55:36 +0200'],
    ['10/Oct/1999:00:00:00 +0000', 'before the year 2000'],
  ]
  for (const [text, expected] of times) {
    it(`reads the time ${text}`, () => {
      const line = parse(`192.0.2.7 - - [${text}] "GET / HTTP/1.1" 200 1`)
      assert.equal(typeof line === 'string' ? line : new Date(line.created).toISOString(), expected)
    })
  }

  const extras: [extra: string, milliseconds: number | null][] = [
    [' rt=0.290', 290],
    [' "203.0.113.9" rt=1.5 uct="0.001" us="200"', 1500],
    [' rt="0.001"', 1],
    [' rt_ms=12', 12],
    [' rt_us=1234', 1.234],
    [' 0.057', 57],
    [' 834 0.057 [maps-80] 10.0.0.2:80 0.056', 57],
    [' 57123', 57.123],
    [' 834 57123', null],
    [' "203.0.113.9"', null],
    [' rt=-', null],
    [' rt=99999999999', null],
    [' srt=0.5', null],
    ['', null],
  ]
  for (const [extra, milliseconds] of extras) {
    it(`takes ${milliseconds} ms from "${extra}" behind the user agent`, () => {
      assert.equal(parsed(`${withRequest('GET / HTTP/1.1')}${extra}`).milliseconds, milliseconds)
    })
  }

  const types: [extra: string, contentType: string | null, milliseconds: number | null][] = [
    [' rt=0.290 ct="text/xml; charset=UTF-8"', 'text/xml; charset=UTF-8', 290],
    [' 57123 ct="application/vnd.ogc.se_xml"', 'application/vnd.ogc.se_xml', 57.123],
    [' ct=image/png 57123', 'image/png', 57.123],
    [' ct="a/b; version=3.2 1.5" 57123', 'a/b; version=3.2 1.5', 57.123],
    [String.raw` ct="a \"b\"" 0.5`, String.raw`a \"b\"`, 500],
    [' ct="-" rt=1', null, 1000],
    [' ct=- rt=1', null, 1000],
    [' ct="" rt=1', null, 1000],
    [' ct="open rt=1', null, 1000],
    [' act="text/xml" rt=1', null, 1000],
    ['', null, null],
  ]
  for (const [extra, contentType, milliseconds] of types) {
    it(`takes the content type ${contentType} from "${extra}"`, () => {
      const line = parsed(`${withRequest('GET / HTTP/1.1')}${extra}`)
      assert.deepEqual([line.contentType, line.milliseconds], [contentType, milliseconds])
    })
  }

  it('tells what led to a request, where it is known', () => {
    const start = `192.0.2.7 - - ${time} "GET / HTTP/1.1" 200 1`
    assert.equal(parsed(`${start} "https://a.example/x?y" "QGIS"`).referer, 'https://a.example/x?y')
    for (const rest of [' "-" "QGIS"', ' "" "QGIS"', '']) assert.equal(parsed(start + rest).referer, null)
  })

  const garbage = [
    '',
    '-',
    'hello',
    '"',
    '[] ""',
    `${time} "GET / HTTP/1.1" 200 1`,
    `192.0.2.7 ${time} "GET / HTTP/1.1" 200 1`,
    `192.0.2.7 - ${time} "GET / HTTP/1.1" 200 1`,
    `192.0.2.7 - - ${time} "GET / HTTP/1.1`,
    `192.0.2.7 - - ${time} "GET / HTTP/1.1"`,
    `192.0.2.7 - - ${time} "GET / HTTP/1.1" 200`,
    `192.0.2.7 - - ${time} "GET / HTTP/1.1" 2000 1`,
    `192.0.2.7 - - ${time} "GET / HTTP/1.1" abc 1`,
    `192.0.2.7 - - ${time} "GET / HTTP/1.1" 200 1x`,
    `192.0.2.7 - - ${time} "GET / HTTP/1.1" 200 9999999999999999`,
    '{"time":"2025-10-10T13:55:36Z","status":200}',
    '2025/10/10 13:55:36 [error] 5#5: *1 open() "/x" failed',
  ]
  for (const line of garbage) {
    it(`takes "${line}" for no line of an access log`, () => {
      assert.equal(parse(line), 'no access log line in combined or common format')
    })
  }

  it('reads within the bounds that it is given', () => {
    const line = withRequest('GET /a HTTP/1.1')
    const bytes = Buffer.from(`x "\n${line}\n"y" 5`)
    const found = new LogLineParser().parse(bytes, 4, 4 + line.length)
    assert.ok(typeof found !== 'string')
    assert.equal(found.path, '/a')
  })

  it('takes any bytes, whole or damaged lines, without an error', () => {
    const whole = `maps.example.org:80 192.0.2.7 - jo ${time} "GET /a\\x41?b HTTP/1.1" 200 1 "-" "A \\"B" rt=0.1`
    const damaged = fc
      .tuple(fc.nat(whole.length), fc.uint8Array({ maxLength: 8 }), fc.nat(8))
      .map(([at, put, cut]) =>
        Buffer.concat([Buffer.from(whole.slice(0, at)), put, Buffer.from(whole.slice(at + cut))]),
      )
    const any = fc.oneof(
      damaged,
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(any, (bytes) => {
        const line = parse(bytes)
        if (typeof line === 'string') return
        assert.ok(Number.isSafeInteger(line.created) && Number.isSafeInteger(line.sizeBytes))
        assert.ok(line.status >= 0 && line.status <= 999)
        const texts = [line.client, line.user, line.host, line.method, line.path, line.query, line.userAgent]
        for (const text of texts) assert.doesNotMatch(text ?? '', /[^\P{Cc}\x80-\x9f]/u)
      }),
      { numRuns: 3000 },
    )
  })
})
