import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WhiteTiles } from './pictures.ts'

describe('JPEGs of tiles', () => {
  it('are made once of the same picture, while there is room', async () => {
    const tiles = new WhiteTiles(10_400)
    const made: number[] = []
    const ask = async (picture: number): Promise<number | undefined> => {
      const bytes = await tiles.get(Buffer.from([picture]), async () => {
        made.push(picture)
        return Buffer.alloc(1000, picture)
      })
      return bytes[0]
    }
    const first = [1, 2, 3, 4, 5, 6, 7, 8]
    for (const picture of [...first, ...first, 1]) assert.equal(await ask(picture), picture)
    assert.deepEqual(made, first)
    // The least recently used one is evicted.
    for (const picture of [9, 1, 2]) assert.equal(await ask(picture), picture)
    assert.deepEqual(made, [...first, 9, 2])
  })

  it('are not kept where making fails', async () => {
    const tiles = new WhiteTiles(10_400)
    const picture = Buffer.from([1])
    await assert.rejects(
      tiles.get(picture, () => Promise.reject(new Error('no'))),
      /no/,
    )
    assert.equal((await tiles.get(picture, async () => Buffer.from([7])))[0], 7)
  })
})
