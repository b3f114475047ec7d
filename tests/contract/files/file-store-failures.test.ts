import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { after, before, describe, it } from 'node:test'
import type { S3Settings } from '../../../src/core/config/file-settings.ts'
import { Secret } from '../../../src/core/secrets/secret.ts'
import { openS3, s3Settings, testBucket } from '../../support/file-stores.ts'
import { startS3 } from '../../support/remote-servers.ts'
import { testCleanups } from '../../support/test-cleanups.ts'
import { startTroubledProxy, type TroubledProxy } from '../../support/troubled-proxy.ts'

const bytesOf = (size: number): Readable => Readable.from([Buffer.alloc(size, 7)], { objectMode: false })

/** Starts a store that answers every request with an error, as a cloud provider does. */
async function startRefusing(t: TestContext, status: number, code: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

describe('an object store in trouble', () => {
  const cleanups = testCleanups()
  let endpoint: string
  let proxy: TroubledProxy
  let troubled: S3Settings
  before(async () => {
    endpoint = await startS3(cleanups, testBucket)
    proxy = await startTroubledProxy(cleanups, Number(new URL(endpoint).port))
    troubled = s3Settings(`http://127.0.0.1:${proxy.port}`)
  })
  after(() => cleanups.run())

  it('is reported as unavailable while it refuses or answers 503, and works again afterwards', async (t) => {
    const { store } = await openS3(t, troubled)
    await store.put('file', bytesOf(100))
    for (const trouble of ['refused', 'unavailable'] as const) {
      proxy.set(trouble)
      const expected = { kind: 'unavailable', code: 'files-unavailable' }
      await assert.rejects(async () => store.get('file'), expected)
      await assert.rejects(() => store.put('other', bytesOf(100)), expected)
      await assert.rejects(() => store.localPath('file'), expected)
    }
    proxy.set('none')
    assert.equal((await buffer(await store.get('file'))).length, 100)
  })

  it('leaves no local copy of a file whose transfer breaks', async (t) => {
    const { store, folder, scratch } = await openS3(t, troubled)
    await store.put('large', bytesOf(3_000_000))
    proxy.set({ cutAfterBytes: 500_000 })
    const expected = { code: 'files-unavailable' }
    await assert.rejects(async () => buffer(await store.get('large')), expected)
    await assert.rejects(() => store.localPath('large'), expected)
    assert.deepEqual(readdirSync(folder), [])
    assert.equal(scratch.usedBytes, 0)
    proxy.set('none')
    const local = await store.localPath('large')
    assert.deepEqual(readdirSync(folder), ['large'])
    local.release()
  })

  it('keeps local copies within the limit: the least recently used go, those in use stay', async (t) => {
    const { store, folder } = await openS3(t, s3Settings(endpoint), 250)
    for (const key of ['a', 'b', 'c', 'huge']) await store.put(key, bytesOf(key === 'huge' ? 300 : 100))
    const [a, b] = [await store.localPath('a'), await store.localPath('b')]
    await assert.rejects(() => store.localPath('c'), { code: 'scratch-full' })
    b.release()
    const c = await store.localPath('c')
    assert.deepEqual(readdirSync(folder).sort(), ['a', 'c'])
    await assert.rejects(() => store.localPath('huge'), { code: 'scratch-full' })
    a.release()
    c.release()
  })

  it('is found at the start, with the setting to change', async (t) => {
    const refusals: [number, string, RegExp][] = [
      [403, 'InvalidAccessKeyId', /TERRANE_FILES_ACCESS_KEY is not known/],
      [403, 'SignatureDoesNotMatch', /TERRANE_FILES_SECRET_KEY is not that/],
      [
        403,
        'AccessDenied',
        /TERRANE_FILES_ACCESS_KEY has no permission to list objects in s3:\/\/terrane-files/,
      ],
      [404, 'NoSuchBucket', /TERRANE_FILES names a bucket that does not exist/],
      [400, 'AuthorizationHeaderMalformed', /TERRANE_FILES_REGION is not the region/],
    ]
    for (const [status, code, expected] of refusals) {
      const { store } = await openS3(t, s3Settings(await startRefusing(t, status, code)))
      await assert.rejects(() => store.check(), expected)
    }
    const away = await openS3(t, s3Settings('http://127.0.0.1:9'))
    await assert.rejects(
      () => away.store.check(),
      /TERRANE_FILES_ENDPOINT http:\/\/127.0.0.1:9 cannot be reached/,
    )
  })

  it('names a missing bucket of a real store, and never the secret', async (t) => {
    const given = { bucket: 'no-such-bucket', secretKey: new Secret('not-to-be-shown') }
    const { store } = await openS3(t, s3Settings(endpoint, given))
    await assert.rejects(
      () => store.check(),
      (error: Error) => {
        assert.match(error.message, /TERRANE_FILES names a bucket that does not exist/)
        assert.doesNotMatch(error.message, /not-to-be-shown/)
        return true
      },
    )
  })
})
