import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { FileStore } from '../../../src/core/file-store/file-store.ts'
import { fileStoreDrivers } from '../../support/file-stores.ts'
import { testCleanups } from '../../support/test-cleanups.ts'

const bytesOf = (text: string): Readable => Readable.from([Buffer.from(text)], { objectMode: false })

async function keysBelow(store: FileStore, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys.sort()
}

for (const [name, open] of Object.entries(fileStoreDrivers)) {
  describe(`file store: ${name}`, () => {
    const cleanups = testCleanups()
    let store: FileStore
    before(async () => {
      store = await open(cleanups)
    })
    after(() => cleanups.run())

    it('returns what was put, whole, in parts and as a local file', async () => {
      assert.deepEqual(await store.put('a/one', bytesOf('0123456789')), { sizeBytes: 10 })
      assert.equal((await buffer(await store.get('a/one'))).toString(), '0123456789')
      const part = await store.get('a/one', { range: { start: 3, end: 5 } })
      assert.equal((await buffer(part)).toString(), '345')
      const local = await store.localPath('a/one')
      assert.equal(readFileSync(local.path, 'utf8'), '0123456789')
      local.release()
      assert.equal(await store.findSize('a/one'), 10)
    })

    it('stores an empty file', async () => {
      assert.deepEqual(await store.put('empty/file', Readable.from([], { objectMode: false })), {
        sizeBytes: 0,
      })
      assert.equal((await buffer(await store.get('empty/file'))).length, 0)
      assert.equal(await store.findSize('empty/file'), 0)
      const local = await store.localPath('empty/file')
      assert.equal(readFileSync(local.path).length, 0)
      local.release()
    })

    it('reports a missing object as missing', async () => {
      assert.equal(await store.findSize('missing/file'), undefined)
      const isMissing = (error: unknown): boolean => (error as { code: string }).code === 'file-missing'
      await assert.rejects(() => store.get('missing/file'), isMissing)
      await assert.rejects(() => store.localPath('missing/file'), isMissing)
    })

    it('lists the objects below a prefix with their sizes, and removes them', async () => {
      for (const key of ['list/a', 'list/b/c', 'list2/d']) await store.put(key, bytesOf(key))
      assert.deepEqual(await keysBelow(store, 'list/'), ['list/a', 'list/b/c'])
      const sizes: number[] = []
      for await (const { sizeBytes } of store.list('list/')) sizes.push(sizeBytes)
      assert.deepEqual(sizes.sort(), [6, 8])
      await store.remove(['list/a', 'list/never'])
      assert.deepEqual(await keysBelow(store, 'list'), ['list/b/c', 'list2/d'])
    })

    it('refuses keys that are no plain relative path', async () => {
      const hostile = [
        '',
        '/etc/passwd',
        '../x',
        'a/../b',
        'a//b',
        '.hidden',
        'a/',
        'a\\b',
        'a\0b',
        'a b',
        'ä',
        'x'.repeat(701),
      ]
      for (const key of hostile) {
        const refused = { code: 'invalid-key' }
        await assert.rejects(() => store.put(key, bytesOf('x')), refused, key)
        await assert.rejects(async () => store.get(key), refused, key)
        await assert.rejects(() => store.remove([key]), refused, key)
        assert.throws(() => store.gdalPath(key), refused, key)
      }
      await assert.rejects(() => keysBelow(store, '../'), { code: 'invalid-key' })
    })

    it('leaves no object when the source fails or the writer aborts', async () => {
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield Buffer.alloc(1 << 20)
        throw new Error('the source broke')
      }
      await assert.rejects(() => store.put('broken/source', failing()), /the source broke/)
      const stop = new AbortController()
      async function* endless(): AsyncGenerator<Uint8Array> {
        for (let sent = 0; ; sent += 1) {
          if (sent === 20) stop.abort(new Error('enough'))
          yield Buffer.alloc(1 << 20)
        }
      }
      await assert.rejects(() => store.put('broken/abort', endless(), { signal: stop.signal }), /enough/)
      assert.deepEqual(await keysBelow(store, 'broken/'), [])
    })

    it('stores 40 MB in parts, unchanged', async () => {
      const written = createHash('sha256')
      const read = createHash('sha256')
      async function* chunks(): AsyncGenerator<Uint8Array> {
        for (let count = 0; count < 40; count += 1) {
          const chunk = Buffer.alloc(1_000_003, count)
          written.update(chunk)
          yield chunk
        }
      }
      assert.deepEqual(await store.put('large/file', chunks()), { sizeBytes: 40 * 1_000_003 })
      for await (const chunk of await store.get('large/file')) read.update(chunk as Buffer)
      assert.equal(read.digest('hex'), written.digest('hex'))
    })

    it('passes its own check', async () => {
      await store.check()
      assert.deepEqual(await keysBelow(store, 'check'), [])
    })
  })
}
