import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { compressTile } from './compress-tile.ts'

describe('compressing a tile', () => {
  it('gives what gzip unpacks, whatever its size', () => {
    for (const length of [1, 2, 40, 254, 255, 256, 257, 5000, 70_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 5)) & 0xff)
      const packed = compressTile(bytes)
      assert.deepEqual(new Uint8Array(gunzipSync(packed)), bytes)
      assert.equal(packed.byteLength, packed.buffer.byteLength)
    }
  })

  it('leaves an empty one empty', () => {
    assert.equal(compressTile(new Uint8Array(0)).length, 0)
  })
})
