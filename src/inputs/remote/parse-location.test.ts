import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../core/errors/errors.ts'
import { shownLocation, withPath } from './location.ts'
import { isLocalLocation, parseLocation } from './parse-location.ts'

const isInvalid = (error: unknown): boolean => error instanceof Failure && error.code === 'invalid-location'

describe('parseLocation', () => {
  it('takes host, port, path and credentials apart', () => {
    assert.deepEqual(parseLocation('ftp://us%40er:p%3Aw@Host.example:2121/a%20b/c.zip'), {
      location: {
        scheme: 'ftp',
        host: 'host.example',
        port: 2121,
        path: '/a b/c.zip',
        url: 'ftp://host.example:2121/a%20b/c.zip',
      },
      credentials: { username: 'us@er', password: 'p:w' },
    })
  })

  it('knows the usual port of every scheme', () => {
    const ports = ['http', 'https', 'ftp', 'ftps', 'sftp', 's3'].map(
      (scheme) => parseLocation(`${scheme}://bucket/x`).location.port,
    )
    assert.deepEqual(ports, [80, 443, 21, 21, 22, 443])
  })

  it('gives an IPv6 host without brackets and a key without the slash in front', () => {
    assert.equal(parseLocation('sftp://[::1]:2222/x').location.host, '::1')
    assert.equal(parseLocation('s3://bucket/a/b c.zip').location.path, 'a/b c.zip')
  })

  for (const text of [
    'gopher://host/x',
    'javascript:alert(1)',
    'http:/host/x',
    'http:///x',
    'http://',
    'http://host:99999/',
    'ftp://host/a%0d%0aDELE b',
    'ftp://us%0aer@host/x',
    'ftp://host/%zz',
    'sftp://host/%00',
    's3://bucket:80/key',
    's3://b/key',
    `http://host/${'x'.repeat(8001)}`,
    '\\\\server\\share:x',
  ]) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.throws(() => parseLocation(text), isInvalid)
    })
  }

  it('repeats no credentials when it refuses', () => {
    for (const text of [
      'gopher://user:hunter2@host/x',
      'ftp://user:hunter2@host/%zz',
      's3://u:hunter2@b/k',
    ]) {
      assert.throws(
        () => parseLocation(text),
        (error) => isInvalid(error) && !String(error).includes('hunter2'),
      )
    }
  })

  it('never throws anything but a failure', () => {
    const texts = fc.tuple(
      fc.constantFrom('http:', 'HTTPS://', 'ftp://', 'ftps://', 'sftp://', 's3://', ''),
      fc.string({ unit: 'binary', maxLength: 60 }),
    )
    fc.assert(
      fc.property(texts, ([scheme, rest]) => {
        try {
          const { location } = parseLocation(scheme + rest)
          assert.ok(!/\p{Cc}/u.test(location.path + location.host))
          assert.ok(!new URL(location.url).username)
        } catch (error) {
          assert.ok(isInvalid(error), String(error))
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('locations', () => {
  it('are of this host when they are paths or file: addresses', () => {
    assert.deepEqual(['file:///x', 'FILE:x', '/x', 'x/y.zip', 'http://x', 's3://x/y'].map(isLocalLocation), [
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('lead to files beside them with their query kept', () => {
    const { location } = parseLocation('https://host/a/b.shp?token=1')
    assert.equal(
      withPath(location, (path) => path.replace('.shp', '.dbf')).url,
      'https://host/a/b.dbf?token=1',
    )
  })

  it('are shown without query', () => {
    assert.equal(shownLocation(parseLocation('https://host/a?signature=secret').location), 'https://host/a')
  })
})
